"""Everything the assistant knows, items and Global Context, and the one way to change it, on any backend."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from ana.errors import NoSuchItem, RecordChanged, ToolError
from ana.memory.backend import Backend, Expected, retry_on_change, to_key
from ana.memory.bounds import check_item, check_names
from ana.memory.changes import Cause, Change, Entry, Kind, combine, get_source, make_edit, net
from ana.memory.content_words import WordCounts
from ana.memory.context_line import to_one_line
from ana.memory.digests import line_digest
from ana.memory.explanation import explain_nothing
from ana.memory.filters import EVERY_ITEM
from ana.memory.ids import iter_candidate_ids
from ana.memory.item import Item
from ana.memory.operations import Operation
from ana.memory.search.found import Found
from ana.memory.search.property_text import SEARCHED
from ana.memory.search.query import Query, describe_unread, parse_query
from ana.memory.similar import find_similar
from ana.memory.sources import ALL_MINE, Sources, tell_part
from ana.memory.status import CANCELLED, CLOSED, DONE, has_status
from ana.memory.tally import FilterReader
from ana.memory.updates import make_item, update_item
from ana.memory.vocabulary import Vocabulary
from ana.time.clock import Clock
from ana.values import Json, Properties


class Memory:
    """Items and Global Context lines. Every write returns what was read back from the backend."""

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

    def find(self, text: str | None = None, where: Mapping[str, Json] | None = None, limit: int = 10) -> Found:
        """Find items by meaning (nearest first), by property, or both; without text by own date, then newest.

        A text that only asks what is due then becomes a filter on the items' own date.

        Raises ToolError if the filter or the limit is not valid.
        """
        if limit < 1:
            raise ToolError(f"A limit of {limit} finds nothing.", "Give a limit of 1 or more.")
        now = self._clock.now()
        parsed = parse_query(text[:SEARCHED], now.date()) if text and text.strip() else None
        query = Query(parsed, self._filters.read(where), self._clock.zone, limit, now=now)
        if parsed and parsed.due:
            # about days in the past, done items count
            is_past = date.min < parsed.due[0] and parsed.due[1] < now.date()
            query = replace(query, text=None, due=parsed.due, excluded=CANCELLED if is_past else CLOSED)
        found = replace(self.backend.query(query), due=query.due, where=query.where, unread=describe_unread(text or ""))
        return found if found.total else replace(found, why_none=explain_nothing(self.backend, query))

    def find_similar(self, id: str, where: Mapping[str, Json] | None = None, limit: int = 10) -> Found:
        """Find the items nearest in meaning to an item, without itself; with a filter, among the nearest 500."""
        return find_similar(self.backend, self.get(id).id, self._filters.read(where), limit)

    def due(self, first: date, last: date, limit: int = 100) -> Found:
        """Return the open items whose own date is on these days, both included, the earliest first.

        From date.min on, it is everything up to the last.
        """
        now = self._clock.now()
        return self.backend.query(Query(None, EVERY_ITEM, self._clock.zone, limit, (first, last), CLOSED, now))

    def items(self) -> Iterator[Item]:
        """Yield every item, in no order."""
        return self.backend.scan("item")

    def count(self) -> int:
        """Return how many items there are."""
        return self.backend.count("item")

    def lines(self) -> dict[int, str]:
        """Return the lines of Global Context by number, in order."""
        return {int(i.id): i.content for i in sorted(self.backend.scan("line"), key=lambda i: int(i.id))}

    def create(
        self, content: str, properties: Properties | None = None, cause: Cause | None = None, *, copy: bool = True
    ) -> Change:
        """Store a new item; of one that repeats the rule is checked.

        Raises:
            DuplicateItem: Another item says the same, and a copy is not wanted.
            ToolError: It cannot be stored, or is too large.
        """
        ids = iter_candidate_ids(cause.key if cause else "")

        def plan() -> Change:
            new = make_item(next(ids), content, dict(properties or {}), get_source(cause), self._clock)
            return Change("item", new.id, None, new)

        return self._write(plan, cause, distinct=not copy)

    def update(
        self,
        id: str,
        content: str | Operation | None = None,
        properties: Mapping[str, Json | Operation] | None = None,
        cause: Cause | None = None,
        shown: str | None = None,
    ) -> Change:
        """Replace an item's content, merge its properties; a property set to None is removed, an operation applied.

        What repeats moves on when it is done, or when its date is left out (see ana.memory.repeating).

        Args:
            shown: When the item that the caller saw was changed last.

        Raises:
            RecordChanged: It was changed after the caller saw it.
            ToolError: There is no such item, an operation does not go with what is there, or what it would be cannot be
                stored, or is too large.
        """

        def plan() -> Change:
            old = self.get(id)
            if shown not in (None, old.updated_at):
                raise RecordChanged("item", id)
            return Change("item", id, old, update_item(old, content, properties or {}, get_source(cause), self._clock))

        return self._write(plan, cause)

    def change_all(
        self, ids: Sequence[str], change: Callable[[Item], Mapping[str, Json] | None], cause: Cause | None = None
    ) -> list[Change]:
        """Change properties of several items in one write, all or none.

        Args:
            change: Returns the properties of an item to merge, or None to delete it.

        Raises:
            ToolError: As `update`, of any of them.
        """

        def plan() -> list[Change]:
            olds, changes = [self.get(id) for id in dict.fromkeys(ids)], []
            for old in olds:
                given = change(old)
                new = None if given is None else update_item(old, None, given, get_source(cause), self._clock)
                changes.append(Change("item", old.id, old, new))
            return changes

        return self._write_all(plan, cause)

    def claim(self, names: Sequence[str], cause: Cause | None = None) -> list[Change]:
        """Make records, given by name as to `to_key`, the person's own words: a change of their sources alone.

        Raises ToolError if one does not exist.
        """

        def plan() -> list[Change]:
            olds = [(kind, self.get(id) if kind == "item" else self._get_line(id)) for kind, id in map(to_key, names)]
            return net(Change(kind, old.id, old, replace(old, sources=ALL_MINE)) for kind, old in olds)

        return self._write_all(plan, cause)

    def delete(self, id: str, cause: Cause | None = None) -> Change:
        """Remove an item. Raises ToolError if there is none."""
        return self._write(lambda: Change("item", id, self.get(id), None), cause)

    def append_line(self, content: str, cause: Cause | None = None) -> Change:
        """Add a line under a number that no other line ever had. Raises ToolError if it is empty or too long."""
        text = to_one_line(content)

        def plan() -> Change:
            number, stamp = str(self.backend.take_line_number()), self.stamp()
            return Change("line", number, None, Item(number, text, {}, stamp, stamp, Sources(get_source(cause))))

        return self._write(plan, cause)

    def replace_line(
        self, line: int, content: str, cause: Cause | None = None, shown: Mapping[int, str] | None = None
    ) -> Change:
        """Rewrite a line; `shown` are digests of the lines the caller saw (see `line_digest`).

        Raises ToolError if there is no such line, or it was changed after the caller saw it.
        """
        text = to_one_line(content)

        def plan() -> Change:
            old = self._get_unchanged_line(line, shown)
            sources = Sources(tell_part(old.source, old.content, text, text, get_source(cause)))
            return Change("line", old.id, old, Item(old.id, text, {}, old.created_at, self.stamp(), sources))

        return self._write(plan, cause)

    def delete_line(self, line: int, cause: Cause | None = None, shown: Mapping[int, str] | None = None) -> Change:
        """Remove a line; its number is retired. Arguments and errors as in `replace_line`."""

        def plan() -> Change:
            old = self._get_unchanged_line(line, shown)
            return Change("line", old.id, old, None)

        return self._write(plan, cause)

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        """Make new changes as the backend's `apply` does. Raises ToolError as `check_item` and `check_names`."""
        for change in (entry.change for entry in entries):
            if change.after:
                check_names(check_item(change.after, change.before), change.before)
        return self.backend.apply(entries, expected, distinct=distinct)

    def put_back(self, changes: Sequence[Change], by: Cause) -> list[Change]:
        """Put records back as they once were, all of them or none; a line gets its old number again.

        Raises RecordChanged if one is not as its change says that it is now.
        """
        entries = self._enter(changes, by)
        # whatever the bounds of today: it was stored once
        return self.backend.apply(entries, {change.key: change.before for change in combine(changes)})

    def history(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        """Return journal entries, the newest first. Arguments as `Backend.entries`."""
        return self.backend.entries(turn=turn, id=id, since=since, limit=limit)

    def completed_at(self, item: Item) -> str | None:
        """Return when an item's status became done, by the journal, as a stamp; None if it is open or nobody knows."""
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

    def stamp(self) -> str:
        """Return the present moment in the form of created_at and updated_at."""
        return self._clock.stamp()

    def close(self) -> None:
        self.backend.close()

    def _write(self, plan: Callable[[], Change], cause: Cause | None, *, distinct: bool = False) -> Change:
        return self._write_all(lambda: [plan()], cause, distinct=distinct)[0]

    def _write_all(
        self, plan: Callable[[], list[Change]], cause: Cause | None, *, distinct: bool = False
    ) -> list[Change]:
        """Make changes once: a call that already made one gets the change of that time."""
        by = cause or make_edit()

        def attempt() -> list[Change]:
            try:
                changes = plan()
            except ToolError:  # the call may have run before: what it would change is gone by now
                if by.key and (earlier := self.backend.find_change(by.key)):
                    return [earlier]
                raise
            expected = {change.key: change.before for change in changes}
            return self.apply(self._enter(changes, by), expected, distinct=distinct)

        # others may write between the plan and the change, because embedding takes time; whoever is slower plans again
        return retry_on_change(self.backend, attempt)

    def _enter(self, changes: Sequence[Change], by: Cause) -> list[Entry]:
        stamp = self.stamp()
        return [Entry(stamp, by.thread, by.turn, change, by.key or None, source=by.source) for change in changes]

    def _get_unchanged_line(self, line: int, shown: Mapping[int, str] | None) -> Item:
        item = self._get_line(str(line))
        if shown is not None and shown.get(line) != line_digest(item.content):
            raise ToolError(
                f"Line {line} has changed since you read it. It now reads: {item.content}",
                "Decide again with this text; the line was not changed.",
            )
        return item

    def _get_line(self, line: str) -> Item:
        item = self.record("line", line)
        if item is None:
            numbers = ", ".join(map(str, self.lines())) or "none"
            raise ToolError(f"There is no Global Context line {line}.", f"The lines are: {numbers}.")
        return item
