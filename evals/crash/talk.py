"""Somebody who talks to servers that are killed: messages through four doors, and what became of each.

A client that loses its connection goes on at the other server, from what it heard last.
"""

import asyncio
import itertools
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx

from evals.load.model import FAILURE, SUCCESS
from evals.load.server import Server

DOORS = ("begin", "stream", "wait", "ask")
MOST_OPEN = 6
"""How many messages of one person are on their way at a time."""

_AGAIN_SECONDS = 0.1
_MODES = ["values", "updates", "messages-tuple"]


@dataclass
class Message:
    """A message, and what became of it; the moments are those of the monotonic clock.

    Args:
        text: What it says, which no other says.
        thread: Where.
        door: Through which door.
        id: Of the message, and of its run.
        sent: When it was sent.
        begun: When it was acknowledged that its run had begun.
        ended: When it was told that it had ended.
        status: How; empty while that was not told.
    """

    text: str
    thread: str
    door: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    sent: float = field(default_factory=time.monotonic)
    begun: float | None = None
    ended: float | None = None
    status: str = ""

    @property
    def path(self) -> str:
        return f"/threads/{self.thread}/runs/{self.id}"


class Person:
    """Somebody who talks.

    Args:
        name: Who.
        token: Theirs.
        servers: Where they talk; the list changes when one is killed.
        patience: Seconds until they give a request up.
    """

    def __init__(self, name: str, token: str, servers: Sequence[Server], patience: float = 90) -> None:
        self.name, self.messages, self.faults = name, list[Message](), list[str]()
        self.every = set[str]()
        """All that was ever said."""
        self.lost = self.streaming = 0
        """How many connections were lost; how many streams are open."""
        self._servers, self._turns = servers, itertools.count()
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        headers = {"authorization": f"Bearer {token}"}
        self.client = httpx.AsyncClient(headers=headers, timeout=patience, limits=limits)

    async def talk(self, rng: Random, stop: asyncio.Event, what: str = "") -> None:
        """Send messages to two new threads until it is to stop, and return when each has ended or was lost."""
        threads = [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(2)]
        open_ = set[asyncio.Task[None]]()
        for number in itertools.count():
            while len(open_) >= MOST_OPEN:
                _, open_ = await asyncio.wait(open_, return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                break
            text = f"{self.name} put {what}number {number} into drawer {threads[0][:8]}"
            message = Message(text, rng.choice(threads), rng.choice(DOORS))
            open_.add(asyncio.create_task(self.send(message)))
            await asyncio.sleep(rng.uniform(0, 1))
        await asyncio.gather(*open_)

    async def send(self, message: Message) -> None:
        """Send a message through its door, and follow it to its end, if it was begun."""
        self.messages.append(message)
        self.every.add(message.text)
        await getattr(self, message.door)(message)

    async def begin(self, message: Message) -> None:
        reply = await self._try("POST", f"/threads/{message.thread}/runs", json=_order(message))
        if reply is not None and self._is_begun(message, reply):
            await self._join(message)

    async def wait(self, message: Message) -> None:
        reply = await self._try("POST", f"/threads/{message.thread}/runs/wait", message, json=_order(message))
        if message.begun and reply is None:
            await self._join(message)
        elif message.begun:
            await self._end(message)

    async def stream(self, message: Message) -> None:
        positions = list[int]()
        path = f"/threads/{message.thread}/runs/stream"
        is_over = await self._read(message, positions, "POST", path, json=_order(message) | {"stream_mode": _MODES})
        while message.begun and not is_over:
            await asyncio.sleep(_AGAIN_SECONDS)
            headers = {"last-event-id": str(positions[-1] if positions else 0)}
            is_over = await self._read(message, positions, "GET", f"{message.path}/stream", headers=headers)
        if message.begun:
            if not positions or positions != [*range(1, len(positions) + 1)]:
                self.faults.append(f"a stream had the positions {positions}: {message.text}")
            await self._end(message)

    async def ask(self, message: Message) -> None:
        body = {"question": message.text, "thread_id": message.thread}
        reply = await self._try("POST", "/ask", json=body)
        if reply is not None and reply.status_code == 200:
            message.ended, message.status = time.monotonic(), "success"
            if not {SUCCESS, FAILURE} & {*reply.json()["answer"].split("\n")}:
                self.faults.append(f"an answer is {reply.text[:200]}: {message.text}")
        elif reply is not None and reply.status_code not in (409, 502, 503):
            self.faults.append(f"{reply.status_code} {reply.text[:200]}: {message.text}")

    async def get(self, path: str) -> Any:
        """Ask any server until one answers."""
        while True:
            reply = await self._try("GET", path)
            if reply is not None and reply.status_code < 500:
                return reply
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _join(self, message: Message) -> None:
        await self.get(f"{message.path}/join")
        await self._end(message)

    async def _end(self, message: Message) -> None:
        """Note how a run ended of which it was told that it has."""
        reply = await self.get(message.path)
        message.status = reply.json()["status"] if reply.status_code == 200 else f"{reply.status_code}"
        message.ended = time.monotonic()
        if message.status not in ("success", "error"):
            self.faults.append(f"it was told that a run has ended, and it is {message.status}: {message.text}")

    async def _try(self, method: str, path: str, message: Message | None = None, **more: Any) -> httpx.Response | None:
        """Return an answer; None if the connection was lost. The answer's beginning acknowledges a message's run."""
        try:
            async with self.client.stream(method, self._find_url() + path, **more) as reply:
                if message:
                    self._is_begun(message, reply)
                await reply.aread()
                return reply
        except httpx.HTTPError:
            self.lost += 1
            return None

    async def _read(self, message: Message, positions: list[int], method: str, path: str, **more: Any) -> bool:
        """Add the positions of what is streamed, and return whether that came to its end."""
        id = None
        self.streaming += 1
        try:
            async with self.client.stream(method, self._find_url() + path, **more) as response:
                if not self._is_begun(message, response):
                    return False
                async for line in response.aiter_lines():
                    if line.startswith("id:"):
                        id = int(line[3:])
                    elif not line and id is not None:  # an event is there when its last line is
                        positions.append(id)
                        id = None
        except httpx.HTTPError:
            self.lost += 1
            return False
        finally:
            self.streaming -= 1
        return True

    def _is_begun(self, message: Message, reply: httpx.Response) -> bool:
        """Return whether a server says that a run was begun, or knows it."""
        if reply.status_code == 200:
            message.begun = message.begun or time.monotonic()
        elif reply.status_code < 500:
            self.faults.append(f"{reply.status_code} of a run: {message.text}")
        return reply.status_code == 200

    def _find_url(self) -> str:
        return self._servers[next(self._turns) % len(self._servers)].url


def _order(message: Message) -> dict[str, Any]:
    inputs = {"messages": [{"role": "user", "content": message.text, "id": message.id}]}
    return {"assistant_id": "ana", "input": inputs, "if_not_exists": "create"}
