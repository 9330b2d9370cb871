"""The referee of reading: every pattern and every reader of text takes time that grows with the text alone.

Each is given texts that are pumped from a piece, of four sizes, in a fork of its own whose time is limited: one that
takes longer than that is named too.
"""

import contextlib
import gc
import logging
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import NamedTuple

from ana.recent import Recent
from evals import long_runs
from evals.attack.patterns import Pump, list_patterns, list_pumps
from evals.attack.readers import ENDS, PIECES, list_readers

SIZES = (2_500, 5_000, 10_000, 20_000)
"""Characters of a text. A message may have 100,000."""

GROWTH = 2.5
"""How many times as long a text that is twice as long may take."""

SECONDS = 1.0
"""How long the longest may take."""

NOISE = 0.02
"""Seconds below which growth says nothing."""

AGAIN = 7
"""How often what seems to grow is measured again: another process may have been in the way."""

KILLED = 10
"""Seconds after which a single reading is killed."""

BOUNDED = {
    "ana.models.offline.": "ana.models.offline.view.LONGEST",
    **dict.fromkeys(
        [f"nodes.policies.{name}." for name in ("clock", "days", "equations", "numbers", "results", "weekdays")],
        "nodes.policies.check.MOST_CHARACTERS",
    ),
}
"""Patterns that are given no more characters than that, by how their names begin. That no more come to them is
shown by the readers."""


class Case(NamedTuple):
    """Something that reads a text, and the texts that it is tried with.

    Args:
        longest: Characters that it is given at most. What has a bound below the sizes may grow as it likes up to it.
    """

    name: str
    read: Callable[[str], object]
    pumps: Sequence[Pump]
    longest: int = SIZES[-1]


class Measured(NamedTuple):
    """How long a case took at its worst.

    Args:
        name: The case.
        pump: The piece that was repeated, with what stands around it.
        seconds: Of the longest text that was read.
        growth: How many times as long it took as the text before; 1 below the noise.
        fault: What is wrong; empty if nothing is.
    """

    name: str
    pump: str
    seconds: float
    growth: float
    fault: str = ""


Clock = Callable[[], float]
_FORK = multiprocessing.get_context("fork")


def list_cases() -> list[Case]:
    """Return every pattern and every reader of the program."""
    pumps = [Pump("", piece, end) for piece in PIECES for end in ENDS]
    patterns = [
        Case(f"{p.name} {p.method}", p.run, list_pumps(p.compiled), find_bound(p.name)) for p in list_patterns()
    ]
    return [*(Case(name, read, pumps) for name, read in list_readers()), *patterns]


def find_bound(name: str) -> int:
    """Return how many characters a pattern is given at most."""
    module = next((module for module in BOUNDED if name.startswith(module)), None)
    if module is None:
        return SIZES[-1]
    where, _, constant = BOUNDED[module].rpartition(".")
    return int(vars(sys.modules[where])[constant])


def measure(case: Case, tell: Callable[[Pump], object] = lambda _: None, clock: Clock = time.process_time) -> Measured:
    """Return how long a case takes with the text that is worst for it.

    Args:
        tell: Is told each text before it is read.
        clock: In seconds.
    """
    measured = []
    _time(case, "a", clock)  # what is imported and built once
    for pump in case.pumps:
        tell(pump)
        measured.append(_measure(case, pump, clock))
        if measured[-1].fault:
            break
    return max(measured, key=lambda each: (bool(each.fault), each.seconds))


def _measure(case: Case, pump: Pump, clock: Clock) -> Measured:
    took, growth, fault = 0.0, 1.0, ""
    for size in SIZES if case.longest >= SIZES[-1] else (case.longest,):
        before, took = took, _time(case, pump.fill(size), clock)
        growth = took / before if before and took > NOISE else 1.0
        if growth > GROWTH:
            before, took = map(min, *(_time_both(case, pump, size, clock) for _ in range(AGAIN)))
            growth = took / before if took > NOISE else 1.0
        if growth > GROWTH or took > SECONDS:
            fault = f"{size:,} characters took {took:.2f} s, {growth:.1f} times as long as half of them"
            break
    return Measured(case.name, repr("".join(pump)), took, growth, fault)


def _time_both(case: Case, pump: Pump, size: int, clock: Clock) -> tuple[float, float]:
    """Return what half of a size takes and the size, one right after the other: the machine is as busy for both."""
    return _time(case, pump.fill(size // 2), clock), _time(case, pump.fill(size), clock)


def _time(case: Case, text: str, clock: Clock) -> float:
    # nothing handles its signal, so it ends the process whatever holds Python's lock
    signal.setitimer(signal.ITIMER_PROF, KILLED)
    begun = clock()
    try:
        with Recent().enter():  # nothing that was worked out before
            case.read(text)
        return clock() - begun
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def measure_all(cases: Iterable[Case]) -> Iterator[Measured]:
    """Yield what each case takes, measured in a fork of its own."""
    logging.disable()
    gc.freeze()  # what is loaded is not gone through again with every collection
    return map(_measure_apart, cases)


def _measure_apart(case: Case) -> Measured:
    ours, its = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=_measure_here, args=(case, its))
    child.start()
    its.close()
    last: Pump | Measured = Pump("", "", "")
    with contextlib.suppress(EOFError):
        while True:
            last = ours.recv()
    child.join()
    if isinstance(last, Measured):
        return last
    is_slow = child.exitcode == -signal.SIGPROF
    fault = f"it was killed after {KILLED} s" if is_slow else f"its process ended with {child.exitcode}"
    return Measured(case.name, repr("".join(last)), float(KILLED), 1.0, fault)


def _measure_here(case: Case, pipe: Connection) -> None:
    """Tell each text before it is read, and at the end what was measured."""
    pipe.send(measure(case, pipe.send))


def report(measured: Iterable[Measured], worst: int = 10) -> list[str]:
    """Print the worst of what was measured, and return every fault."""
    every = sorted(measured, key=lambda each: (-bool(each.fault), -each.seconds))
    print(f"{len(every)} patterns and readers; the worst with {SIZES[-1]:,} characters:")
    for each in every[:worst]:
        print(f"  {each.seconds:7.3f} s, {each.growth:4.1f} times that of half: {each.name} {each.pump[:60]}")
    return [f"not linear: {each.name} with {each.pump[:80]}: {each.fault}" for each in every if each.fault]


if __name__ == "__main__":
    raise SystemExit(long_runs.run(lambda *_: report(measure_all(list_cases())), __doc__))
