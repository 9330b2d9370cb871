"""Buttons of ntfy without an address of the server: what a phone publishes to a secret topic is carried out, once."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path

import pytest

from ana.addresses import find_ntfy_server
from ana.keys import make_key
from ana.memory.authors import REMINDER, find_author
from ana.reminders.buttons import Button, sign
from ana.reminders.ledger import RingKey
from app.reminding import list_targets, make_ringer
from app.replying import LONGEST, Replies, list_servers, make_signing
from tests.conftest import BERLIN
from tests.ntfy_stub import NtfyStub, ntfy_stub
from tests.stories import Life

DAY = date(2026, 12, 2)


class Phone:
    """A person whose phone has ntfy."""

    def __init__(self, life: Life, ntfy: NtfyStub) -> None:
        self.life, self.ntfy = life, ntfy
        ntfy.now = lambda: life.handles.clock.now().timestamp()
        life.at(DAY, time(8))

    @property
    def topic(self) -> str:
        return make_signing(self.life.handles.workspace).name_topic()

    def store(self, content: str = "Take the pill", **properties: str) -> str:
        return self.life.memory.create(content, {"remind": "2026-12-02T09:00", **properties}).id

    def ring(self, hour: int, minute: int = 0) -> int:
        """Let ring what is due at a time of the day; return how many messages came."""
        self.life.at(DAY, time(hour, minute))
        before = len(self.ntfy.messages)
        make_ringer(self.life.handles, list_targets(self.life.handles.workspace)).ring()
        return len(self.ntfy.messages) - before

    def carry_out(self, hour: int, minute: int = 0) -> None:
        self.life.at(DAY, time(hour, minute))
        Replies(self.life.handles).carry_out()

    def list_acts(self, id: str) -> list[str]:
        """Return what the reminder's answers did to an item, as the journal has it: its status after each."""
        entries = [entry for entry in self.life.memory.history(id=id) if find_author(entry.turn) == REMINDER]
        return [str(entry.change.after and entry.change.after.properties.get("status")) for entry in entries]


@pytest.fixture
def ntfy() -> Iterator[NtfyStub]:
    with ntfy_stub() as running:
        yield running


@pytest.fixture
def phone(tmp_path: Path, ntfy: NtfyStub) -> Iterator[Phone]:
    with Life(BERLIN).live(tmp_path, ANA_NOTIFY=ntfy.address) as life:
        yield Phone(life, ntfy)


def test_done_is_carried_out_once(phone: Phone, ntfy: NtfyStub) -> None:
    id = phone.store()
    assert phone.ring(9) == 1
    assert ntfy.press("Done") == 200
    phone.carry_out(9, 1)
    assert phone.list_acts(id) == ["done"]
    phone.carry_out(9, 2)
    phone.life.handles.workspace.note("replies").remove()  # as if it had been killed before it noted the press
    phone.carry_out(9, 3)
    assert phone.list_acts(id) == ["done"]


def test_it_is_put_off_from_when_it_was_pressed_however_late_that_is_read(phone: Phone, ntfy: NtfyStub) -> None:
    phone.store()
    phone.ring(9)
    assert ntfy.press("1 hour") == 200
    phone.carry_out(9, 30)
    phone.life.handles.workspace.note("replies").remove()
    phone.carry_out(9, 40)
    assert [phone.ring(9, 59), phone.ring(10), phone.ring(10, 1)] == [0, 1, 0]
    phone.carry_out(10, 2)
    assert phone.ring(11, 30) == 0


def test_of_what_repeats_its_date_is_marked(phone: Phone, ntfy: NtfyStub) -> None:
    id = phone.store(due_date="2026-12-02T09:00", repeats="FREQ=DAILY", remind="at the time")
    phone.ring(9)
    assert ntfy.press("Done") == ntfy.press("Done") == 200
    phone.carry_out(9, 1)
    item = phone.life.memory.record("item", id)
    assert item
    assert item.properties["due_date"] == "2026-12-03T09:00"
    assert len(phone.list_acts(id)) == 1


def test_nothing_else_that_is_published_there_does_anything(phone: Phone, ntfy: NtfyStub) -> None:
    id = phone.store()
    phone.ring(9)
    signing, ring = make_signing(phone.life.handles.workspace), RingKey(id, "2026-12-02T08:00:00.000000+00:00")
    until = datetime(2026, 12, 3, tzinfo=BERLIN)
    good = sign(Button("owner", ring, "done", until), signing.read_key())
    ended = sign(Button("owner", ring, "done", until.replace(day=1)), signing.read_key())
    foreign = sign(Button("mia", ring, "done", until), signing.read_key())
    forged = sign(Button("owner", ring, "done", until), make_key("reminder"))
    for text in ("done", "", ended, foreign, forged, good[:-1], " " * LONGEST + good, json.dumps({"act": "done"})):
        ntfy.publish(phone.topic, text)
    ntfy.publish(phone.topic[:-1], good)
    ntfy.kept += [{"event": "open", "topic": phone.topic, "time": int(ntfy.now()), "message": good}]
    ntfy.kept += [{"event": "message", "id": 5, "topic": phone.topic, "time": int(ntfy.now()), "message": [good]}]
    phone.carry_out(9, 1)
    assert phone.list_acts(id) == []
    ntfy.publish(phone.topic, good)
    phone.carry_out(9, 2)
    assert phone.list_acts(id) == ["done"]


def test_a_server_that_does_not_answer_is_told_of_once(
    phone: Phone, ntfy: NtfyStub, caplog: pytest.LogCaptureFixture
) -> None:
    id = phone.store()
    phone.ring(9)
    ntfy.press("Done")
    ntfy.status, replies = 503, Replies(phone.life.handles)
    replies.carry_out()
    replies.carry_out()
    assert len([each for each in caplog.messages if "503" in each]) == 1
    assert not any(phone.topic in each for each in caplog.messages)
    ntfy.status = 200
    replies.carry_out()
    assert phone.list_acts(id) == ["done"]


def test_where_phones_reach_the_server_no_topic_is_read(tmp_path: Path, ntfy: NtfyStub) -> None:
    env = {"ANA_NOTIFY": ntfy.address, "ANA_PUBLIC_URL": "https://ana.example.org"}
    with Life(BERLIN).live(tmp_path, **env) as life:
        phone = Phone(life, ntfy)
        phone.store()
        phone.ring(9)
        assert ntfy.actions[0].startswith("http, Done, https://ana.example.org/app/reminder/owner.")
        assert list_servers(life.handles.workspace) == []
        phone.carry_out(9, 1)
    assert ntfy.polls == 0


def test_only_a_server_that_asks_for_no_login_has_a_topic_for_buttons() -> None:
    assert find_ntfy_server("ntfys://ntfy.sh/topic?priority=high") == "https://ntfy.sh"
    assert find_ntfy_server("ntfy://10.0.0.5:8080/topic/another") == "http://10.0.0.5:8080"
    assert find_ntfy_server("ntfys://topic") == "https://ntfy.sh"
    for address in ("ntfys://me:word@host/topic", "ntfys://host/t?auth=token", "mailto://a:b@c.org", "ntfy://[x/t", ""):
        assert find_ntfy_server(address) == ""


def test_another_person_reaches_no_private_network_with_it(phone: Phone, ntfy: NtfyStub) -> None:
    workspace = replace(phone.life.handles.workspace, person="mia")
    Replies(replace(phone.life.handles, workspace=workspace)).carry_out()
    assert ntfy.polls == 0
