"""Buttons under a reminder: opened by a signature alone, for one act; nothing happens before it is pressed."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ana.handles import open_data
from ana.json_lines import Quoted
from ana.memory.authors import REMINDER, find_author
from ana.memory.changes import make_edit
from ana.memory.undo import undo
from ana.people import People
from ana.reminders.buttons import ACTS, PATH, Button, sign
from ana.reminders.ledger import RingKey
from ana.reminders.reading import read_reminders
from ana.reminders.ringing import DAY, make_key
from ana.settings import load_settings
from ana.values import Json, Properties
from ana.workspace import Workspace, load_workspace, open_workspace
from app.server.app import build_app
from tests.app.page.conftest import browse

NOW = datetime.now(UTC)
SECRET = "a conversation about nothing that others may see"


def open_person(name: str) -> Workspace:
    return open_workspace(load_settings(), name)


def keep(person: str, content: str, **properties: Json) -> tuple[str, dict[str, str]]:
    """Keep an item that has just rung, and return its id and the path of each button under the reminder."""
    workspace = open_person(person)
    with open_data(workspace, "a test") as handles:
        due = f"{NOW.astimezone(handles.clock.zone) - timedelta(minutes=1):%Y-%m-%dT%H:%M}"
        made = handles.memory.create(content, {"due_date": due, "remind": "at the time", **properties}, make_edit())
        item = handles.memory.get(made.id)
        ring = read_reminders(item, handles.clock.zone, NOW - DAY, NOW + timedelta(minutes=1))[-1]
        key = make_key(item, ring, handles.clock.zone)
    return item.id, {act: write_path(workspace, key, act) for act in ACTS}


def write_path(workspace: Workspace, key: RingKey, act: str, until: datetime = NOW + DAY) -> str:
    return PATH + sign(Button(workspace.person, key, act, until), workspace.get_reminder_key())


def read(person: str, id: str) -> Properties:
    with open_data(open_person(person), "a test") as handles:
        return dict(handles.memory.get(id).properties)


@pytest.fixture
def phone(home: Path) -> Iterator[TestClient]:
    """A browser in which nobody has signed in, of a server that several people use."""
    People(load_settings()).add("ann")
    with browse(build_app()) as client:
        yield client


@pytest.mark.parametrize("person", ["owner", "ann"])
def test_to_open_it_changes_nothing_and_to_press_it_marks_the_item_done(phone: TestClient, person: str) -> None:
    id, paths = keep(person, "call Anna")
    for _ in range(3):
        shown = phone.get(paths["done"], headers={"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"})
        assert (shown.status_code, shown.text.count("<button"), "call Anna" in shown.text) == (200, 1, True)
        assert phone.head(paths["done"]).status_code == 200
    assert "status" not in read(person, id)
    pressed = phone.post(paths["done"])
    assert (pressed.status_code, "(done)" in pressed.text) == (200, True)
    assert read(person, id)["status"] == "done"


def test_it_stands_in_history_as_from_the_reminder_and_can_be_undone(phone: TestClient) -> None:
    id, paths = keep("owner", "call Anna")
    phone.post(paths["done"])
    with open_data(load_workspace(), "a test") as handles:
        entry = handles.memory.history(id=id)[0]
        assert find_author(entry.turn) == REMINDER
        undo(handles.memory, entry.turn)
        assert "status" not in handles.memory.get(id).properties


def test_done_of_what_repeats_marks_the_date_that_rang_and_no_other(phone: TestClient) -> None:
    id, paths = keep("ann", "pill", repeats="FREQ=DAILY", missed="passes")
    before = read("ann", id)["due_date"]
    assert phone.post(paths["done"]).status_code == 200
    after = read("ann", id)
    assert after["done_for"] == before
    assert str(after["due_date"]) > str(before)
    assert phone.post(paths["done"]).status_code == 404, "it is over"
    assert read("ann", id) == after


def test_snooze_moves_the_ring_and_leaves_the_item(phone: TestClient) -> None:
    id, paths = keep("ann", "call Anna")
    before, begun, minute = read("ann", id), datetime.now(UTC), timedelta(minutes=1)
    told = phone.post(paths["1 hour"])
    assert "“call Anna” rings again" in told.text.replace("</bdi>", "").replace('<bdi class="value">', "")
    (until,) = open_person("ann").open_ledger().list_snoozed(NOW).values()
    assert begun - minute <= until - timedelta(hours=1) <= datetime.now(UTC) + minute
    assert read("ann", id) == before
    assert phone.post(paths["done"]).status_code == 200, "every other button still counts"


@pytest.mark.parametrize("act", ["done", "1 hour"])
@pytest.mark.parametrize("end", ["done", "moved", "deleted"])
def test_of_what_was_done_moved_or_deleted_meanwhile_it_does_nothing_and_says_so(
    phone: TestClient, end: str, act: str
) -> None:
    id, paths = keep("owner", "call Anna")
    with open_data(load_workspace(), "a test") as handles:
        if end == "deleted":
            handles.memory.delete(id)
        else:
            changed: Properties = {"status": "done"} if end == "done" else {"due_date": "2030-01-01T09:00"}
            handles.memory.update(id, properties=changed)
        position = handles.memory.backend.position()
    for answer in (phone.get(paths[act]), phone.post(paths[act])):
        assert (answer.status_code, "This reminder is over" in answer.text) == (404, True)
    with open_data(load_workspace(), "a test") as handles:
        assert handles.memory.backend.position() == position
    assert open_person("owner").open_ledger().list_snoozed(NOW) == {}


def test_the_log_does_not_hold_the_address_of_one_that_was_refused(
    phone: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    paths = keep("ann", "call Anna")[1]
    assert phone.post(paths["done"]).status_code == 200
    assert phone.get(paths["done"]).status_code == 404
    assert f"GET {Quoted(f'{PATH}...')} was refused" in caplog.text
    assert paths["done"].removeprefix(PATH) not in caplog.text


def test_one_that_has_ended_was_changed_or_is_of_nobody_does_nothing(phone: TestClient) -> None:
    id, paths = keep("ann", "call Anna")
    ann, (person, told, signature) = open_person("ann"), paths["done"].removeprefix(PATH).split(".")
    key = RingKey(id, "2026-12-01T13:00:00.000000+00:00")
    wrong = [f"{PATH}owner.{told}.{signature}", f"{PATH}zoe.{told}.{signature}", f"{PATH}{person}.{told}", PATH + "x"]
    for path in [write_path(ann, key, "done", NOW - DAY), *wrong]:
        for answer in (phone.get(path), phone.post(path)):
            assert answer.status_code == 404, path
            assert "call Anna" not in answer.text
    assert "status" not in read("ann", id)


def test_its_holder_sees_nothing_else_of_the_persons_and_may_nothing_else(phone: TestClient) -> None:
    _, paths = keep("owner", "call Anna")
    name_conversation(SECRET)
    over = write_path(load_workspace(), RingKey("none", "2026-12-01T13:00:00.000000+00:00"), "done")
    for path in (paths["done"], over, PATH + "x"):
        for answer in (phone.get(path), phone.post(path)):
            assert SECRET not in answer.text, path
            assert 'aria-label="Parts of this page"' not in answer.text, path
    assert "ana-session" not in phone.cookies
    assert phone.get("/app/today", follow_redirects=False).status_code == 303
    assert phone.get(f"{paths['done']}/../today", follow_redirects=False).status_code == 404
    assert phone.post("/ask", json={"question": "hi"}).status_code == 401


def name_conversation(name: str) -> None:
    load_workspace().open_threads().remember(name)


def test_without_people_it_needs_its_signature_too(home: Path) -> None:
    _, paths = keep("owner", "call Anna")
    with browse(build_app()) as client:
        assert client.get(PATH + "owner.e30.x").status_code == 404
        assert client.post(paths["10 minutes"]).status_code == 200


def test_a_page_elsewhere_cannot_press_it(phone: TestClient) -> None:
    id, paths = keep("owner", "call Anna")
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}):
        form = {"content-length": "0"} | headers
        assert phone.post(paths["done"], headers=form).status_code == 403
    assert "status" not in read("owner", id)


def test_the_public_address_is_answered_to_and_asks_for_a_token(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANA_PUBLIC_URL", "https://ana.example.org/")
    assert load_settings().ana_public_url == "https://ana.example.org/"
    _, paths = keep("owner", "call Anna")
    with TestClient(build_app(), "https://ana.example.org") as client:
        assert client.get("/app/today", follow_redirects=False).status_code == 303
        assert client.get(paths["done"]).status_code == 200
    with TestClient(build_app(), "https://elsewhere.example.org") as client:
        assert client.get(paths["done"]).status_code == 421
