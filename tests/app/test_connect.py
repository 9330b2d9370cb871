"""`ana connect` writes what another assistant needs into its settings, keeps the rest, and sees that it starts."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ana.errors import UserError
from app.connecting import CLIENTS, make_entry, read_entry, show_entry, try_start, write_entry
from tests.conftest import folders


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("APPDATA", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


@pytest.mark.parametrize("name", CLIENTS)
def test_each_client_gets_it_where_it_keeps_its_servers(settings: Path, name: str) -> None:
    client = CLIENTS[name]
    entry = make_entry(client, " --user ann", "/data")
    assert read_entry(client) is None
    path = write_entry(client, entry)
    assert path.is_relative_to(settings)
    assert read_entry(client) == entry
    assert entry["args"][-3:] == ["mcp", "--user", "ann"]
    assert entry["env"]["ANA_DATA_DIR"] == "/data"
    assert path.stat().st_mode & 0o077 == 0
    read = tomllib.loads if path.suffix == ".toml" else json.loads
    assert read(show_entry(client, entry)) == {client.key: {"ana": entry}}


def test_what_stood_there_is_kept(settings: Path) -> None:
    claude, codex = CLIENTS["claude"], CLIENTS["codex"]
    before: dict[str, Any] = {"numStartups": 41, "mcpServers": {"other": {"command": "x"}}, "größe": [1, 2]}
    claude.find().write_text(json.dumps(before))
    os.chmod(claude.find(), 0o640)
    write_entry(claude, make_entry(claude))
    after = json.loads(claude.find().read_text(encoding="utf-8"))
    assert after.pop("mcpServers") == before["mcpServers"] | {"ana": make_entry(claude)}
    assert after == {key: value for key, value in before.items() if key != "mcpServers"}
    assert claude.find().stat().st_mode & 0o777 == 0o640
    codex.find().parent.mkdir()
    text = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n'
    codex.find().write_text(text)
    write_entry(codex, make_entry(codex))
    assert codex.find().read_text().startswith(text)
    assert tomllib.loads(codex.find().read_text())["mcp_servers"].keys() == {"other", "ana"}


def test_a_link_in_place_of_the_file_stays_one(settings: Path) -> None:
    cursor, kept = CLIENTS["cursor"], settings / "dotfiles.json"
    kept.write_text("{}")
    (settings / ".cursor").mkdir()
    (settings / ".cursor" / "mcp.json").symlink_to(kept)
    write_entry(cursor, make_entry(cursor))
    assert (settings / ".cursor" / "mcp.json").is_symlink()
    assert "ana" in json.loads(kept.read_text())["mcpServers"]


@pytest.mark.parametrize("text", ["{// mine\n}", "[1]", '{"mcpServers": []}', "\xff"])
def test_settings_that_cannot_be_read_are_left_alone(settings: Path, text: str) -> None:
    path = CLIENTS["cursor"].find()
    path.parent.mkdir()
    path.write_text(text, encoding="latin-1")
    with pytest.raises(UserError, match=r"mcp\.json"):
        write_entry(CLIENTS["cursor"], make_entry(CLIENTS["cursor"]))
    assert path.read_text(encoding="latin-1") == text


@pytest.mark.parametrize("text", ['[mcp_servers.ana]\ncommand = "z"\n', "mcp_servers = {}\n"])
def test_codex_is_left_alone_where_a_table_more_would_change_something(settings: Path, text: str) -> None:
    codex = CLIENTS["codex"]
    codex.find().parent.mkdir()
    codex.find().write_text(text)
    with pytest.raises(UserError, match="cannot be added to"):
        write_entry(codex, make_entry(codex))
    assert codex.find().read_text() == text


def test_what_is_written_starts_and_answers(tmp_path: Path) -> None:
    entry = make_entry(CLIENTS["claude"])
    entry["env"] = entry.get("env", {}) | folders(tmp_path)
    assert try_start(entry) == ""


def test_what_does_not_start_is_told(tmp_path: Path) -> None:
    assert "No such file" in try_start({"command": "/nowhere/ana", "args": ["mcp"]})
    assert try_start({"command": "true", "args": []}) == "it said nothing"
