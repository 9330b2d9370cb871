"""`ana move`: a whole household there and back, as the person who runs it sees it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ana.people import People
from ana.postgres.database import open_database
from ana.settings import find_places, load_settings
from ana.workspace import load_workspace
from ana.workspace.personal import save_settings
from tests.command_line import run
from tests.conftest import folders
from tests.postgres.server import new_database


@pytest.fixture(autouse=True)
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an empty database; the environment says that everything is in a folder."""
    for name, value in folders(tmp_path, LLM_PROVIDER="offline").items():
        monkeypatch.setenv(name, value)
    places = replace(find_places(), env_file=tmp_path / ".env")
    monkeypatch.setattr("ana.settings.find_places", lambda: places)
    with new_database() as url:
        yield url
        open_database(url).close()


def test_a_household_goes_there_and_back(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("ask", "add call the bank tomorrow", "--thread", "home")[0] == 0
    token = People(load_settings()).add("anna")
    assert run("ask", "--user", "anna", "add water the plants")[0] == 0
    code, told = run("move", "database", "--yes")
    assert (code, "ANA_DATABASE_URL is not set" in told) == (2, True)
    assert run("export", str(tmp_path / "before.jsonl"))[0] == 0
    monkeypatch.setenv("ANA_DATABASE_URL", url)
    code, told = run("move", "database")
    assert (code, "this is not a terminal" in told) == (1, True)
    code, told = run("move", "database", "--yes")
    assert code == 0, told
    assert "owner: 1 item, 0 lines, 1 change and 1 turn are in the database and match the source" in told
    assert "anna: 1 item" in told
    assert "call the bank" in run("items")[1]
    assert "water the plants" in run("items", "--user", "anna")[1]
    assert People(load_settings()).find(token) == "anna"
    assert run("export", str(tmp_path / "there.jsonl"))[0] == 0
    assert (tmp_path / "there.jsonl").read_bytes() == (tmp_path / "before.jsonl").read_bytes()
    assert "owner: everything is already in the database" in run("move", "database", "--yes")[1]
    monkeypatch.setenv("ANA_DATABASE_URL", "")
    code, told = run("items")
    assert (code, "was moved to a database" in told) == (2, True), told
    monkeypatch.setenv("ANA_DATABASE_URL", url)
    assert run("undo")[0] == 0
    monkeypatch.delenv("ANA_TIMEZONE")
    save_settings(load_workspace(), {"ana_timezone": "Asia/Tokyo"})
    code, told = run("move", "folder", "--user", "anna", "--yes")
    assert (code, "owner" in told) == (0, False), told
    code, told = run("items", "--user", "anna")
    assert (code, "is in a data folder" in told) == (2, True), told
    assert run("items")[0] == 0
    assert run("move", "folder", "--yes")[0] == 0
    assert run("move", "folder") == (0, "There is nothing to move to the folder.\n")
    monkeypatch.setenv("ANA_DATABASE_URL", "")
    assert "call the bank" not in run("items")[1]
    assert "call the bank" in run("trash")[1]
    assert "water the plants" in run("items", "--user", "anna")[1]
    assert "home" in run("threads", "list")[1]
    assert People(load_settings()).find(token) == "anna"
    assert "ANA_TIMEZONE='Asia/Tokyo'" in (tmp_path / ".env").read_text()
