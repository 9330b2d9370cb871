"""kill -9 of a move, wherever it is: one side at most is used, it has everything, and the next move goes on."""

import itertools
import os
import random
import signal
from pathlib import Path
from typing import Any

import pytest

from ana.backends.chroma.care.format import read_move
from ana.workspace import Workspace
from evals.postgres import WORKER
from tests.forks import fork
from tests.moving.people import in_database, new_person_with_everything, tell
from tests.postgres.server import database, server

MOVE = """
    import os, signal, sys
    from ana.moving.move import Move
    from ana.postgres.database import Database
    from ana.settings import load_settings
    from ana.workspace import open_workspace
    from tests.conftest import folders
    from pathlib import Path

    folder, person, url, to, begun, left = sys.argv[1:]
    state = {"left": int(left), "counts": begun == "start"}

    def count(frame, event, _):
        code = frame.f_code
        if event != "call" or "/ana/" not in code.co_filename:
            return
        if code.co_name == "write_move" and frame.f_locals["note"]:
            state["counts"] = True
        places = "moving", "archive", "/postgres/", "format", "files", "exchange"
        if state["counts"] and any(place in code.co_filename for place in places):
            state["left"] -= 1
            if state["left"] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    workspace = open_workspace(load_settings(folders(Path(folder))), person)
    move = Move(workspace, Database(url))
    sys.setprofile(count)
    move.run(to, lambda *_: None)
    sys.setprofile(None)
"""
"""A move that kills itself after so many calls of ours, counted from its start or from where it changes over."""

CALLS = 2000
"""About as many calls as a whole move makes."""


def run_move(folder: Path, person: str, *how: str) -> int:
    with open(os.devnull) as nothing:
        child = fork(
            *("-c", MOVE, str(folder), person, f"{server()} user={WORKER}", *how),
            stdin=nothing.fileno(),
            stdout=2,
            stderr=2,
        )
        return child.wait()


def check(workspace: Workspace, before: dict[str, Any]) -> None:
    """Check that what can be used is whole, and that not both can be."""
    note, query = read_move(workspace.folder), "SELECT 1 FROM people WHERE name = $1 AND away IS NULL AND moved <> ''"
    with database().connect() as connection:
        is_there = connection.execute(query, (workspace.person,)).fetchone() is not None
    assert not (is_there and note is None)
    if note is None:
        assert tell(workspace) == before
    if is_there:
        assert tell(in_database(workspace)) == before


def move_under_kills(folder: Path, kills: int) -> None:
    workspace, chance = new_person_with_everything(folder), random.Random(kills)
    before, killed = tell(workspace), 0
    for to in ("database", "folder", "database"):
        early = [("start", str(chance.randrange(CALLS))) for _ in range(kills)]
        late = [("change", str(n * 110 // kills)) for n in range(kills)]
        for begun, left in itertools.chain(early, late):
            code = run_move(folder, workspace.person, to, begun, left)
            assert code in (0, -signal.SIGKILL)
            check(workspace, before)
            killed += code != 0
            if code == 0:  # it was quicker
                break
        else:
            assert run_move(folder, workspace.person, to, "start", "1000000") == 0
        assert tell(in_database(workspace) if to == "database" else workspace) == before
        check(workspace, before)
    print(f"{killed} moves were killed")
    assert killed > kills


def test_a_killed_move_goes_on(tmp_path: Path) -> None:
    move_under_kills(tmp_path, kills=1)


@pytest.mark.long
def test_many_killed_moves_go_on(tmp_path: Path) -> None:
    move_under_kills(tmp_path, kills=60)
