"""Request bodies that are read before the application behind reads them, or that nobody wants."""

import asyncio
from contextlib import suppress

from starlette.types import Message, Receive


async def read_body(receive: Receive, seconds: float | None = None) -> tuple[bytes, Receive]:
    """Return the body, and a `receive` that gives it again.

    Args:
        receive: Where it comes from.
        seconds: How long it may take.

    Raises:
        TimeoutError: It did not arrive in time.
    """
    messages: list[Message] = []
    async with asyncio.timeout(seconds):
        while not messages or messages[-1].get("more_body"):
            messages.append(await receive())
    return b"".join(message.get("body", b"") for message in messages), put_back(messages, receive)


async def drop_body(receive: Receive, seconds: float) -> None:
    """Read a body that nobody wants, as far as it arrives in time: a connection that is closed before would be reset,
    and most clients then never see the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (await receive()).get("more_body"):
                pass


def put_back(messages: list[Message], receive: Receive) -> Receive:
    """Return a `receive` that gives these messages first."""
    left = iter(messages)

    async def receive_next() -> Message:
        return next(left, None) or await receive()

    return receive_next
