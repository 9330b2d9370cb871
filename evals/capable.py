"""The figure for a capable model: what came of the tasks that one played (evals/data/capable)."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data" / "capable"

COLUMNS = ("tasks", "plays", "wrong writes", "right", "pass^2", "requests a play", "tokens a request")


def render_capable() -> str:
    """Return a table of the sets of tasks that a capable model played twice, wrong writes before what was right."""
    plays = [json.loads(line) for line in (FOLDER / "plays.jsonl").read_text(encoding="utf-8").splitlines()]
    requests = json.loads((FOLDER / "requests.json").read_text(encoding="utf-8"))
    rows = [
        f"| {name} | {' | '.join(_count(list(some), requests[name]))} |"
        for name, some in groupby(plays, lambda play: play["set"])
    ]
    return "\n".join([f"| set | {' | '.join(COLUMNS)} |", f"|{' --- |' * (len(COLUMNS) + 1)}", *rows])


def _count(plays: Sequence[Mapping[str, Any]], requests: Mapping[str, int]) -> list[str]:
    wrong = {play["task"] for play in plays if play["faults"]}
    tasks = {play["task"] for play in plays}
    right = sum(not play["faults"] for play in plays)
    return [
        str(len(tasks)),
        str(len(plays)),
        str(sum(play["wrong_writes"] for play in plays)),
        f"{right} ({right / len(plays):.2f})",
        f"{len(tasks - wrong)} ({len(tasks - wrong) / len(tasks):.2f})",
        f"{requests['requests'] / len(plays):.1f}",
        f"{requests['tokens_in'] / requests['requests']:,.0f}",
    ]
