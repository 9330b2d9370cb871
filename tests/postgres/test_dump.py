"""A backup of the database with PostgreSQL's own programs: what comes back is what was there."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from ana.handles import open_data, open_handles
from ana.people import People
from ana.postgres.database import open_database
from ana.settings import load_settings
from ana.transfer.exporter import export_lines
from ana.workspace import Workspace, open_workspace
from app.turn import open_assistant
from tests.conftest import THREAD, folders
from tests.postgres.server import new_database, run_program, server

NAMES = ("owner", "anna")


def open_people(folder: Path, url: str) -> dict[str, Workspace]:
    settings = load_settings(folders(folder, LLM_PROVIDER="offline", ANA_DATABASE_URL=url))
    return {name: open_workspace(settings, name) for name in NAMES}


def read_all(workspace: Workspace) -> tuple[bytes, str, list[str]]:
    """Everything of a person: their export, the records of their turns, their conversations."""
    with open_data(workspace, "test") as handles:
        exported = b"".join(export_lines(handles.memory.backend))
    return exported, workspace.open_traces().read_text(THREAD), workspace.open_thread_store().ids()


@pytest.fixture
def restored() -> Iterator[str]:
    """The name of a new, empty database of the superuser's."""
    name = f"restored_{secrets.token_hex(4)}"
    with psycopg.connect(server(), autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name}".encode())
        yield name
        owner.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_a_dump_that_is_restored_holds_every_byte_of_everybody(tmp_path: Path, restored: str) -> None:
    with new_database() as url:
        name, role = conninfo_to_dict(url)["dbname"], conninfo_to_dict(url)["user"]
        people = open_people(tmp_path, url)
        token = People(people["owner"].settings).add("anna")
        for person, workspace in people.items():
            with open_assistant(open_handles(workspace)) as assistant:
                assistant.ask(f"note: {person} keeps the key in the blue tin, \U0001f511", THREAD)
                assistant.ask("dentist on 3 March 2031 at 9:30", THREAD)
        before = {person: read_all(workspace) for person, workspace in people.items()}
        open_database(url).close()
        dump = str(tmp_path / "ana.dump")
        refused = run_program("pg_dump", "-Fc", "-d", url, "-f", dump)
        assert "row-level security" in refused.stderr, "ana's own role sees nobody's rows"
        done = run_program("pg_dump", "-Fc", "-d", f"{server()} dbname={name}", "-f", dump)
        assert done.returncode == 0, done.stderr
    done = run_program("pg_restore", "--exit-on-error", "-d", f"{server()} dbname={restored}", dump)
    assert done.returncode == 0, done.stderr
    there = f"{server()} dbname={restored} user={role}"
    people = open_people(tmp_path, there)
    assert {person: read_all(workspace) for person, workspace in people.items()} == before
    assert all(b"blue tin" in exported and len(threads) == 1 for exported, _, threads in before.values())
    assert People(people["owner"].settings).find(token) == "anna"
    open_database(there).close()
