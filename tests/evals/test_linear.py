"""The referee of reading catches what grows faster than its text, and what does not end, and finds every pattern."""

import re
from collections.abc import Callable

import pytest

from evals.attack.linear import SIZES, Case, Measured, find_bound, measure
from evals.attack.patterns import Pump, list_patterns, list_pumps
from evals.attack.readers import PIECES
from tests.forks import run_forked

PUMPS = [Pump("", piece, "") for piece in PIECES]

SLOW = {
    r"\s+$": Pump("", " ", "\0"),
    r"\d+(?:st|nd)": Pump("", "1", ""),
    r"“[^”]+”": Pump("", "“", ""),
    r"<!--.*?-->": Pump("", "<!--a", ""),
    r"^BEGIN:(V\w+)\n.*?^END:\1$": Pump("", "BEGIN:Va\n", ""),
    r".*?\s(?:in|for)\s+[a-z ]+?\?": Pump("", " ", ""),
    "(?:x+x+)+y": Pump("", "x", "\0"),
}
"""Patterns, each with the text that it goes over again and again."""

END = """
import os, signal
from evals.attack.linear import Case, measure_all, report
from evals.attack.patterns import Pump

def end(text: str) -> None:
    if len(text) > 1:
        os.kill(os.getpid(), signal.SIGNAL)

cases = [Case(f"case {number}", read, [Pump("", "aa", "")]) for number, read in enumerate((len, end, len))]
measured = list(measure_all(cases))
print(*((each.name, each.pump, each.fault) for each in measured), sep="\\n")
print(*report(measured), sep="\\n")
"""
"""Measures three cases, of which one ends its process; in a process of its own, because it forks."""


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


@pytest.mark.parametrize(("written", "pump"), SLOW.items())
def test_what_a_slow_pattern_goes_over_again_is_among_its_inputs(written: str, pump: Pump) -> None:
    assert pump in list_pumps(re.compile(written, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("written", [r"“[^”]+”", r"<!--.*?-->"])
def test_a_pattern_that_is_known_to_be_slow_is_caught(written: str) -> None:
    assert measure(Case(written, re.compile(written, re.DOTALL).search, [SLOW[written]])).fault


@pytest.mark.parametrize(
    ("number", "fault"), [("SIGPROF", "it was killed after 10 s"), ("SIGKILL", "its process ended with -9")]
)
def test_a_reading_that_ends_its_process_is_named_and_the_next_is_measured(number: str, fault: str) -> None:
    done = run_forked("-c", END.replace("SIGNAL", number))
    lines = done.stdout.splitlines()
    assert lines[:3] == [str((f"case {n}", repr("aa"), fault if n == 1 else "")) for n in range(3)], done.stderr
    assert lines[-1] == f"not linear: case 1 with 'aa': {fault}"


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
