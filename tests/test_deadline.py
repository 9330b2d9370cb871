"""A turn has so much time, whatever it waits for on a network and however that dawdles."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from ana import deadline
from ana.deadline import get_remaining_seconds, limit_time
from ana.network import iterate, wait_for


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    monkeypatch.setattr(deadline, "monotonic", watch)
    return watch


def test_time_is_counted_down_and_never_below_nothing(watch: Watch) -> None:
    assert get_remaining_seconds() is None
    with limit_time(10):
        watch.now += 4
        assert get_remaining_seconds() == 6
        with limit_time(2):
            assert get_remaining_seconds() == 2
        assert get_remaining_seconds() == 6
        watch.now += 7
        assert get_remaining_seconds() == 0
    assert get_remaining_seconds() is None
    with limit_time(-1):
        assert get_remaining_seconds() == 0


def test_a_stream_that_always_has_something_ends_with_the_time(watch: Watch) -> None:
    ended = asyncio.Event()

    async def drip() -> AsyncIterator[str]:
        try:
            while True:
                yield "word "
                await asyncio.sleep(0)
        finally:
            ended.set()

    heard = list[str]()

    def read() -> None:
        for word in iterate(drip()):
            watch.now += 1
            heard.append(word)

    with limit_time(5), pytest.raises(TimeoutError):
        read()
    assert len(heard) == 5
    wait_for(ended.wait)


def test_what_never_answers_ends_with_the_time() -> None:
    closed = asyncio.Event()

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            closed.set()

    with limit_time(0.01), pytest.raises(TimeoutError):
        wait_for(hang)
    wait_for(closed.wait)


def test_nothing_is_begun_without_time(watch: Watch) -> None:
    with limit_time(0), pytest.raises(TimeoutError):
        wait_for(lambda: asyncio.sleep(60))
