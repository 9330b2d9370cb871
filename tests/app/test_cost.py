"""`ana cost` adds up the traces; under an answer stands what it cost, where something was paid."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.outcome import Done
from app.show.answers import describe_cost
from tests.app.conftest import Run

NOW = datetime.now(UTC)


def record(days_ago: int, model: str = "gpt-4o-mini", **more: Any) -> str:
    usage = {"input_tokens": 1000, "output_tokens": 100, "estimated": False}
    ts = (NOW - timedelta(days=days_ago)).isoformat(timespec="seconds")
    turn = {"id": f"t{days_ago}", "ts": ts, "question": "?", "steps": [], "answer": "!", "usage": usage}
    return json.dumps(turn | {"cost_usd": 0.25, "model": model, "provider": "openai"} | more)


def write_traces(folder: Path, **threads: list[str]) -> None:
    (folder / "traces").mkdir()
    for thread, lines in threads.items():
        (folder / "traces" / f"{thread}.jsonl").write_text("".join(f"{line}\n" for line in lines))


def test_cost_is_told_by_day_and_model_and_damage_is_not_hidden(ana: Run, tmp_path: Path) -> None:
    again = record(0, message="m1"), record(0, message="m1")  # an answer that was made again was paid for twice
    old = record(9, "gpt-4o", cost_usd=0.0)  # from before prices were known
    free = record(2, "offline", provider="offline", cost_usd=0.0)
    write_traces(
        tmp_path,
        one=[*again, old, free, record(1, cost_usd="much")],
        two=[record(1, "new", cost_usd=None), "[1]", record(1, usage={})],
    )
    done = ana("cost")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[1][1:] == ["gpt-4o", "1", "1,000", "0", "100", "0.0035"]
    assert rows[2][1:] == ["new", "1", "1,000", "0", "100", "not", "known"]
    assert rows[3][1:] == ["gpt-4o-mini", "2", "2,000", "0", "200", "0.5000"]
    assert "$0.5035 in all, without 1 turn of models with unknown prices." in done.stdout
    assert "1 line of the trace one cannot be read and is not counted." in done.stderr
    assert "2 lines of the trace two cannot be read and are not counted." in done.stderr
    told = json.loads(ana("cost", "--since", "7d", "--json").stdout)
    assert [(day["model"], day["cost_usd"], day["unpriced_turns"]) for day in told["days"]] == [
        ("new", None, 1),
        ("gpt-4o-mini", 0.5, 0),
    ]
    assert (told["total_usd"], told["damaged"]) == (0.5, {"one": 1, "two": 2})


@pytest.mark.parametrize(
    ("usage", "usd", "line"),
    [
        (
            {"input_tokens": 1234, "output_tokens": 56, "estimated": False},
            0.0012,
            "$0.0012 · 1,234 tokens read, 56 written",
        ),
        (
            {"input_tokens": 1234, "output_tokens": 56, "estimated": False, "cached_tokens": 1000},
            0.1,
            "$0.1000 · 1,234 tokens read (1,000 cached), 56 written",
        ),
        (
            {"input_tokens": 9, "output_tokens": 5, "estimated": True},
            0.5,
            "about $0.5000 · about 9 tokens read, 5 written",
        ),
        ({"input_tokens": 9, "output_tokens": 5, "estimated": True}, 0.0, ""),
        ({"input_tokens": 9, "output_tokens": 5, "estimated": False}, None, ""),
    ],
)
def test_a_line_says_what_an_answer_cost(usage: dict[str, Any], usd: float | None, line: str) -> None:
    done = Done("!", "t", "id", "path", [], usage, usd, [], None)
    assert describe_cost(done) == line
