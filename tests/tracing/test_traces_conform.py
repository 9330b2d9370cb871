"""What keeps the records of turns passes the suite, in files and in memory."""

from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from ana.settings import Settings
from ana.tracing.in_memory import InMemoryTraces
from ana.tracing.schema import Record
from ana.workspace import open_workspace
from tests.tracing.conformance import TRACES, OpenTraces, turns_that_were_answered_again_are_read_once


@pytest.mark.parametrize("kind", ["files", "memory"])
@pytest.mark.parametrize("check", TRACES)
def test_traces_conform(check: Callable[[OpenTraces], None], kind: str, settings: Settings) -> None:
    kept: dict[str, InMemoryTraces] = defaultdict(InMemoryTraces)
    check(kept.__getitem__ if kind == "memory" else lambda person: open_workspace(settings, person).open_traces())


class OnlyTheLast(InMemoryTraces):
    """Traces that lose what was answered again."""

    def iter_attempts(self, thread_id: str) -> Iterator[Record]:
        return iter([*super().iter_attempts(thread_id)][-1:])


def test_the_suite_notices_traces_that_lose_attempts() -> None:
    traces = OnlyTheLast()
    with pytest.raises(AssertionError):
        turns_that_were_answered_again_are_read_once(lambda _: traces)
