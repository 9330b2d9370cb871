"""The tool `history`: the journal, told to the model as the person would tell it."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from typing import Any

from langchain_core.tools import tool

from ana.errors import ToolError
from ana.memory.authors import find_author
from ana.memory.changes import Entry
from ana.memory.filters.matching import is_number
from ana.memory.item import Item
from ana.memory.receipts import describe_change, make_receipt
from ana.memory.search.tokens import tokenize
from ana.memory.views import MOST_CHARACTERS, tell_source
from ana.time.dates import add_weekday, drop_weekday
from ana.time.spans import Span, read_date_span
from ana.values import Json, to_number
from tools.call import CallContext, Injected

MOST_READ = 10_000
"""Writes of the journal that are looked through, the newest."""

MOST_ENTRIES = 40
"""Changes that are shown."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_VERBS = {"create": "created", "update": "changed", "delete": "deleted"}
_SIGN = len("+ ")


@tool(parse_docstring=True)
def history(
    since: str | None = None,
    until: str | None = None,
    id: str | None = None,
    text: str | None = None,
    *,
    call: Injected,
) -> dict[str, Any]:
    """Tell what was created, changed, done and deleted, the newest first. `sums` tells how numbers changed;
    a mean is no amount.

    Args:
        since: An ISO date or moment.
        until: The last one; a bare date is that whole day.
        id: Only of this item, with its text before.
        text: Only of items with these words.
    """
    begin, end = _read_bound(since, "since", call), _read_bound(until, "until", call)
    entries = call.memory.history(id=id, since=_stamp(begin[0]) if begin else "", limit=MOST_READ)
    if end:
        entries = [entry for entry in entries if entry.ts < _stamp(end[1])]
    if text:
        entries = list(find_worded(entries, text))
    by_turn = groupby(entries[:MOST_ENTRIES], lambda entry: (entry.thread, entry.turn))
    turns = [_show_turn(list(some), call, bool(id)) for _, some in by_turn]
    result: dict[str, Any] = {"turns": turns, "total": len(entries), "truncated": len(entries) > MOST_ENTRIES}
    sums = add_up(entries)
    return result | ({"sums": sums} if sums else {})


def find_worded(entries: Iterable[Entry], text: str) -> Iterator[Entry]:
    """Yield the entries of the records that have most of the words, if that is at least half of them."""
    words = set(tokenize(text))
    counted = [(len(words & _words_of(entry)), entry) for entry in entries]
    most = max((count for count, _ in counted), default=0)
    return (entry for count, entry in counted if count == most and 0 < len(words) <= 2 * count)


def add_up(entries: Iterable[Entry]) -> dict[str, dict[str, Json]]:
    """Return by how much each number changed in all. Undone changes count too, because their undo is an entry as well.

    An item's first value is no growth: a job's size, a price, one dose of a medicine. Only the reader can tell an
    amount from a mean, so each growth comes with its first and last value.

    Args:
        entries: The newest first.
    """
    known: dict[str, dict[str, list[tuple[Json, Json]]]] = {}
    for before, after in ((entry.change.before, entry.change.after) for entry in entries):
        for name, value in after.properties.items() if before and after else ():
            old = before.properties.get(name) if before else None
            if is_number(value) and (old is None or is_number(old)) and old != value and name != "priority":
                known.setdefault(name, {}).setdefault(after.id if after else "", []).append((old, value))
    sums = {name: _tell_growth([*items.values()]) for name, items in known.items()}
    return {name: sum for name, sum in sums.items() if sum["by"]}


def _tell_growth(items: Sequence[Sequence[tuple[Json, Json]]]) -> dict[str, Json]:
    """Return by how much a number of these items changed; each item comes with its changes, the newest first."""
    by = sum(Decimal(str(new)) - Decimal(str(old or 0)) for changes in items for old, new in changes)
    growth: dict[str, Json] = {"by": to_number(Decimal(by))}
    return growth | ({"from": items[0][-1][0], "to": items[0][0][1]} if len(items) == 1 else {"items": len(items)})


def _words_of(entry: Entry) -> set[str]:
    records = (entry.change.before, entry.change.after)
    texts = (f"{record.content} {_join(record)}" for record in records if record)
    return {word for text in texts for word in tokenize(text)}


def _join(record: Item) -> str:
    return " ".join(f"{name.replace('_', ' ')} {value}" for name, value in record.properties.items())


def _show_turn(entries: Sequence[Entry], call: CallContext, whole: bool) -> dict[str, Any]:
    newest = entries[0]
    by = find_author(newest.turn)
    at = call.clock.minute(newest.ts).replace(" ", "T")
    row: dict[str, Any] = {"at": add_weekday(at), "turn": newest.turn} | ({"by": by} if by else {})
    return row | {"changes": [_show_change(entry, call, whole) for entry in entries]}


def _show_change(entry: Entry, call: CallContext, whole: bool) -> dict[str, Json]:
    """Return a change in words, with the earlier text if the history of a single item is asked for."""
    change = entry.change
    text = describe_change(make_receipt(change, call.clock.zone))[_SIGN:]
    row: dict[str, Json] = {"id": change.id, _VERBS[change.op]: text, **tell_source(change.before, change.after)}
    if whole and change.before and (change.after is None or change.after.content != change.before.content):
        row["was"] = change.before.content[:MOST_CHARACTERS]
    return row


def _read_bound(value: str | None, name: str, call: CallContext) -> Span | None:
    """Return the first and the last moment of a day, or a moment."""
    if not value:
        return None
    span = read_date_span(drop_weekday(value), call.clock.zone)
    if span is None:
        raise ToolError(f"{value!r} is no ISO date.", f"Give {name} as 2026-01-13 or 2026-01-13T14:30.")
    return span


def _stamp(micros: int) -> str:
    """Return a moment as the journal writes it; a moment before the first one that datetime knows becomes that first
    one.
    """
    try:
        return (_EPOCH + timedelta(microseconds=micros)).isoformat(timespec="microseconds")
    except OverflowError:
        return "" if micros < 0 else "9999-12-31T23:59:59.999999+00:00"
