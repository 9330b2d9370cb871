"""Golden traces, run again with what is recorded and on a store: what the program does is what it did.

`make goldens` records them again.
"""

from typing import Any, cast

import pytest

from ana.models.scripted import ScriptedModel, calls
from app.replay.compare import compare
from app.replay.rerun import repeat
from evals.conversation import read_conversation, render_conversation
from evals.goldens import (
    CONVERSATIONS,
    Golden,
    list_differences,
    load_golden_settings,
    play_again,
    read_goldens,
    record_golden,
)

GOLDENS = {golden.name: golden for golden in [*read_goldens(), read_conversation()]}


def test_there_are_golden_traces_of_every_kind_of_turn() -> None:
    records = [record for golden in GOLDENS.values() for record in golden.records]
    assert len(records) >= 20
    assert {record["provider"] for record in records} == {"offline", "openai"}
    assert any(record["replay"].get("given") for record in records), "a person decided"
    assert any(record["error"] for record in records)
    assert any(step["tool"] == "⛔️policy_violation" for record in records for step in record["steps"])


@pytest.mark.parametrize("name", GOLDENS)
def test_golden_traces_are_the_same_again_from_what_is_recorded(name: str) -> None:
    golden, settings = GOLDENS[name], load_golden_settings()
    texts = golden.list_line_texts()
    found = [compare(record, repeat(settings, record, golden.records, texts)) for record in golden.records]
    assert [*filter(None, found)] == []


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_golden_traces_are_the_same_again_on_a_store(name: str) -> None:
    again = record_golden(name, *CONVERSATIONS[name])
    pairs = zip(GOLDENS[name].records, again.records, strict=True)
    assert [*filter(None, (compare(*pair) for pair in pairs))] == []


def test_a_recorded_turn_names_the_one_before_it() -> None:
    said = [("milk?", (), ()), ("tea?", (), ())]
    golden = record_golden("two turns", "act", said, load_golden_settings(), ScriptedModel(replies=["None.", "None."]))
    assert [record["previous"] for record in golden.records] == [None, "two-turns-1"]


def test_every_difference_of_a_new_recording_is_named() -> None:
    (old, *_) = GOLDENS.values()
    new = Golden(old.name, [{**old.records[0], "answer": "No.", "usage": cast(Any, {})}, *old.records[1:]])
    told = list(list_differences([old], [new]))
    assert [line.split(":")[0] for line in told] == [
        f"{old.name}.records[0].{place}"
        for place in ("answer", "usage.input_tokens", "usage.output_tokens", "usage.estimated")
    ]


def test_a_conversation_with_any_model_is_recorded_shown_and_the_same_again() -> None:
    made = {"content": "Buy milk\x1b", "properties": {"type": "task"}}
    model = ScriptedModel(replies=[calls(("create_item", made)), "Stored."])
    golden = record_golden("with a model", "act", [("milk!", (), ())], load_golden_settings(), model)
    (record,) = golden.records
    assert compare(record, repeat(load_golden_settings(), record, [record], ())) is None
    shown = "> milk!\nStored.\n  + “Buy milk\\x1b” (task)"
    assert render_conversation(golden) == f"```\n{shown}\n```"


def test_a_recorded_conversation_is_played_again_with_its_decisions() -> None:
    old = read_conversation()
    assert [*list_differences([old], [play_again(old)])] == []
