"""Golden traces, run again: what the program does is what it did. `make goldens` records them again."""

import pytest

from app.replay.compare import compare
from app.replay.rerun import Rerun
from evals.goldens import Golden, list_differences, load_golden_settings, read_goldens
from tests.conftest import EMBEDDER

GOLDENS = {golden.name: golden for golden in read_goldens()}


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


def test_every_difference_of_a_new_recording_is_named() -> None:
    (old, *_) = GOLDENS.values()
    new = Golden(old.name, [{**old.records[0], "answer": "No.", "usage": {}}, *old.records[1:]], old.entries)
    told = list(list_differences([old], [new]))
    assert [line.split(":")[0] for line in told] == [
        f"{old.name}.records[0].{place}"
        for place in ("answer", "usage.input_tokens", "usage.output_tokens", "usage.estimated")
    ]
