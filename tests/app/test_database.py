"""The commands on a person's state in a database."""

import json
import os
import socket
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from ana.errors import PersonRemoved
from ana.handles import open_data
from ana.people import People
from ana.postgres.database import open_database
from ana.settings import PROJECT, OthersSettings, load_settings
from ana.workspace import load_workspace, open_workspace
from ana.workspace.personal import list_fixed, save_settings
from app.reminding import make_ringer
from tests.command_line import run
from tests.conftest import live_in
from tests.forks import run_forked
from tests.postgres.server import make_template, new_database


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a deployment whose people are in a database; the environment says so."""
    with new_database(make_template()) as url:
        live_in(tmp_path, monkeypatch, ANA_DATABASE_URL=url)
        yield tmp_path
        open_database(url).close()


def test_what_is_asked_is_kept_found_undone_exported_and_brought_in(own: Path) -> None:
    assert run("ask", "add call the bank tomorrow")[0] == 0
    assert "call the bank" in run("items", "bank")[1]
    assert run("export", str(own / "before.jsonl"))[0] == 0
    assert run("undo")[0] == 0
    assert "call the bank" not in run("items")[1]
    assert "call the bank" in run("trash")[1]
    assert run("history")[1].count("call the bank") == 2
    assert run("import", str(own / "before.jsonl"), "--replace")[0] == 0
    assert "call the bank" in run("items", "bank")[1]
    assert "call the bank" in run("today")[1]
    code, told = run("doctor")
    assert (code, "every record is readable and in agreement with the journal" in told) == (0, True), told
    described = json.loads(run("describe", "--json")[1])
    assert (described["path"], described["collections"][0]["count"]) == ("the database", 1)
    assert "add call the bank tomorrow" in run("threads", "list")[1]
    (record,) = load_workspace().open_traces().read(load_workspace().open_thread_store().ids()[0])
    assert run("replay", record["id"], "--rerun")[0] == 0
    assert not [path for path in (own / "data").rglob("*") if path.is_file()]


def test_what_only_a_folder_can_is_refused_in_a_sentence() -> None:
    code, told = run("doctor", "--repair")
    assert (code, "database" in told, "docs/operating.md" in told) == (1, True, True), told


def test_a_backup_is_written_and_brought_back(own: Path) -> None:
    assert run("ask", "add call the bank tomorrow", "--thread", "home")[0] == 0
    code, told = run("backup", str(own / "all.zip"))
    assert (code, told) == (0, f"1 item, 0 lines, 1 change and 1 turn are in {own / 'all.zip'}.\n")
    assert run("ask", "note: the bins go out on Thursday", "--thread", "home")[0] == 0
    code, told = run("restore", str(own / "all.zip"), "--yes")
    assert (code, "previous state is in the database, as 'owner " in told, "1 item." in told) == (0, True, True), told
    told = run("items")[1]
    assert ("call the bank" in told, "bins" in told) == (True, False)
    assert run("undo")[0] == 0


def test_a_person_is_removed_without_a_trace_and_their_rows_are_put_aside() -> None:
    assert run("users", "add", "anna")[0] == 0
    run("--user", "anna", "ask", "add water the plants")
    key = open_workspace(load_settings(), "anna").get_calendar_key()
    people = People(load_settings())
    assert people.find_by_calendar_key(key) == "anna"
    gone = open_workspace(load_settings(), "anna").storage
    place = gone.stamp().place
    code, told = run("users", "remove", "anna", "--yes")
    assert (code, "is in the database, as 'anna " in told) == (0, True)
    assert (people.names(), people.find_by_calendar_key(key), gone.stamp().place) == (["owner"], None, ())
    run("users", "add", "anna")
    assert "plants" not in run("--user", "anna", "items")[1]
    assert open_workspace(load_settings(), "anna").storage.stamp().place != place


def test_what_was_opened_for_a_removed_person_neither_writes_nor_rings_any_more() -> None:
    people = People(load_settings())
    people.add("anna")
    with open_data(open_workspace(load_settings(), "anna"), "a test") as handles:
        lock = handles.workspace.open_locks().lock("talk", "a test")
        lock.acquire()
        handles.memory.create("hers", {"remind": "2026-01-01T09:00"})
        people.remove("anna")
        people.add("anna")
        for refused in (lambda: handles.memory.create("too"), lock.acquire, make_ringer(handles, []).ring):
            with pytest.raises(PersonRemoved, match="The person was removed"):
                refused()
        lock.release()
    with open_data(open_workspace(load_settings(), "anna"), "a test") as handles:
        assert not [*handles.memory.items()]


def test_the_owner_sets_what_the_environment_leaves_open(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list_fixed(load_workspace()) == {"ana_timezone"}
    before = load_workspace().storage.stamp()
    save_settings(load_workspace(), {"ana_autonomy": "advise", "ana_timezone": "Asia/Tokyo"})
    settings = load_workspace().settings
    assert (settings.ana_autonomy, settings.ana_timezone) == ("advise", "Europe/Berlin")
    assert load_workspace().storage.stamp().settings != before.settings
    monkeypatch.setenv("ANA_AUTONOMY", "act")
    assert load_workspace().settings.ana_autonomy == "act"
    open_workspace(load_settings(), "anna").storage.write_settings(OthersSettings.model_validate({}))
    assert open_workspace(load_settings(), "anna").settings.ana_autonomy == "confirm", "nothing of the owner's"


def test_notes_are_kept_and_age() -> None:
    note = load_workspace().note("shown")
    assert (note.read(), note.age()) == ("", None)
    note.write("this")
    assert (note.read(), (note.age() or 0) >= 0) == ("this", True)
    note.remove()
    assert note.read() == ""


def test_another_embedder_is_refused_until_everything_is_embedded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run("ask", "add call the bank tomorrow")
    monkeypatch.setenv("ANA_EMBEDDINGS", "minilm")
    for command in (["items", "bank"], ["ask", "add water the plants"]):
        code, told = run(*command)
        assert (code, "was embedded with wordllama" in told) == (2, True), told
    assert run("reindex") == (0, "1 records are now embedded with minilm.\n")
    assert "call the bank" in run("items", "financial institution")[1]
    monkeypatch.setenv("ANA_EMBEDDINGS", "auto")
    assert "call the bank" in run("items", "bank")[1], "auto follows what made the vectors"


WITHOUT_DRIVER = """
    import sys

    parts = "psycopg", "ana.postgres", "ana.workspace.postgres"
    for name in [name for name in sys.modules if name.startswith(parts)]:
        del sys.modules[name]
    sys.modules["psycopg"] = None
    from app.cli.main import main

    main()
"""


def test_a_driver_that_is_not_installed_is_a_sentence(own: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = run_forked("-c", textwrap.dedent(WITHOUT_DRIVER), "items", env=env, cwd=own)
    assert (done.returncode, "ANA_DATABASE_URL needs psycopg" in done.stderr) == (2, True), done.stderr
    assert "psycopg[binary]" in done.stderr


def test_a_wrong_address_is_a_sentence_without_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("ANA_DATABASE_URL", f"postgresql://ana:secret@127.0.0.1:{closed.getsockname()[1]}/x")
        code, told = run("items")
    assert (code, "refused" in told.lower(), "secret" in told) == (1, True, False), told
    monkeypatch.setenv("ANA_DATABASE_URL", "postgresql://ana:secret@[/x")
    code, told = run("items")
    assert (code, told.startswith("ANA_DATABASE_URL is wrong"), "secret" in told) == (2, True, False)
