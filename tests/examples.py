"""What Hypothesis tries: `make test` the same quarter each time, `make crash` (ANA_LONG_TESTS) all of it at random."""

import os

LONG = bool(os.environ.get("ANA_LONG_TESTS"))


def examples(count: int) -> int:
    """Return how many of `count` examples to try."""
    return count if LONG else max(count // 4, 5)
