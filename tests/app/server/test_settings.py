"""Settings of a person that change while the server runs."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ana import settings as settings_module
from ana.backends.chroma.care.format import MoveNote, write_move
from ana.settings import OthersSettings, load_settings
from ana.workspace import open_workspace
from tests.app.server.conftest import Running
from tests.openai_stub import Said, openai_stub

ASK = {"question": "what time is it?"}


def name_zone(request: dict[str, Any]) -> Said:
    """A model that answers with the zone that it is told."""
    zone = re.search(r"Asia/\w+", str(request["messages"]))
    return Said(zone[0] if zone else "another zone")


@pytest.fixture(autouse=True)
def model(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with openai_stub(name_zone) as stub:
        for name, value in stub.env.items():
            monkeypatch.setenv(name, value)
        yield


def test_a_change_of_a_persons_settings_counts_from_their_next_request_on(running: Running) -> None:
    storage = open_workspace(load_settings(), "ann").storage
    with running.client("ann") as ann:
        assert "Asia/Tokyo" not in ann.post("/ask", json=ASK).json()["answer"]
        for zone in ("Asia/Tokyo", "Asia/Seoul"):
            storage.write_settings(OthersSettings.model_validate({"ana_timezone": zone}))
            assert zone in ann.post("/ask", json=ASK).json()["answer"]
        storage.write_settings(OthersSettings.model_validate({}))
        assert "Asia/Seoul" not in ann.post("/ask", json=ASK).json()["answer"]


def test_a_change_of_env_counts_from_the_next_request_on(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = replace(settings_module.find_places(), env_file=tmp_path / ".env")
    monkeypatch.setattr(settings_module, "find_places", lambda: places)
    monkeypatch.delenv("ANA_TIMEZONE")
    for zone in ("Asia/Tokyo", "Asia/Seoul"):
        places.env_file.write_text(f"ANA_TIMEZONE={zone}\n")
        with running.client() as owner:
            assert zone in owner.post("/ask", json=ASK).json()["answer"]


@pytest.mark.parametrize("home", ["folder"], indirect=True)
def test_a_damaged_file_of_settings_stops_its_person_alone(running: Running) -> None:
    file = open_workspace(load_settings(), "ann").folder / "settings.json"
    with running.client("ann") as ann, running.client("bob") as bob:
        file.write_text("{")
        refused = ann.post("/ask", json=ASK)
        assert (refused.status_code, "settings.json cannot be read" in refused.text) == (503, True)
        assert bob.post("/ask", json=ASK).status_code == 200
        file.unlink()
        assert ann.post("/ask", json=ASK).status_code == 200


def test_what_works_for_a_person_is_not_stopped_by_a_change_of_their_settings(running: Running) -> None:
    run = {"assistant_id": "ana", "input": {"messages": [{"role": "user", "content": "what time is it?"}]}}
    with running.client("ann") as ann:
        thread = ann.post("/threads", json={}).json()["thread_id"]
        later = ann.post(f"/threads/{thread}/runs", json=run | {"after_seconds": 600}).json()["run_id"]
        open_workspace(load_settings(), "ann").storage.write_settings(
            OthersSettings.model_validate({"ana_timezone": "Asia/Tokyo"})
        )
        # what waits in a database keeps nothing open in this process
        is_open = load_settings().ana_database_url is None
        assert ("Asia/Tokyo" in ann.post("/ask", json=ASK).json()["answer"]) != is_open
        assert ann.get(f"/threads/{thread}/runs/{later}").json()["status"] == "pending"
        ann.post(f"/threads/{thread}/runs/{later}/cancel?wait=1").raise_for_status()
        assert "Asia/Tokyo" in ann.post("/ask", json=ASK).json()["answer"]


def test_a_server_whose_settings_name_another_place_meanwhile_begins_nothing_there(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = {name: os.environ[name] for name in ("ANA_DATABASE_URL", "ANA_DATA_DIR")}
    with running.client("ann") as ann:
        for name, value in {"ANA_DATABASE_URL": "", "ANA_DATA_DIR": str(tmp_path / "another")}.items():
            monkeypatch.setenv(name, value)
        refused = ann.post("/ask", json=ASK)
        assert (refused.status_code, "is not what it was" in refused.text) == (503, True)
        for name, value in place.items():
            monkeypatch.setenv(name, value)
        assert ann.post("/ask", json=ASK).status_code == 200
    assert not (tmp_path / "another").exists()


@pytest.mark.parametrize("home", ["folder"], indirect=True)
def test_a_server_keeps_nothing_in_a_folder_that_was_moved_into_a_database_meanwhile(running: Running) -> None:
    run = {"assistant_id": "ana", "input": {"messages": [{"role": "user", "content": "what time is it?"}]}}
    with running.client("ann") as ann:
        assert ann.post("/runs/wait", json=run).status_code == 200
        write_move(
            open_workspace(load_settings(), "ann").folder, MoveNote("moved", "database", "2026-11-28", done=True)
        )
        refused = ann.post("/runs/wait", json=run)
        assert (refused.status_code, "was moved to a database" in refused.text) == (503, True)
