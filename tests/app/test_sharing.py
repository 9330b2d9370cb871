"""A series that its owner lets another person see: both are told when it is not marked, and nothing else is opened."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from ana.errors import UserError
from ana.handles import open_data
from ana.keys import OWNER
from ana.people import People
from ana.people.grants import MOST, forget_items, grant, list_grants, revoke
from ana.settings import Settings, load_settings
from ana.values import Json
from ana.workspace import Workspace, load_workspace, open_workspace
from ana.workspace.personal import save_settings
from app.answering import answer, find_rung
from app.reminding import list_targets, make_ringer
from tests.command_line import run
from tests.conftest import BERLIN, folders, live_in
from tests.postgres.server import keeping
from tests.reminders.collector import Collector, collecting
from tests.stories import Life

DAY = date(2026, 12, 2)
PILL: dict[str, Json] = {"due_date": "2026-12-02T08:00", "repeats": "FREQ=DAILY", "remind": "at the time"}


@dataclass
class Family:
    """Somebody with pills, and Ben, with a phone each."""

    life: Life
    own: Collector
    bens: Collector

    def at(self, hour: int, minute: int = 0, days: int = 0) -> tuple[list[str], list[str]]:
        """Go to a time of a day; return the titles that come to each."""
        before = len(self.own.messages), len(self.bens.messages)
        self.life.at(DAY + timedelta(days=days), time(hour, minute))
        make_ringer(self.life.handles, list_targets(self.life.handles.workspace)).ring()
        return sorted(self.own.titles[before[0] :]), sorted(self.bens.titles[before[1] :])

    def share(self, content: str = "Mum's pill", **more: Json) -> str:
        id = self.life.memory.create(content, {**PILL, **more}).id
        item = self.life.memory.get(id)
        grant(self.life.handles.workspace, item, "ben", self.life.now)
        return id


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Family]:
    with collecting() as own, collecting() as bens:
        more = {"ANA_NOTIFY": own.address, "ANA_NOTIFY_KINDS": "json,private", "LLM_PROVIDER": "offline"}
        live_in(tmp_path, monkeypatch, **more)
        settings = load_settings()
        People(settings).add("ben")
        save_settings(open_workspace(settings, "ben"), {"ana_notify": bens.address})
        with Life(BERLIN).live(tmp_path, **more) as life:
            life.at(DAY, time(7))
            yield Family(life, own, bens)


def test_what_is_unmarked_an_hour_after_it_rang_tells_both(family: Family) -> None:
    family.share()
    family.life.memory.create("My own pill", PILL)
    assert family.at(8) == (["Mum's pill", "My own pill"], [])
    assert family.at(8, 59) == ([], [])
    assert family.at(9) == (["Mum's pill"], ["Mum's pill"])
    assert "not marked: Wednesday December 2 2026, 08:00" in family.bens.messages[0]["message"]
    assert family.at(9, 1) == ([], []) == family.at(20)


def test_what_was_marked_tells_nobody(family: Family) -> None:
    id = family.share()
    family.at(8)
    family.life.at(DAY, time(8, 30))
    family.life.memory.change_all([id], lambda _: {"status": "done"})
    assert family.at(9) == ([], [])
    assert family.at(8, days=1) == (["Mum's pill"], [])
    assert family.at(9, days=1) == (["Mum's pill"], ["Mum's pill"])


def test_what_was_put_off_is_told_an_hour_after_it_rang_again(family: Family) -> None:
    id = family.share()
    family.at(8)
    handles = family.life.handles
    answer(handles, find_rung(handles, handles.workspace.open_ledger().list_rung(1)[0]), "1 hour")
    assert family.at(9) == (["Mum's pill"], [])
    assert family.at(10) == (["Mum's pill"], ["Mum's pill"])
    answer(handles, None, "done")
    assert family.life.memory.get(id).properties["due_date"] == "2026-12-03T08:00", "what was told last is answered"


@pytest.mark.parametrize("minutes", [50, 180, 24 * 60 - 1])
def test_what_rang_late_is_told_an_hour_after_it_rang(family: Family, minutes: int) -> None:
    family.share(repeats="FREQ=WEEKLY")
    hours, minute = divmod(8 * 60 + minutes, 60)
    days, hour = divmod(hours, 24)
    assert family.at(hour, minute, days) == (["Mum's pill"], [])
    assert family.at(hour, minute, days) == ([], [])
    hours, minute = divmod(8 * 60 + minutes + 59, 60)
    days, hour = divmod(hours, 24)
    assert family.at(hour, minute, days) == ([], [])
    assert family.at(hour + 1, 0, days) == (["Mum's pill"], ["Mum's pill"])
    assert family.at(hour + 1, 1, days) == ([], [])


def test_others_are_told_of_what_could_not_ring(family: Family) -> None:
    family.share()
    family.own.status = 500
    assert family.at(8) == ([], [])
    assert family.at(9) == ([], ["Mum's pill"])


def test_who_sees_it_no_more_is_not_told(family: Family) -> None:
    id = family.share()
    family.at(8)
    assert revoke(family.life.handles.workspace, id, "ben")
    assert not revoke(family.life.handles.workspace, id, "ben")
    assert family.at(9) == ([], [])


def test_what_rang_before_it_was_shown_is_not_told(family: Family) -> None:
    id = family.life.memory.create("Mum's pill", PILL).id
    family.at(8)
    family.life.at(DAY, time(8, 30))
    grant(family.life.handles.workspace, family.life.memory.get(id), "ben", family.life.now)
    assert family.at(9) == ([], [])
    assert family.at(8, days=1)[1] == []
    assert family.at(9, days=1)[1] == ["Mum's pill"]


@pytest.mark.parametrize("viewer", ["owner", "", "Ben", "../ben", "x" * 65])
def test_nobody_is_shown_it_who_cannot_be_another_person(family: Family, viewer: str) -> None:
    id = family.life.memory.create("Mum's pill", PILL).id
    with pytest.raises(UserError, match="Nobody else"):
        grant(family.life.handles.workspace, family.life.memory.get(id), viewer, family.life.now)


def test_only_routines_and_series_are_shown_and_not_without_end(family: Family) -> None:
    workspace, memory, now = family.life.handles.workspace, family.life.memory, family.life.now
    note = memory.get(memory.create("The key is in the tin").id)
    with pytest.raises(UserError, match="Only a routine"):
        grant(workspace, note, "ben", now)
    routine = memory.get(memory.create("My day", {"type": "routine", "due_date": "2026-12-02T07:00"}).id)
    for number in range(MOST):
        grant(workspace, routine, f"p{number}", now)
    with pytest.raises(UserError, match="At most"):
        grant(workspace, routine, "ben", now)
    forget_items(workspace, [routine.id])
    assert list_grants(workspace) == []


@pytest.mark.parametrize("place", ["folder", "database"])
def test_nobody_gets_it_with_the_name_of_somebody_who_was_removed(tmp_path: Path, place: str) -> None:
    with keeping(place) as kept:
        check_names(load_settings(folders(tmp_path, **kept)))


def check_names(settings: Settings) -> None:
    people, owner = People(settings), Workspace(settings)
    people.add("ben")
    life = Life(BERLIN)
    item = life.memory.get(life.memory.create("Mum's pill", PILL).id)
    grant(owner, item, "ben", datetime(2026, 12, 1, tzinfo=BERLIN))
    grant(owner, item, "zoe", datetime(2026, 12, 1, tzinfo=BERLIN))
    assert people.list_granted("ben") == [(OWNER, item.id)]
    people.remove("ben")
    assert people.list_granted("ben") == []
    people.add("zoe")
    assert people.list_granted("zoe") == [], "she was not meant"


def test_the_command_shows_and_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live_in(tmp_path, monkeypatch)
    with open_data(load_workspace(), "a test") as handles:
        id = handles.memory.create("Mum's pill", PILL).id
    assert run("share", id)[0] == run("share", "nonsense", "ben")[0] == 1
    code, told = run("share", id, "ben")
    assert (code, "ben, if there is one here, may see Mum's pill." in told) == (0, True)
    assert run("share") == (0, f"{id}  ben  Mum's pill\n")
    assert run("share", id, "ben", "--end") == (0, "ben does not see it any more.\n")
    assert run("share") == (0, "")
