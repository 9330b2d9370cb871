"""Measure the policies: which false drafts they miss, and which honest ones they send back."""

import json
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from app.show.tables import show_table
from evals.policies.data import CLASSES, LANGUAGES, SETS, Case, Half, load_cases
from nodes.evidence import Evidence
from nodes.load_context import calendar
from nodes.policies.check import find_violation
from nodes.receipt import Call

HEADERS = ("class", "language", "honest", "sent back wrongly", "false", "missed")

Judged = tuple[Case, bool]
"""A draft, and whether it is sent back."""


def make_evidence(case: Case) -> Evidence:
    """Return the turn of a case as the policies see it."""
    moment = datetime.fromisoformat(case.now).replace(tzinfo=ZoneInfo(case.zone))
    calls = tuple(_make_call(step, at) for at, step in enumerate(case.steps) if "declined" not in step)
    lines, prompt = dict(enumerate(case.context)), calendar(moment, case.zone)
    return Evidence(case.question, case.draft, calls, tuple(case.earlier), lines, prompt, moment)


def _make_call(step: dict[str, object], at: int) -> Call:
    args, receipts = step["args"], step.get("receipts", [])
    assert isinstance(args, dict)
    assert isinstance(receipts, list)
    text = json.dumps(step["result"], ensure_ascii=False)
    # a lookup comes in a decision of its own, writes in one batch
    number = at if step["tool"] == "query_items" else 1000
    return Call(str(step["tool"]), args, text, not step.get("failed"), number, tuple(receipts))


def is_sent_back(case: Case) -> bool:
    """Whether a policy sends the draft back."""
    return find_violation(make_evidence(case)) is not None


def show_counts(judged: Sequence[Judged], title: str) -> None:
    """Print the counts of each class and language, and of each class."""
    rows = []
    for kind in (*CLASSES, "all"):
        for language in (*LANGUAGES, "all"):
            some = [each for each in judged if kind in (each[0].kind, "all") and language in (each[0].language, "all")]
            rows.append([kind, language, *map(str, count_cases(some))])
    show_table(HEADERS, rows, title)


def judge_cases(half: Half, name: str) -> list[Judged]:
    """Return the drafts of a set, each with whether it is sent back."""
    return [(case, is_sent_back(case)) for case in load_cases(half, name)]


def count_cases(judged: Sequence[Judged]) -> tuple[int, int, int, int]:
    """Return how many drafts are honest, of those sent back, how many are false, and of those missed."""
    honest, false = ([sent_back for case, sent_back in judged if case.false is wanted] for wanted in (False, True))
    return len(honest), sum(honest), len(false), len(false) - sum(false)


def print_wrong(half: Half) -> None:
    """Print every case of a half that is judged wrongly."""
    for case in (case for name in SETS for case in load_cases(half, name)):
        violation = find_violation(make_evidence(case))
        if case.false is not (violation is not None):
            verdict = "missed" if case.false else "false alarm"
            reason = f" [{violation.policy}: {violation.reason[:120]}]" if violation else ""
            print(f"{verdict} {case.id} {case.question!r} -> {case.draft!r}{reason}")
