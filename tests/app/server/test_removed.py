"""Somebody who gets the name of a person who was removed, while the server runs, gets nothing else of theirs."""

import asyncio
import uuid
from typing import Any

import pytest

from ana.errors import PersonRemoved
from ana.memory.memory import Memory
from ana.people import People
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.server.workspaces import Workspaces
from tests.app.server.conftest import Running


def say(text: str, **options: Any) -> dict[str, Any]:
    said = {"messages": [{"role": "user", "content": text}]}
    return {"assistant_id": "ana", "input": said, "if_not_exists": "create", **options}


def test_a_name_that_is_given_again_is_somebody_else(running: Running) -> None:
    old, new = str(uuid.uuid4()), str(uuid.uuid4())
    people = People(load_settings())
    with running.client("bob") as bob:
        bob.post(f"/threads/{old}/runs", json=say("note: the diary", after_seconds=80_000)).raise_for_status()
        assert "the diary" in bob.get(f"/app/chat/{old}").text
    people.remove("bob")
    running.tokens["bob"] = people.add("bob")
    with running.client("bob") as bob:
        assert "the diary" not in bob.get(f"/app/chat/{old}").text
        bob.post(f"/threads/{new}/runs/wait", json=say("note: hello")).raise_for_status()
        assert bob.get(f"/threads/{new}/runs").json()
    assert {*open_workspace(load_settings(), "bob").open_thread_store().marks()} == {new}


def test_a_request_that_was_let_in_before_its_person_was_removed_leaves_nothing_behind(running: Running) -> None:
    async def open_late() -> None:
        workspaces = Workspaces(load_settings)
        with pytest.raises(PersonRemoved):
            await workspaces.open("bob")
        await workspaces.close_all()

    with running.client("bob") as bob:
        bob.get("/app/today").raise_for_status()
    People(load_settings()).remove("bob")
    asyncio.run(open_late())
    assert "bob" not in open_workspace(load_settings()).list_people()


def test_a_workspace_is_closed_once_no_request_works_with_it(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.workspaces.LEAVING_SECONDS", 0.0)
    ends: list[str] = []
    close = Memory.close

    def note_end(memory: Memory) -> None:
        ends.append("the workspace")
        close(memory)

    monkeypatch.setattr(Memory, "close", note_end)

    async def close_under_a_request() -> None:
        workspaces = Workspaces(load_settings)
        async with workspaces.hold("dora") as opened:
            await workspaces.close("dora")
            await asyncio.sleep(0.2)
            ends.append("the request")
            assert await asyncio.to_thread(lambda: [*opened.handles.memory.items()]) == []
        while workspaces._closing:
            await asyncio.sleep(0.01)

    running.tokens["dora"] = People(load_settings()).add("dora")
    asyncio.run(asyncio.wait_for(close_under_a_request(), 60))
    assert ends == ["the request", "the workspace"]
