"""Whoever makes more calls than there are threads holds up nobody else."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

from app.mcp.server import McpServer
from app.mcp.sessions import Sessions

MANY = 45
"""More than the threads that all requests share: anyio has 40."""


def test_many_slow_calls_of_one_person_do_not_hold_up_another() -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    class Kept(Sessions):
        def find(self, client: str) -> Any:
            return SimpleNamespace(settle=lambda _: None, count=0)

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
