"""Request bodies that are read before the application behind reads them."""

import asyncio

from starlette.types import Message, Receive


async def read_body(receive: Receive, seconds: float | None = None) -> list[Message]:
    """Return the messages up to the end of the body.

    Args:
        receive: Where they come from.
        seconds: How long they may take.

    Raises:
        TimeoutError: They did not arrive in time.
    """
    messages: list[Message] = []
    async with asyncio.timeout(seconds):
        while not messages or messages[-1].get("more_body"):
            messages.append(await receive())
    return messages


def join_body(messages: list[Message]) -> bytes:
    """Return the body that these messages bring."""
    return b"".join(message.get("body", b"") for message in messages)


def replay(messages: list[Message], receive: Receive) -> Receive:
    """Return a `receive` that gives these messages first."""
    left = iter(messages)

    async def receive_next() -> Message:
        return next(left, None) or await receive()

    return receive_next
