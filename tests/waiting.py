"""Waiting for what only has to happen, however slow the machine is."""

import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds after which what a test waits for is said to have failed."""


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true; fail after `PATIENCE`."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
