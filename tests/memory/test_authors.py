"""Whose texts a record holds."""

import pytest

from ana.memory.authors import MOST_TOLD, is_told, name_turn_of
from ana.memory.changes import Change, Entry
from ana.memory.item import Item


def write(turn: str, before: str | None, after: str | None, thread: str = "t") -> Entry:
    was, now = (None if text is None else Item("i", text, {}, "", "") for text in (before, after))
    return Entry("2026-01-07T08:00:00Z", thread, turn, Change("item", "i", was, now))


SAID, DONE = write("q", None, "Call mum"), write("r", "Call mum", "Call mum")
MARKED, RESTORED = write("edit-1", "Call mum", "Call mum", ""), write("undo-1-of-q", None, "Call mum", "")


@pytest.mark.parametrize(
    "entries", [[SAID], [DONE, SAID], [MARKED, SAID], [RESTORED, write("r", "Call mum", None), SAID]]
)
def test_what_was_said_is_told_whatever_was_marked_or_taken_back_since(entries: list[Entry]) -> None:
    assert is_told(entries)


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [DONE],
        [write("edit-1", None, "Call mum", "")],
        [DONE, write("import-1", None, "Call mum")],
        [DONE, write(name_turn_of("claude", "1"), None, "Call mum")],
        [write("edit-1", "Call mum", "Call Eve", ""), SAID],
        [write("q", None, "Call mum", "")],
        [write("q", None, "m" * (MOST_TOLD + 1))],
    ],
)
def test_what_came_another_way_may_be_somebody_elses(entries: list[Entry]) -> None:
    assert not is_told(entries)
