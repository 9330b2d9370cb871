"""A disk that takes nothing more: every door says so in a sentence, and nobody else than the owner learns of a path."""

import errno
import os

import pytest

from ana.settings import load_settings
from ana.workspace import open_workspace
from tests.app.server.conftest import Running

RUN = {"assistant_id": "ana", "input": {"messages": [{"role": "user", "content": "note: tea"}]}}


@pytest.mark.parametrize("home", ["folder"], indirect=True)
def test_a_disk_that_takes_nothing_more_is_told_at_every_door(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running.client("ann") as ann:
        ann.post("/ask", json={"question": "note: milk"}).raise_for_status()
        open_file, where = os.open, str(open_workspace(load_settings(), "ann").folder)

        def refuse(path: str, flags: int, *mode: int, **options: int) -> int:
            if str(path).startswith(where) and flags & os.O_CREAT:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            return open_file(path, flags, *mode, **options)

        monkeypatch.setattr(os, "open", refuse)
        told = [
            ann.post("/ask", json={"question": "note: tea"}),
            ann.post("/runs/wait", json=RUN),
            ann.get("/app/items"),
            ann.get("/app/settings"),
        ]
        monkeypatch.undo()
        assert [each.status_code for each in told] == [503, 200, 503, 503]
        for each in told:
            assert "No space left on device" in each.text
            assert where not in each.text
        assert ann.post("/ask", json={"question": "note: tea"}).status_code == 200
