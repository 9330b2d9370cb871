"""Reading and finding stored records: items and lines of Global Context."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import partial

from ana.errors import NoSuchItem, ToolError
from ana.memory.backend import Backend
from ana.memory.changes import Entry, Kind
from ana.memory.content_words import WordCounts
from ana.memory.explanation import explain_nothing
from ana.memory.item import Item
from ana.memory.overdue import make_overdue_filter
from ana.memory.search.fit import count_fitting, fuse
from ana.memory.search.property_text import SEARCHED
from ana.memory.search.query import Query, describe_unread, parse_query
from ana.memory.search.result import QueryResult
from ana.memory.similar import find_similar
from ana.memory.status import CANCELLED, CLOSED, DONE, has_status
from ana.memory.tally import FilterReader
from ana.memory.vocabulary import Vocabulary
from ana.time.clock import Clock
from ana.values import Json

WORDINGS = 5
"""How many texts of one question are looked for."""


class Reader:
    """Finds items and lines of Global Context, on any backend."""

    def __init__(self, backend: Backend, clock: Clock) -> None:
        self.backend = backend
        self.vocabulary = Vocabulary(backend)
        self.word_counts = WordCounts(backend)
        self._filters = FilterReader(backend, clock)
        self._clock = clock

    def get(self, id: str) -> Item:
        """Return the item with this id. Raises NoSuchItem."""
        item = self.record("item", id)
        if item is None:
            raise NoSuchItem(id)
        return item

    def record(self, kind: Kind, id: str) -> Item | None:
        """Return an item or a Global Context line, or None."""
        return self.backend.get_many(kind, [id]).get(id)

    def find(
        self, text: str | Sequence[str] | None = None, where: Mapping[str, Json] | None = None, limit: int = 10
    ) -> QueryResult:
        """Find items by meaning (nearest first), by property, or both; without text by own date, then newest.

        If several texts are given, which say the same in other words, their answers are fused. A text that only asks
        what is due on some days becomes a filter on the items' own date.

        Raises ToolError if the filter or the limit is not valid.
        """
        if limit < 1:
            raise ToolError(f"A limit of {limit} finds nothing.", "Give a limit of 1 or more.")
        if not (text is None or isinstance(text, str)):
            return fuse([self.find(each, where, limit) for each in [*text][:WORDINGS] or [""]])
        now = self._clock.now()
        parsed = parse_query(text[:SEARCHED], now.date()) if text and text.strip() else None
        if parsed and parsed.asks_overdue:
            return self.find_overdue(limit, where=where)
        query = Query(parsed, self._filters.read(where), self._clock.zone, limit, now=now)
        if parsed and parsed.due:
            # about days in the past, done items count
            is_past = date.min < parsed.due[0] and parsed.due[1] < now.date()
            query = replace(query, text=None, due=parsed.due, excluded=CANCELLED if is_past else CLOSED)
        result = self.backend.query(query)
        result = replace(result, due=query.due, where=query.where, unread=describe_unread(text or ""))
        if query.text:
            result = replace(result, fitting=count_fitting(result.reasons, self.backend.embedder_name))
        return result if result.total else replace(result, explain=partial(explain_nothing, self.backend, query))

    def find_overdue(
        self,
        limit: int = 100,
        *,
        now: datetime | None = None,
        since: datetime | None = None,
        where: Mapping[str, Json] | None = None,
    ) -> QueryResult:
        """Find overdue items (see ana.memory.overdue), the longest overdue first.

        Args:
            now: The moment; None for the present one.
            since: An earlier moment; items that were overdue then are left out.
            where: A further filter.
        """
        now = now or self._clock.now()
        late = make_overdue_filter(now, since)
        node = self._filters.read({"$and": [late, dict(where)]} if where else late)
        result = self.backend.query(Query(None, node, self._clock.zone, limit, now=now))
        return replace(result, where=node, is_overdue=True)

    def find_similar(self, id: str, where: Mapping[str, Json] | None = None, limit: int = 10) -> QueryResult:
        """Find the items nearest in meaning to an item, without itself; with a filter, among the nearest 500."""
        return find_similar(self.backend, self.get(id).id, self._filters.read(where), limit)

    def items(self) -> Iterator[Item]:
        """Yield every item, in no order."""
        return self.backend.scan("item")

    def count(self) -> int:
        """Return the number of items."""
        return self.backend.count("item")

    def lines(self) -> dict[int, str]:
        """Return the lines of Global Context by number, in order."""
        return {int(i.id): i.content for i in sorted(self.backend.scan("line"), key=lambda i: int(i.id))}

    def history(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        """Return journal entries, the newest first. Arguments as `Backend.entries`."""
        return self.backend.entries(turn=turn, id=id, since=since, limit=limit)

    def get_recorded_at(self, item: Item) -> str:
        """Return the time at which an item's text was last written or changed, by the journal, as a stamp."""
        if item.created_at == item.updated_at:
            return item.created_at
        changes = ((entry.ts, entry.change.before, entry.change.after) for entry in self.history(id=item.id))
        return next((ts for ts, old, new in changes if old and new and old.content != new.content), item.created_at)

    def get_completed_at(self, item: Item) -> str | None:
        """Return the time at which an item's status became done, by the journal, as a stamp; None if it is open or the
        time is unknown.
        """
        if not has_status(item.properties, DONE):
            return None
        entries = self.history(id=item.id)
        # an item that comes back is as it was when it was deleted
        changed = [entry for entry in entries[:-1] if entry.change.before] + entries[-1:]
        befores = ((entry.ts, entry.change.before) for entry in changed)
        return next((ts for ts, old in befores if old is None or not has_status(old.properties, DONE)), None)

    def turns(self, *, thread: str | None = None, prefix: str = "", limit: int = -1) -> dict[str, str]:
        """Return the turns that wrote something with their threads, the newest first. Arguments as `Backend.turns`."""
        return self.backend.turns(thread=thread, prefix=prefix, limit=limit)
