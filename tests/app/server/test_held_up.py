"""Whoever sends more than the server answers at once holds up nobody else."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ana.settings import load_settings
from ana.workspace import open_workspace
from app.page import shell
from tests.app.server.conftest import Running

MANY = 45
"""More than the threads that all requests share: anyio has 40."""


def test_many_requests_to_a_conversation_in_which_another_door_works_hold_up_nobody_else(running: Running) -> None:
    body = {"question": "what time is it?", "thread_id": "home"}
    with running.client("ann") as ann, running.client("bob") as bob, ThreadPoolExecutor(MANY) as pool:
        thread = ann.post("/ask", json=body).json()["thread_id"]
        lock = open_workspace(load_settings(), "ann").open_locks().lock(thread, "somebody")
        lock.acquire()
        try:
            opened = asyncio.run(running.app.state.workspaces.open("ann"))  # in this loop, as long as no other opens it
            waiting = [pool.submit(ann.post, "/ask", json=body) for _ in range(MANY)]
            while opened.requests < MANY:
                time.sleep(0.01)
            assert bob.post("/ask", json=body).status_code == 200
            assert not any(each.done() for each in waiting)
        finally:
            lock.release()
        assert {each.result().status_code for each in waiting} == {200}


@pytest.mark.parametrize("home", ["folder"], indirect=True)
@pytest.mark.parametrize("slow", ["the store", "drawing"])
def test_slow_pages_of_one_person_hold_up_nobody_else(
    running: Running, slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, waiting = threading.Event(), threading.Semaphore(0)

    def wait(*_: object, **__: object) -> str | dict[str, object]:
        waiting.release()
        gate.wait()
        return "" if slow == "drawing" else {}

    opened = asyncio.run(running.app.state.workspaces.open("ann"))
    if slow == "drawing":
        monkeypatch.setattr(shell, "draw", wait)
    else:
        monkeypatch.setattr(opened.handles.memory.vocabulary, "names", wait)
    with running.client("ann") as ann, running.client("bob") as bob, ThreadPoolExecutor(MANY) as pool:
        pages = [pool.submit(ann.get, "/app/items") for _ in range(MANY)]
        try:
            waiting.acquire()
            while slow == "the store" and opened.requests < MANY:
                time.sleep(0.01)
            assert bob.post("/threads/count", json={}).status_code == 200
            assert not any(each.done() for each in pages)
        finally:
            gate.set()
            monkeypatch.undo()
        assert all(each.result() for each in pages)
