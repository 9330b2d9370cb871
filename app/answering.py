"""Answers to a reminder at any door: done, or put off. The page marks items as done in the same way."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from ana.errors import NotFound, UserError
from ana.handles import DataHandles
from ana.memory.authors import REMINDER
from ana.memory.changes import make_edit
from ana.memory.item import Item
from ana.memory.receipts import make_receipt, word_change
from ana.memory.routines import is_routine
from ana.memory.travel import read_item_repeat
from ana.output import quote
from ana.reminders.buttons import DONE, read_later
from ana.reminders.ledger import RingKey
from ana.reminders.reading import Ring, tell_time
from ana.reminders.ringing import DAY, find_ring
from ana.time.when import NotRead
from ana.translation import _, mark_text
from ana.values import Json, Properties

OPEN = mark_text("`ana due` shows what is open.")
OVER = mark_text("This reminder is over: it was done, moved or deleted since.")
LONGEST = 60
"""Characters of an item in the sentence."""

LAST = 20
"""How many of what rang last are looked at."""


@dataclass(frozen=True)
class RungItem:
    """An item that rang, and waits for an answer."""

    item: Item
    key: RingKey
    ring: Ring


def mark_done(handles: DataHandles, when: str = "") -> Callable[[Item], Properties]:
    """Return a function that marks an item as done; for a repeated item it marks the given date, or the next one."""

    def mark(item: Item) -> Properties:
        done: dict[str, Json] = {"status": "done"}
        repeat = read_item_repeat(item, handles.clock.zone) if when else None
        if repeat and not repeat.from_done:  # else the day counts on which it was done
            done["done_for"] = when
        return done

    return mark


def find_rung(handles: DataHandles, key: RingKey) -> RungItem:
    """Return the reminder. Raises NotFound if it no longer waits for an answer."""
    item = handles.memory.record("item", key.item)
    ring = find_ring(item, key, handles.clock.zone)
    if item is None or ring is None:
        raise NotFound(OVER, OPEN)
    return RungItem(item, key, ring)


def find_last_rung(handles: DataHandles) -> RungItem:
    """Return the last reminder. Raises UserError if there was none, or it no longer waits for an answer."""
    ledger = handles.workspace.open_ledger()
    rung = (key for key in ledger.list_rung(LAST) if not is_routine(handles.memory.record("item", key.item)))
    if (key := next(rung, None)) is None:
        raise UserError("No reminder has rung yet.", OPEN)
    with suppress(NotFound):
        return find_rung(handles, key)
    # what rang late has the moment to which it was put off
    snoozed = [each for each in ledger.list_snoozed(handles.clock.now() - DAY) if each.item == key.item]
    return find_rung(handles, next(iter(snoozed), key))


def answer(handles: DataHandles, rung: RungItem | None, act: str, thread: str = "") -> str:
    """Mark an item that rang as done, or let it ring again later; return a sentence about that.

    Args:
        rung: The reminder that is answered; None for the last one.
        act: `done`, or the time until which it is put off: 1 hour, tomorrow morning.
        thread: The conversation in which the answer is given, where “undo” takes it back; empty if there is none.

    Raises:
        UserError: The words do not name a future moment.
        AnaError: It cannot be marked done.
    """
    rung = rung or find_last_rung(handles)
    if act == DONE:
        mark = mark_done(handles, _write_date(rung, handles))
        (change,) = handles.memory.change_all([rung.item.id], mark, make_edit(thread, kind=REMINDER))
        return word_change(make_receipt(change, handles.clock.zone))
    try:
        until = read_later(act, handles.clock)
    except NotRead as exc:
        message = _("{text} is no time: {reason}.").format(text=f"{act!r:.60}", reason=exc)
        raise UserError(message, _("Say 1 hour, tomorrow morning, Friday at 9.")) from exc
    handles.workspace.open_ledger().snooze(rung.key, until)
    return _("{item} rings again {when}.").format(item=quote(rung.item.content, LONGEST), when=tell_time(until))


def _write_date(rung: RungItem, handles: DataHandles) -> str:
    """Return the date for which a reminder rang, in the form of properties; empty if there is none."""
    start, repeat = rung.ring.of, read_item_repeat(rung.item, handles.clock.zone)
    if isinstance(start, datetime):
        local = start.astimezone(repeat.zone if repeat else handles.clock.zone)
        return local.replace(tzinfo=None).isoformat(timespec="minutes")
    return str(start or "")
