"""How much work something is, counted in calls and not in seconds."""

import sys
from collections.abc import Callable
from functools import partial


def count_calls(do: Callable[[], object]) -> int:
    """Return how many calls of functions something takes."""
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        do()
    finally:
        sys.setprofile(None)
    return count


def expect_linear(read: Callable[[str], object], seed: str, longest: int = 100_000) -> None:
    """Check that four times the text is about four times the work; what is quadratic inside a regular expression never
    ends at the longest text."""
    few, many = (count_calls(partial(read, (seed * n)[:n])) for n in (2_000, 8_000))
    assert many < 6 * few + 1000
    read((seed * longest)[:longest])
