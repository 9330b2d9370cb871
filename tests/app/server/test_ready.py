"""Whether the server answers, and whether it can do its work."""

import asyncio
import threading
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from ana.errors import StoreBroken
from ana.postgres.database import open_database
from ana.settings import load_settings
from ana.workspace import open_workspace
from ana.workspace.place import check_place
from app.server import ready
from app.server.ready import Readiness
from tests.app.server.conftest import Running
from tests.conftest import folders
from tests.postgres.server import new_database, server


@pytest.mark.parametrize("home", ["folder"], indirect=True)
def test_a_folder_that_cannot_be_written_is_told_to_everybody_and_the_process_answers_all_the_same(
    running: Running, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "SECONDS", 0.0)
    with httpx.Client(base_url=running.url) as nobody:
        asked = nobody.get("/ready")
        assert (asked.status_code, asked.json()) == (200, {"ready": True})
        (home / "data").rename(home / "elsewhere")
        asked = nobody.get("/ready")
        why = "The data folder cannot be written: No such file or directory."
        assert (asked.status_code, asked.json()) == (503, {"ready": False, "why": why})
        assert nobody.get("/ok").json() == {"ok": True}
        (home / "elsewhere").rename(home / "data")
        assert nobody.get("/ready").json() == {"ready": True}
    assert not [path for path in (home / "data").iterdir() if path.name.startswith("tmp")]


def test_a_database_that_takes_no_connections_is_told_without_its_address(tmp_path: Path) -> None:
    with new_database() as url, psycopg.connect(server(), autocommit=True) as owner:
        name = conninfo_to_dict(url)["dbname"]
        workspace = open_workspace(load_settings(folders(tmp_path, ANA_DATABASE_URL=url)))
        check_place(workspace)
        owner.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        owner.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s", [name])
        with pytest.raises(StoreBroken) as told:
            check_place(workspace)
        assert told.value.sentence() == "The database cannot be used; the log tells why."
        open_database(url).close()


def test_many_who_ask_are_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready, "SECONDS", 1e9)
    gate, looks = threading.Event(), []

    def look() -> None:
        looks.append(1)
        gate.wait()
        raise StoreBroken("The disk is full.", "Ask anna.")

    async def ask() -> list[str]:
        readiness = Readiness(look)
        asked = [asyncio.create_task(readiness.find_fault()) for _ in range(20)]
        while not looks:
            await asyncio.sleep(0)
        gate.set()
        return [*await asyncio.gather(*asked), await readiness.find_fault()]

    assert asyncio.run(ask()) == ["The disk is full."] * 21
    assert len(looks) == 1
