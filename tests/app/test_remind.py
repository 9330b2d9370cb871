"""`ana remind`: delivers once or as long as it runs, tells what failed, tests addresses, installs a timer."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ana.handles import open_data
from ana.memory.memory import Memory
from ana.people import People
from ana.reminders import ledger
from ana.reminders.sending import Message
from ana.time.clock import Clock
from ana.workspace import load_workspace, open_workspace
from app.reminding import list_targets, ring_meanwhile
from app.server.app import build_app
from tests.command_line import run
from tests.conftest import live_in
from tests.forks import start_forked
from tests.reminders.collector import Collector, collecting
from tests.waiting import wait_until


@pytest.fixture
def collector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collecting() as collector:
        live_in(tmp_path, monkeypatch, ANA_NOTIFY=collector.address)
        yield collector


def keep(text: str, person: str = "owner", **ago: float) -> None:
    """Keep an item, made two months ago, that rings so long ago."""
    moment = (datetime.now(UTC) - timedelta(**ago)).isoformat(timespec="seconds")
    before = Clock(UTC, lambda: datetime.now(UTC) - timedelta(days=60))
    with open_data(open_workspace(load_workspace().settings, person), "a test") as handles:
        Memory(handles.memory.backend, before).create(text, {"remind": moment})


def test_once_delivers_what_is_due_and_nothing_older_than_a_day(collector: Collector) -> None:
    keep("call Anna", minutes=1)
    keep("water the plants", days=3)
    assert run("remind", "--once") == (0, "1 reminder delivered, 0 not.\n")
    assert run("remind", "--once") == (0, "")
    keep("feed the cat", hours=20)
    assert run("remind", "--once") == (0, "1 reminder delivered, 0 not.\n")
    assert collector.titles == ["call Anna", "feed the cat"]
    assert "late: this was to ring" in collector.messages[1]["message"]


def test_an_address_that_fails_is_told_by_due_and_doctor_until_it_works(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "FIRST_PAUSE", ledger.LONGEST_PAUSE)
    keep("call Anna", minutes=1)
    assert "Reminders do not arrive" not in run("due")[1]
    collector.status = 500
    assert run("remind", "--once") == (1, "0 reminders delivered, 1 not.\n")
    for command in ("due", "doctor"):
        told = run(command)[1]
        assert re.search(r"Reminders do not arrive by json since 20\d\d-\d\d-\d\d \d\d:\d\d: .*error=500", told)
        assert "a-secret-path" not in told
    assert run("remind", "--once") == (0, ""), "it is left alone for a while"


def test_without_an_address_nothing_can_ring_and_the_next_step_is_told(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANA_NOTIFY")
    code, told = run("remind")
    assert code == 2
    assert told.startswith("ANA_NOTIFY is empty, so there is no address for reminders. Set one: `ana setup`")


def test_a_test_message_is_sent_to_each_address(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("remind", "--test") == (0, "json: sent; check whether it arrived\n")
    monkeypatch.setenv("ANA_NOTIFY", f"nonsense://token {collector.address}")
    code, told = run("remind", "--test")
    assert code == 1
    assert told.splitlines()[0].startswith("nonsense: Apprise does not understand the address")
    assert len(collector.messages) == 2


def test_the_server_delivers_what_comes_due(collector: Collector) -> None:
    keep("call Anna", minutes=1)
    with TestClient(build_app()):
        wait_until(lambda: collector.titles == ["call Anna"])


def test_what_comes_due_while_the_repl_is_open_is_shown_there(collector: Collector) -> None:
    shown: list[str] = []
    keep("call Anna", minutes=-1 / 30)
    with open_data(load_workspace(), "a test") as handles, ring_meanwhile(handles, shown.append):
        wait_until(lambda: shown and collector.titles)
    assert re.fullmatch(r"Reminder: “call Anna” · \w+ \w+ \d+ 20\d\d, \d\d:\d\d · /done, /snooze", shown[0])
    assert collector.titles == ["call Anna"]


def test_others_ring_by_what_the_owner_allows(collector: Collector, tmp_path: Path) -> None:
    settings = load_workspace().settings
    folder = tmp_path / "data" / "people" / "zoe"
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(f'{{"ana_notify": "{collector.address}"}}')
    assert list_targets(open_workspace(settings, "mia")) == []
    (target,) = list_targets(open_workspace(settings, "zoe"))
    assert "ANA_NOTIFY_KINDS" in target.send(Message("a", "b"))
    allowed = settings.model_copy(update={"ana_notify_kinds": ("json",)})
    (target,) = list_targets(open_workspace(allowed, "zoe"))
    assert target.send(Message("a", "b"))
    assert collector.messages == []


@pytest.fixture
def household(collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three people, with addresses of their own, and something that rings for each."""
    monkeypatch.setenv("ANA_NOTIFY_KINDS", "json,private")
    for name in ("anna", "ben"):
        People(load_workspace().settings).add(name)
        set_address(tmp_path / "data" / "people" / name, collector.address)
    for name in ("owner", "anna", "ben"):
        keep(f"for {name}", name, minutes=1)
    return tmp_path / "data" / "people"


def set_address(folder: Path, address: str) -> None:
    (folder / "settings.json").write_text(f'{{"ana_notify": "{address}"}}')


def test_reminders_ring_for_everybody_unless_a_person_is_named(household: Path, collector: Collector) -> None:
    assert run("remind", "--once", "--user", "ben") == (0, "1 reminder delivered, 0 not.\n")
    assert collector.titles == ["for ben"]
    assert run("remind", "--once") == (0, "2 reminders delivered, 0 not.\n")
    assert collector.titles == ["for ben", "for owner", "for anna"]


def test_as_long_as_it_runs_it_rings_for_everybody(household: Path, collector: Collector) -> None:
    with start_forked("-m", "app.cli", "remind"):
        wait_until(lambda: {*collector.titles} == {"for owner", "for anna", "for ben"})
    assert set(collector.tags.values()) == {1}


def test_a_person_whose_folder_is_damaged_keeps_no_reminder_from_others(household: Path, collector: Collector) -> None:
    (household / "anna" / "journal.sqlite").write_bytes(b"no database at all" * 100)
    code, told = run("remind", "--once")
    assert (code, collector.titles) == (1, ["for owner", "for ben"])
    assert "file is not a database" in told
    keep("again", "ben", minutes=0)
    (household / "anna" / "settings.json").write_text("{")
    code, told = run("remind", "--once")
    assert (code, collector.titles[2:]) == (0, ["again"])
    assert "anna/settings.json cannot be read" in told


def test_the_server_rings_for_people_who_have_sent_it_nothing(household: Path, collector: Collector) -> None:
    with TestClient(build_app()):
        wait_until(lambda: {*collector.titles} == {"for owner", "for anna", "for ben"})
    assert set(collector.tags.values()) == {1}


@pytest.mark.parametrize("damaged", ["settings.json", "journal.sqlite", "reminders.sqlite"])
def test_a_damaged_folder_keeps_the_server_from_ringing_for_nobody_else(
    household: Path, collector: Collector, damaged: str, caplog: pytest.LogCaptureFixture
) -> None:
    (household / "anna" / damaged).write_bytes(b"\xff no database at all" * 100)
    with TestClient(build_app(), "http://127.0.0.1") as client:
        wait_until(lambda: {*collector.titles} >= {"for owner", "for ben"})
        assert client.get("/ok").status_code == 200
    assert "Traceback" not in caplog.text
