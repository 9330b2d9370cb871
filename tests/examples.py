"""How many examples Hypothesis tries: a quarter in `make test`, all in `make crash`, which sets ANA_LONG_TESTS."""

import os


def examples(count: int) -> int:
    """Return how many of `count` examples to try."""
    return count if os.environ.get("ANA_LONG_TESTS") else max(count // 4, 5)
