"""Waiting for a network in a way that can be stopped.

A read that one thread has begun cannot be ended by another. So everything is read in one event loop, in a separate
thread, where a task can be cancelled at any point: while it connects, before the first byte or after it, in the pause
before a retry. That closes the connection, and the waiting code is woken at once: by the end of a run of the server, by
Ctrl-C, or when the turn has had its time.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, aclosing, suppress
from functools import cache
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ana.deadline import get_remaining_seconds
from ana.stopping import check_stopped, when_stopped

if TYPE_CHECKING:
    from openai import DefaultAsyncHttpxClient

T = TypeVar("T")
_starting = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []


def iterate(stream: AsyncIterator[T]) -> Iterator[T]:
    """Yield the items of a stream, and close it as soon as reading stops.

    Raises:
        TurnStopped: The present run was stopped.
        TimeoutError: The time of the present turn is over, even if data still arrives.
    """
    arrived: SimpleQueue[Any] = SimpleQueue()

    async def read() -> None:
        async with aclosing(cast("AsyncGenerator[T]", stream)) as parts:
            async for part in parts:
                arrived.put(part)

    check_stopped()
    reading = asyncio.run_coroutine_threadsafe(read(), _find_loop())
    try:
        reading.add_done_callback(arrived.put)  # as the last part
        with when_stopped(reading.cancel):
            while (part := _take(arrived)) is not reading:
                yield part
    finally:
        reading.cancel()
    check_stopped()
    reading.result()


def _take(arrived: SimpleQueue[Any]) -> Any:
    rest = get_remaining_seconds()
    with suppress(Empty):
        if rest != 0:  # else not even what is there already: a stream that drips always has something
            return arrived.get(timeout=rest)
    raise TimeoutError("the turn has had its time")


def wait_for(ask: Callable[[], Awaitable[T]]) -> T:
    """Wait for the awaitable that `ask` makes, and return its result. Errors as of `iterate`."""

    async def read() -> AsyncIterator[T]:
        yield await ask()

    (answer,) = iterate(read())
    return answer


@cache
def find_client() -> "DefaultAsyncHttpxClient":
    """Return the client of all models and embedders: it keeps connections, which only the loop may close."""
    from openai import DefaultAsyncHttpxClient

    return DefaultAsyncHttpxClient()


class _Helpers(ThreadPoolExecutor):
    """Threads for work that cannot be cancelled, such as looking up a name; the process does not wait for them at its
    end.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        result: Future[Any] = Future()
        result.set_running_or_notify_cancel()

        def hand(_: object, exc: BaseException | None, *__: object) -> bool:
            if exc is not None:
                result.set_exception(exc)
            return True

        def work() -> None:
            with ExitStack() as stack:
                stack.push(hand)
                result.set_result(fn(*args, **kwargs))

        threading.Thread(target=work, daemon=True).start()
        return result


def _find_loop() -> asyncio.AbstractEventLoop:
    with _starting:
        if not _loops:
            loop = asyncio.new_event_loop()
            loop.set_default_executor(_Helpers())
            threading.Thread(target=loop.run_forever, name="network", daemon=True).start()
            _loops.append(loop)
        return _loops[0]
