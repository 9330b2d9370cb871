"""Whoever makes many calls holds up nobody else, and waits for the disk once."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from app.mcp.server import McpServer
from app.mcp.sessions import Sessions

MANY = 45
"""More than the threads that all requests share: anyio has 40."""


class Idle:
    """A session in which nothing is done."""

    count = 0

    def settle(self) -> None: ...


def test_many_slow_calls_of_one_person_do_not_hold_up_another() -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    class Kept(Sessions):
        def find(self, client: str) -> Any:
            return Idle()

    people = {name: Kept(lambda: None, lambda: "today") for name in ("ann", "bob")}  # type: ignore[arg-type, return-value]

    def find(context: Any) -> Sessions:
        return people[context.person]

    server = McpServer(find)

    def wait(_: Any) -> str:
        begun.release()
        return "done" if go_on.wait(20) else "held up"

    def context(person: str) -> Any:
        return SimpleNamespace(person=person, session=SimpleNamespace(client_params=None))

    async def call() -> list[str]:
        slow = [asyncio.create_task(server._run(context("ann"), wait)) for _ in range(MANY)]
        await asyncio.to_thread(begun.acquire)
        assert await asyncio.wait_for(server._run(context("bob"), lambda _: "hello"), 10) == "hello"
        assert not any(each.done() for each in slow)
        go_on.set()
        return [*await asyncio.gather(*slow)]

    assert asyncio.run(call()) == ["done"] * MANY


def test_the_calls_of_a_moment_are_settled_once_and_a_later_one_after_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.mcp.server.SETTLING", 0.0)
    settled: list[int] = []
    all_called, all_answered = threading.Barrier(3), threading.Event()

    class Called(Idle):
        def settle(self) -> None:
            assert all_answered.wait(20)
            settled.append(self.count)
            self.count = 4

    class Kept(Sessions):
        def find(self, client: str) -> Any:
            return session

    session, sessions = Called(), Kept(lambda: None, lambda: "today")  # type: ignore[arg-type, return-value]
    server = McpServer(lambda _: sessions)

    def call(_: Any) -> None:
        session.count += 1
        all_called.wait(20)

    async def work() -> None:
        context: Any = SimpleNamespace(session=SimpleNamespace(client_params=None))
        await asyncio.gather(*(server._run(context, call) for _ in range(3)))
        all_answered.set()
        (settling,) = server._settling.values()
        await settling

    asyncio.run(work())
    assert (settled, server._settling) == ([3, 4], {})
