"""The referee of reading catches what grows faster than its text, and what does not end, and finds every pattern."""

import re
from collections.abc import Callable

import pytest

from evals.attack.linear import SIZES, Case, Measured, find_bound, measure, measure_all, report
from evals.attack.patterns import Pump, list_patterns, list_pumps
from evals.attack.readers import PIECES

PUMPS = [Pump("", piece, "") for piece in PIECES]

CHILD = """
import json, os, signal, sys
first = int(sys.argv[1])
for number in range(first, 3):
    print(json.dumps({"number": number, "count": 3, "name": f"case {number}"}), flush=True)
    if number == 1:
        print(json.dumps({"pump": "'aa'"}), flush=True)
        os.kill(os.getpid(), signal.SIGPROF)
    print(json.dumps({"name": f"case {number}", "pump": "", "seconds": 0.1, "growth": 2.0, "fault": ""}), flush=True)
"""


def measure_steps(steps: Callable[[str], float]) -> Measured:
    """Return what is measured of a reader that takes so many microseconds for a text."""
    passed = 0.0

    def read(text: str) -> None:
        nonlocal passed
        passed += steps(text) / 1_000_000

    return measure(Case("a reader", read, PUMPS), clock=lambda: passed)


@pytest.mark.parametrize(
    "steps",
    [lambda text: len(text) ** 2 / 100, lambda text: len(text) ** 3, lambda text: text.count("3/4 ") ** 2 / 10],
)
def test_what_grows_faster_than_its_text_is_caught(steps: Callable[[str], float]) -> None:
    assert "times as long as half of them" in measure_steps(steps).fault


@pytest.mark.parametrize("steps", [len, lambda _: 900_000, lambda text: len(text) * len(bin(len(text))) / 10])
def test_what_grows_with_its_text_is_not(steps: Callable[[str], float]) -> None:
    measured = measure_steps(steps)
    assert measured.fault == ""
    assert measured.seconds > 0


def test_what_takes_longer_than_a_second_is_caught() -> None:
    assert "20,000 characters took 1.20 s" in measure_steps(lambda text: 60 * len(text)).fault


def test_the_piece_that_is_worst_is_named() -> None:
    assert measure_steps(lambda text: text.count("{")).pump == repr("{")


@pytest.mark.parametrize(
    "written",
    [
        r"\s+$",
        r"\d+(?:st|nd)",
        r"“[^”]+”",
        r"<!--.*?-->",
        r"^BEGIN:(V\w+)\n.*?^END:\1$",
        r".*?\s(?:in|for)\s+[a-z ]+?\?",
    ],
)
def test_a_pattern_that_is_known_to_be_slow_is_caught(written: str) -> None:
    compiled = re.compile(written, re.MULTILINE | re.DOTALL)
    assert measure(Case(written, compiled.search, list_pumps(compiled))).fault


def test_what_a_pattern_without_end_repeats_is_among_its_inputs() -> None:
    assert Pump("", "x", "\0") in list_pumps(re.compile("(?:x+x+)+y"))


def test_a_reading_that_is_killed_is_named_and_the_next_is_measured() -> None:
    measured = list(measure_all(("-c", CHILD)))
    assert [each.name for each in measured] == ["case 0", "case 1", "case 2"]
    assert [each.fault for each in measured] == ["", "it was killed after 10 s", ""]
    assert measured[1].pump == "'aa'"


def test_a_process_that_ends_otherwise_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    measured = list(measure_all(("-c", CHILD.replace("signal.SIGPROF", "signal.SIGKILL"))))
    assert measured[1].fault == "its process ended with -9"
    assert report(measured) == 1
    assert "not linear: case 1 with 'aa': its process ended with -9" in capsys.readouterr().out


def test_patterns_are_found_wherever_they_are_compiled() -> None:
    modules = ("ana.memory.search.tokens", "ana.models.offline.readings", "nodes.policies.days", "app.repl.context")
    found = {(pattern.name.split(":")[0], pattern.method) for pattern in list_patterns(modules)}
    assert ("ana.memory.search.tokens._WORD", "finditer") in found  # of a module
    assert ("ana.models.offline.readings._ORDERS", "match") in found  # in a table
    assert ("nodes.policies.days._times", "finditer") in found  # kept by a function
    assert ("app.repl.context", "fullmatch") in found  # compiled in a function


def test_the_inputs_of_a_pattern_are_made_of_its_own_pieces() -> None:
    pumps = list_pumps(re.compile(r"note: (?:[é-ü]|thing\d)+end"))
    assert {("note: ", "thing1"), ("note: ", "é")} <= {(pump.begin, pump.piece) for pump in pumps}
    assert Pump("b", "ab", "c").fill(6) == "babababc"


def test_a_bound_is_that_of_the_code() -> None:
    from ana.models.offline.view import LONGEST

    assert find_bound("ana.models.offline.readings._UNDO") == LONGEST < SIZES[0]
    assert find_bound("ana.output._DRIVING") == SIZES[-1]
