"""Days of a server that is killed again and again: every ring, brief and answer comes, and nothing is done twice."""

import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from ana.memory.authors import REMINDER, find_author
from ana.reminders.reading import tell_time
from ana.reminders.ringing import LATE
from tests.conftest import BERLIN
from tests.supervised import KEPT, Supervised, choose_pause, supervised
from tests.waiting import wait_until

BEGIN = datetime(2026, 12, 1, 6, tzinfo=BERLIN)
BRIEFS = {"My day: what is due?": 7, "What did I get done today?": 20}
PILLS = {"Take the white pill": 8, "Take the blue pill": 21}
MINUTES = (0, 10, 20)
"""Of each hour, when the clock is set: something rings, it is answered, and what was put off rings again."""

SNOOZED = timedelta(minutes=10)

Coming = tuple[str, datetime]
"""What comes to the phone: its title, and when it is to."""


@dataclass
class Diary:
    """What is to come in these days, and what came; what waits for an answer, and what was answered."""

    server: Supervised
    due: set[Coming] = field(default_factory=set)
    came: Counter[Coming] = field(default_factory=Counter)
    said: dict[str, datetime] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    rung: dict[Coming, int] = field(default_factory=dict)
    """Which message rang what is not answered yet."""
    ticked: list[str] = field(default_factory=list)
    messages: int = 0
    """How many of the phone's were read."""
    hits: int = 0
    """How many kills left something to be done."""

    def read(self) -> None:
        """Take in what came since the last time, and check what it says of its lateness."""
        server = self.server
        for number in range(self.messages, len(server.phone.messages)):
            title, body = (server.phone.messages[number][name] for name in ("title", "message"))
            (coming,) = [each for each in self.due if each[0] == title and _is_it(each, body, server.now)]
            assert ("late" in body.lower()) == (server.now - coming[1] > LATE), body
            self.came[coming] += 1
            if self.came[coming] == 1 and title not in BRIEFS:
                self.rung[coming] = number
            self.messages = number + 1
        for text in server.telegram.texts:
            for note in _list_notes(text, self.said.keys() - self.answered):
                assert text.startswith("Late") == (server.now - self.said[note] > LATE), text
                self.answered.add(note)

    def wait(self) -> None:
        """Wait until all that is to come by now has come."""
        wait_until(self.has_all)

    def has_all(self) -> bool:
        """Read, and return whether all has come."""
        self.read()
        self.server.check()
        due = {each for each in self.due if each[1] <= self.server.now}
        return due == self.came.keys() and self.answered == self.said.keys()

    def answer(self) -> None:
        """Press a button under each that rang: done, or put off, by turns; nothing under what was put off."""
        for (title, planned), number in self.rung.items():
            is_done = title in PILLS or planned.hour % 3 == 0
            if not is_done and (planned.hour % 3 == 2 or planned.minute):
                continue
            kills = self.server.kills
            status = self.server.press("Done" if is_done else "10 minutes", number)
            assert status == 200 or (status == 404 and is_done and self.server.kills > kills)
            if is_done:
                self.ticked.append(title)
            else:
                self.due.add((title, self.server.now.astimezone(BERLIN) + SNOOZED))
        self.rung.clear()


def _is_it(coming: Coming, body: str, now: datetime) -> bool:
    title, planned = coming
    if title in BRIEFS:
        return planned.date() == now.astimezone(BERLIN).date()
    return tell_time(planned) in body


def _list_notes(text: str, notes: set[str]) -> Iterator[str]:
    yield from (note for note in notes if f"“{note}”" in text and KEPT in text)


def _store(server: Supervised, hours: int) -> None:
    with server.open() as memory:
        for titles, kind in ((BRIEFS, {"type": "routine"}), (PILLS, {"remind": "at the time"})):
            for title, hour in titles.items():
                due = BEGIN.replace(tzinfo=None, hour=hour).isoformat(timespec="minutes")
                memory.create(title, {**kind, "repeats": "FREQ=DAILY", "due_date": due})
        for hour in range(1, hours):
            memory.create(f"Task {hour}", {"remind": (BEGIN + timedelta(hours=hour)).isoformat()})


def _live(server: Supervised, hours: int, kills: int) -> Diary:
    """Let so many hours pass, with so many kills in them; after some of them it is started only later."""
    chance, diary = random.Random(hours), Diary(server)
    steps = [BEGIN + timedelta(hours=hour, minutes=minute) for hour in range(1, hours) for minute in MINUTES]
    killing = {*chance.sample(steps[:-3], kills)}
    with ThreadPoolExecutor(1) as hand:
        for now in steps:
            server.at(now)
            if now.minute == 0:
                diary.due.add((f"Task {(now - BEGIN) // timedelta(hours=1)}", now))
                diary.due |= {(title, now) for title, at in (BRIEFS | PILLS).items() if at == now.hour}
            if now.minute == 10:
                diary.said[note := f"note {now:%d %H}"] = now
                server.say(note)
            if now in killing or now in steps[-3:] or chance.random() < 0.7:
                server.start()
            if not server.is_up:
                continue
            pressing = hand.submit(diary.answer)
            if now in killing:
                server.kill(choose_pause(chance))
                diary.hits += not pressing.done() or not diary.has_all()
                if chance.random() < 0.5 or not pressing.done():
                    server.start()
            pressing.result()
            if server.is_up:
                diary.wait()
            diary.read()
    server.wait_for_presses()
    server.kill(0)
    return diary


def _check(server: Supervised, diary: Diary) -> None:
    copies = diary.came.total() - len(diary.came)
    print(f"{server.kills} kills, {diary.hits} of them before all had come; {copies} came again after one")
    print(f"{len(diary.came)} came, {len(diary.said)} messages were answered, {len(diary.ticked)} reminders ticked")
    assert copies <= server.kills, "a server that is killed may have sent what it could not note"
    shown = [note for text in server.telegram.texts for note in _list_notes(text, {*diary.said})]
    assert sorted(shown) == sorted(diary.said)
    with server.open() as memory:
        items = [*memory.items()]
        assert Counter(item.content for item in items if item.content.startswith("note")) == Counter([*diary.said])
        ticks = [
            item.content
            for item in items
            for entry in memory.history(id=item.id)
            if find_author(entry.turn) == REMINDER
        ]
    assert sorted(ticks) == sorted(diary.ticked)


def _play(folder: Path, hours: int, kills: int, *, is_reached: bool) -> None:
    with supervised(folder, BEGIN, is_reached=is_reached) as server:
        _store(server, hours)
        _check(server, _live(server, hours, kills))


def test_a_morning_with_kills(tmp_path: Path) -> None:
    _play(tmp_path, 4, 3, is_reached=False)


@pytest.mark.long
@pytest.mark.parametrize("is_reached", [True, False])
def test_a_day_and_a_night_with_fifty_kills(tmp_path: Path, is_reached: bool) -> None:
    _play(tmp_path, 25, 50, is_reached=is_reached)
