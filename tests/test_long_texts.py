"""A message of one person takes the server no time that others would wait for, and what is not read is kept and told.

What once stopped a server runs in a child whose processor time is limited, generously: each took from 13 s to minutes.
"""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from ana.children import run_python
from ana.errors import ToolError, UserError
from ana.memory.operations import Operation
from ana.models.json_mode.reader import read_decision
from ana.models.tool_schema import Tools
from ana.time.clock import find_zone
from ana.time.repeats import find_rule, understand_rule
from ana.time.repeats.words import read_words
from ana.time.when import find_single, is_only_when, read_due_question, resolve
from ana.time.when.reader import read
from ana.time.when.tokens import LONGEST
from ana.transfer.ics.parts import split_parts
from ana.values import Json
from app.page.progress import Progress
from nodes.evidence import Evidence
from nodes.policies.check import MOST_CHARACTERS, find_violation

TODAY = date(2026, 1, 13)
NOW = datetime(2026, 1, 13, 9, 30, tzinfo=UTC)

LIMIT = 20
"""Seconds of processor time for all of them, with what is imported."""

REPRODUCTIONS = f"""
import random, resource
resource.setrlimit(resource.RLIMIT_CPU, ({LIMIT}, {LIMIT}))
from evals.attack.readers import take_turn
NUMBERS = ", ".join(str(random.Random(0).randrange(1000)) for _ in range(900))
TEXTS = {{
    "lines": "a\\n" * 10_000,
    "fractions": "3/4 " * 5_000,
    "question marks": "?" * 16_000,
    "fractions in a question": "What is " + "3/4 " * 5_000 + "?",
    "numbers": "What of " + NUMBERS + "?",
}}
for name in ("lines", "fractions"):
    take_turn(TEXTS[name])
    print(name, flush=True)
for name in ("question marks", "fractions in a question", "numbers"):
    take_turn(TEXTS[name], "There are 1234567.", "There are 1234567.", "There are 1234567.")
    print(name, flush=True)
"""


def test_what_once_stopped_the_server_ends_soon() -> None:
    done = run_python("-c", REPRODUCTIONS)
    assert done.stdout.split("\n") == [
        "lines",
        "fractions",
        "question marks",
        "fractions in a question",
        "numbers",
        "",
    ], done.stderr[-2000:]
    assert done.returncode == 0


def test_days_and_times_are_read_in_the_beginning_of_a_long_text() -> None:
    text = "tomorrow at 9:30 " + "a " * LONGEST + "tomorrow at 9:30"
    for read_text in (text, text[:100]):
        reading = read(read_text, TODAY)
        assert len(resolve(read_text, TODAY)) == len(reading.list_kind("TIME")) == 1


def test_a_long_text_is_about_no_single_day() -> None:
    text = f"tomorrow at 9:30{' ' * LONGEST}"
    assert find_single(text.strip(), NOW) == "2026-01-14T09:30"
    assert find_single(text, NOW) is None
    assert is_only_when(text.strip(), NOW)
    assert not is_only_when(text, NOW)
    assert read_due_question("what is due tomorrow?", TODAY)
    assert read_due_question(f"what is due{' ' * LONGEST}tomorrow?", TODAY) is None


def test_a_rule_is_read_whole_or_not_at_all() -> None:
    assert (said := read_words("every friday", TODAY)) is not None
    assert said.rule == "FREQ=WEEKLY;BYDAY=FR"
    assert read_words(f"every friday{' ' * 200}until march", TODAY) is None
    with pytest.raises(ToolError, match="longer than 1,000 characters"):
        understand_rule(f"FREQ=WEEKLY;{';' * 1000}BYDAY=FR;COUNT=3", datetime(2026, 1, 13), UTC)


def test_a_rule_is_found_at_the_beginning_of_a_text() -> None:
    assert find_rule("swimming every friday") == "every friday"
    assert find_rule(f"swimming{' and so on' * 20} every friday") == ""


@pytest.mark.parametrize("name", ["a." * 10_000, "</think>" * 5_000, "a/" * 10_000, "../etc/passwd", ""])
def test_a_long_or_odd_name_is_no_zone(name: str) -> None:
    assert find_zone(name) is None
    assert find_zone("Europe/Berlin") is not None


def test_a_long_draft_is_checked_at_its_beginning() -> None:
    said = "2 + 2 = 5."
    assert find_violation(Evidence("and?", said))
    assert find_violation(Evidence("and?", f"{'Well. ' * 200}{said}"))
    assert find_violation(Evidence("and?", f"{'Well. ' * (MOST_CHARACTERS // 6 + 1)}{said}")) is None


def test_many_parameters_in_tags_are_one_call() -> None:
    schema: Any = {
        "type": "function",
        "function": {"name": "find_it", "parameters": {"type": "object", "properties": {"a": {}, "b": {}}}},
    }
    said = "<function=find_it><parameter=a>1</parameter><parameter=b>x\n<parameter=y</parameter></function>"
    assert read_decision(said, Tools([schema])).args == {"a": "1", "b": "x\n<parameter=y"}


def test_the_sentences_of_a_draft_that_are_complete_are_settled() -> None:
    assert Progress(2026, draft="One. \n\nTwo!! Three").settled == ["One.", "Two!!"]
    assert Progress(2026, draft="?" * 3 + " 何時。まだ").settled == ["???", "何時。"]


def test_each_entry_of_a_list_goes_once_and_first_the_one_that_is_written_so() -> None:
    entries: list[Json] = ["Map", "map", 1, {"a": [2]}, "map", True]
    removed = Operation("a", remove=["map", "MAP", {"a": [2]}, 1.0]).apply(entries)
    assert removed == ["map", True]
    assert Operation("a", add=["map", "tent", {"a": [2]}]).apply(entries) == [*entries, "tent"]


def test_a_component_ends_with_the_first_end_of_its_kind(tmp_path: Path) -> None:
    file = tmp_path / "a.ics"
    event = "begin:vevent\nBEGIN:VALARM\nEND:VALARM\nSUMMARY:END:VEVENT\nEND:VEVENT "
    file.write_text(f"BEGIN:VCALENDAR\n{event}\nBEGIN:VTODO\nEND:VTODO\nEND:VCALENDAR\n")
    parts, others, _ = split_parts(file)
    assert parts == [("VEVENT", event), ("VTODO", "BEGIN:VTODO\nEND:VTODO")]
    assert others == []
    file.write_text(f"BEGIN:VCALENDAR\nBEGIN:VTODO\n{event}\nEND:VCALENDAR\n")
    with pytest.raises(UserError, match="something in it begins and does not end"):
        split_parts(file)
