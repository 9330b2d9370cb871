"""Golden traces, run again: what the program does is what it did. `make goldens` records them again."""

from typing import Any, cast

import pytest

from ana.models.scripted import ScriptedModel, calls
from app.replay.compare import compare
from app.replay.rerun import Rerun
from evals.conversation import read_conversation, render_conversation
from evals.goldens import Golden, list_differences, load_golden_settings, read_goldens, record_golden
from tests.conftest import EMBEDDER

GOLDENS = {golden.name: golden for golden in [*read_goldens(), read_conversation()]}


def test_there_are_golden_traces_of_every_kind_of_turn() -> None:
    records = [record for golden in GOLDENS.values() for record in golden.records]
    assert len(records) >= 20
    assert {record["provider"] for record in records} == {"offline", "openai"}
    assert any(record["inputs"].get("given") for record in records), "a person decided"
    assert any(record["error"] for record in records)
    assert any(step["tool"] == "⛔️policy_violation" for record in records for step in record["steps"])


@pytest.mark.parametrize("name", GOLDENS)
def test_golden_traces_are_the_same_again(name: str) -> None:
    golden = GOLDENS[name]
    run = Rerun(load_golden_settings(), golden.fill_store(), EMBEDDER)
    found = {record["id"]: compare(record, run.repeat(record, golden.records)) for record in golden.records}
    assert {id: difference for id, difference in found.items() if difference} == {}


def test_a_recorded_turn_names_the_one_before_it() -> None:
    said = [("milk?", (), ()), ("tea?", (), ())]
    golden = record_golden("two turns", "act", said, load_golden_settings(), ScriptedModel(replies=["None.", "None."]))
    assert [record["previous"] for record in golden.records] == [None, "two-turns-1"]


def test_every_difference_of_a_new_recording_is_named() -> None:
    (old, *_) = GOLDENS.values()
    new = Golden(old.name, [{**old.records[0], "answer": "No.", "usage": cast(Any, {})}, *old.records[1:]], old.entries)
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
    run = Rerun(load_golden_settings(), golden.fill_store(), EMBEDDER)
    assert compare(record, run.repeat(record, [record])) is None
    shown = "> milk!\nStored.\n  + “Buy milk\\x1b” (task)"
    assert render_conversation(golden) == f"```\n{shown}\n```"
