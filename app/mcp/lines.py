"""Standard input of a client, line by line. Unreadable messages are answered here, because the library drops
them and the client would wait forever."""

import json
import os
from collections.abc import AsyncIterator
from typing import IO, Any, Protocol

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic_core import from_json

from ana.text import HINT, find_fault, read_any_json
from app import json_rpc

_NO_MESSAGE = "This is no message of JSON-RPC 2.0."


class Answers(Protocol):
    """The stream of messages to the client."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send one."""


class Lines:
    """The lines that contain a message.

    Args:
        file: The file to read. Bytes that are not UTF-8 are represented as in `ana.text`.
    """

    answers: Answers

    def __init__(self, file: IO[str]) -> None:
        self._file = anyio.wrap_file(file)

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            if not line.strip():
                continue
            if is_message(line):
                yield line
                continue
            refusal = read_refusal(line)
            if isinstance(refusal, str):
                yield refusal
            elif refusal:
                message = types.jsonrpc_message_adapter.validate_python(refusal, by_name=False)
                await self.answers.send(SessionMessage(message))


def take_input() -> IO[str]:
    """Return standard input, and keep everything else in this process and its children from reading it."""
    file = os.fdopen(os.dup(0), encoding="utf-8", errors="surrogateescape")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return file


def is_message(line: str) -> bool:
    """Return whether the library can parse a line as a message."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:  # of pydantic, or the text cannot be encoded
        return False
    # a request whose id is none, such as 1.5, would be taken for a notification
    return not isinstance(message, types.JSONRPCNotification) or "id" not in from_json(line)


def read_refusal(line: str) -> dict[str, Any] | str | None:
    """Return the answer to a line that cannot be read.

    Returns:
        A message to the client; for an unreadable answer, the line that reports the failure to its caller;
        None for a notification, which needs no answer.
    """
    try:
        message: Any = read_any_json(line)
    except ValueError as exc:
        return json_rpc.refuse(None, f"The line is not JSON, or nested too deep: {exc}.")
    fault = find_fault(message)
    refusal = json_rpc.refuse(message, f"{fault} {HINT}" if fault else _NO_MESSAGE)
    if not isinstance(message, dict) or "id" in message:
        is_answer = isinstance(message, dict) and "method" not in message and "result" in message
        return json.dumps(refusal) if is_answer else refusal
    return None
