"""Whoever waits for a notice is not left waiting when the connection is lost on which it would come."""

import asyncio

import pytest

from ana.runs.notices import Notices
from tests.postgres.server import open_people, server, sever
from tests.runs.test_runs_conform import hearing

NAME = "notices"


def test_whoever_waits_is_woken_when_notices_are_heard_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ana.runs.notices.SAFE_SECONDS", 600.0)

    async def check() -> None:
        notices, rows = Notices(f"{server()} application_name={NAME}"), open_people()("ann")
        async with hearing(notices, rows):
            with notices.watch("two") as waiting:
                sever(NAME)
                await notices.wait(waiting)

    asyncio.run(asyncio.wait_for(check(), 60))
