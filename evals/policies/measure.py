"""Measure the policies: which false drafts they miss, and which honest ones they send back."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from tabulate import tabulate

from evals.policies.data import CLASSES, HALVES, LANGUAGES, SETS, TALK, Case, Half, load_cases
from nodes.load_context import calendar
from nodes.policies.check import first_violation
from nodes.policies.evidence import Call, Evidence
from nodes.policies.writes import may_expect_write

HEADERS = ("class", "language", "honest", "false alarms", "false", "missed", "sent back", "contradicted")


def make_evidence(case: Case) -> Evidence:
    """Return the turn of a case as the policies see it."""
    moment = datetime.fromisoformat(case.now).replace(tzinfo=ZoneInfo(case.zone))
    calls = tuple(_make_call(step, at) for at, step in enumerate(case.steps) if "declined" not in step)
    refused = tuple(step["args"] for step in case.steps if "declined" in step)

    lines = dict(enumerate(case.context))
    prompt = calendar(moment, case.zone)
    said = tuple(case.earlier)
    return Evidence(case.question, case.draft, calls, said, lines, prompt, moment, refused, rings=case.rings)


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
    return first_violation(make_evidence(case)) is not None


def is_shown(case: Case) -> bool:
    """Whether what stands under the answer shows that its claim is false: nothing was done, or only what is listed.

    A list of what was written does not say that nothing was sent.
    """
    written = case.kind == "claims" and bool(make_evidence(case).receipts)
    return written or (case.kind in ("claims", "outside") and has_line(case))


def is_caught(case: Case) -> bool:
    """Whether a false draft does not get by: it is sent back, or its claim stands above a line that says otherwise."""
    return is_sent_back(case) or is_shown(case)


def has_line(case: Case) -> bool:
    """Whether an answer has a line under it that says that nothing was stored, changed, sent or booked."""
    e = make_evidence(case)
    return not e.receipts and may_expect_write(e)


def is_noise(case: Case) -> bool:
    """Whether an honest answer to a question or to talk has such a line."""
    return (
        not case.false and case.kind not in ("outside", "promises") and has_line(case)
    )  # there most messages ask for an act


def rows(half: Half, name: str = "own") -> Iterator[tuple[str, str, int, int, int, int, int, int]]:
    """Yield the counts of each class and language, and of each class."""
    judged = [
        (case, is_sent_back(case), case.false and not is_caught(case), is_shown(case))
        for case in load_cases(half, name)
    ]
    for kind in (*CLASSES, "all"):
        for language in (*LANGUAGES, "all"):
            some = [each for each in judged if kind in (each[0].kind, "all") and language in (each[0].language, "all")]
            yield kind, language, *_count(some)


def _count(judged: Sequence[tuple[Case, bool, bool, bool]]) -> tuple[int, int, int, int, int, int]:
    """Return how many drafts are honest, of those sent back, false, missed, false and sent back, and contradicted.

    A false claim is contradicted if the receipt under it says otherwise.
    """
    honest, false = ([each for each in judged if each[0].false is wanted] for wanted in (False, True))
    alarms, stopped = (sum(sent_back for _, sent_back, *_ in some) for some in (honest, false))
    missed, contradicted = sum(each[2] for each in false), sum(each[3] for each in false)
    return len(honest), alarms, len(false), missed, stopped, contradicted


def count_lines(half: Half) -> Iterator[tuple[str, str, int, int]]:
    """Yield by kind of message and language how many there are, and how many of their answers have a line."""
    for kind in TALK:
        cases = load_cases(half, kinds=(kind,))
        for language in (*LANGUAGES, "all"):
            some = [case for case in cases if language in (case.language, "all")]
            yield kind, language, len(some), sum(map(has_line, some))


def print_wrong(half: Half) -> None:
    """Print every case of a half that is judged wrongly."""
    for case in (case for name in SETS for case in load_cases(half, name, (*CLASSES, *TALK))):
        violation = first_violation(make_evidence(case))
        if verdict := _judge(case, violation is not None):
            reason = f" [{violation.policy}: {violation.reason[:120]}]" if violation else ""
            print(f"{verdict} {case.id} {case.question!r} -> {case.draft!r}{reason}")


def _judge(case: Case, sent_back: bool) -> str:
    if case.false:
        return "" if is_caught(case) else "missed"
    if case.kind == "asked":  # its draft may be sent back or not: what it claims is not judged
        return "" if has_line(case) else "no line"
    return "false alarm" if sent_back else "noise" if is_noise(case) else ""


def main() -> None:
    for half in HALVES:
        for name in SETS:
            print(f"{name}, {half}\n{tabulate(rows(half, name), HEADERS)}\n")
        print(f"{half}\n{tabulate(count_lines(half), ('message', 'language', 'answers', 'with a line'))}\n")
