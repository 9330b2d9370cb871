"""What first views would wait for is done beside nobody's request, and not after a workspace is closed."""

import asyncio
from pathlib import Path

import pytest

from ana.handles import DataHandles
from ana.settings import load_settings
from app.server.preparing import preparing
from app.server.workspaces import Workspaces


def test_a_search_is_prepared_after_the_first_request_and_beside_none(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.server.workspaces.LEAVING_SECONDS", 0.5)
    prepared: list[DataHandles] = []
    monkeypatch.setattr(DataHandles, "prepare_search", lambda handles: prepared.append(handles))

    async def play() -> None:
        workspaces = Workspaces(load_settings)
        opened = await workspaces.open("owner")
        with opened.hold():
            await workspaces.enter("owner", preparing(opened))
            await workspaces.close("owner")  # waits for what has begun
        assert not prepared
        opened = await workspaces.open("owner")
        await workspaces.enter("owner", preparing(opened))
        with opened.hold():
            pass
        while not prepared:
            await asyncio.sleep(0.01)
        await workspaces.close_all()
        assert prepared == [opened.handles]

    asyncio.run(asyncio.wait_for(play(), 60))
