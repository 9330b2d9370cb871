"""Everything the assistant knows, items and Global Context, and the one way to change it, on any backend."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ana.errors import DuplicateItem, RecordChanged, ToolError
from ana.memory.backend import Expected, retry_on_change, to_key
from ana.memory.bounds import check_item, check_names, to_one_line
from ana.memory.changes import Cause, Change, Entry, combine, get_source, make_edit, net
from ana.memory.digests import digest_line
from ana.memory.item import Item, iter_candidate_ids
from ana.memory.operations import Operation
from ana.memory.reader import Reader
from ana.memory.sources import ALL_MINE, Sources, tell_part
from ana.memory.travel import may_keep_zone
from ana.memory.updates import make_item, update_item
from ana.values import Json, Properties


class Memory(Reader):
    """Items and Global Context lines, and the one way to change them. Every write returns the records that were read
    back.
    """

    def create(
        self, content: str, properties: Properties | None = None, cause: Cause | None = None, *, copy: bool = True
    ) -> Change:
        """Store a new item; the rule of a repeating one is checked.

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
        version: str | None = None,
    ) -> Change:
        """Replace an item's content, merge its properties; a property set to None is removed, an operation applied.

        A repeating item moves on when it is done, or when its date is left out (see ana.memory.repeating).

        Args:
            version: The time at which the item that the caller saw was last changed.

        Raises:
            RecordChanged: It was changed after the caller saw it.
            ToolError: There is no such item, an operation does not fit the present value, or the new item cannot be
                stored or is too large.
        """

        def change(old: Item) -> Mapping[str, Json | Operation]:
            if version not in (None, old.updated_at):
                raise RecordChanged("item", id)
            return properties or {}

        return self.change_all([id], change, cause, content)[0]

    def change_all(
        self,
        ids: Sequence[str],
        change: Callable[[Item], Mapping[str, Json | Operation] | None],
        cause: Cause | None = None,
        content: str | Operation | None = None,
    ) -> list[Change]:
        """Change several items in one write, all or none.

        Args:
            change: Returns the properties of an item to merge, or None to delete it.
            content: Their new content; None if it stays.

        Raises:
            ToolError: As in `update`, for any of the items; the message names its id if there are several.
        """
        unique = list(dict.fromkeys(ids))

        def plan() -> list[Change]:
            return [self._plan(self.get(id), content, change, cause, is_one=len(unique) == 1) for id in unique]

        return self._write_all(plan, cause, count=len(unique))

    def _plan(
        self,
        old: Item,
        content: str | Operation | None,
        change: Callable[[Item], Mapping[str, Json | Operation] | None],
        cause: Cause | None,
        *,
        is_one: bool,
    ) -> Change:
        changes = change(old)
        try:
            new = None if changes is None else update_item(old, content, changes, get_source(cause), self._clock)
        except ToolError as exc:
            if is_one:
                raise
            raise ToolError(f"{old.id}: {exc.message} None of them was changed.", exc.hint) from exc
        return Change("item", old.id, old, new)

    def claim(self, names: Sequence[str], cause: Cause | None = None) -> list[Change]:
        """Mark records as the person's own words; only their sources change. Names are as in `to_key`.

        Raises ToolError if one does not exist.
        """

        def plan() -> list[Change]:
            olds = [(kind, self.get(id) if kind == "item" else self._get_line(id)) for kind, id in map(to_key, names)]
            return net(Change(kind, old.id, old, replace(old, sources=ALL_MINE)) for kind, old in olds)

        return self._write_all(plan, cause)

    def keep_zone(self, zone: str, cause: Cause | None = None) -> int:
        """Give a zone to the times of items that name none (see ana.memory.travel), and return the number of items.

        Imported items are left out: their times have no zone on purpose, and mean the zone that the person is in.
        """

        def plan() -> list[Change]:
            olds = [old for old in self.items() if may_keep_zone(old)]
            return [Change("item", old.id, old, replace(old, zone=zone)) for old in olds]

        return len(self._write_all(plan, cause))

    def delete(self, id: str, cause: Cause | None = None) -> Change:
        """Remove an item. Raises ToolError if there is none."""
        return self.change_all([id], lambda _: None, cause)[0]

    def append_line(self, content: str, cause: Cause | None = None, *, copy: bool = True) -> Change:
        """Add a line under a number that no other line ever had.

        Raises:
            DuplicateItem: Another line is the same, and a copy is not wanted.
            ToolError: It is empty or too long.
        """
        text = to_one_line(content)

        def plan() -> Change:
            if not copy and (same := [line for line, known in self.lines().items() if known == text]):
                raise DuplicateItem(str(same[0]))
            number, stamp = str(self.backend.take_line_number()), self.stamp()
            return Change("line", number, None, Item(number, text, {}, stamp, stamp, Sources(get_source(cause))))

        return self._write(plan, cause)

    def replace_line(
        self, line: int, content: str, cause: Cause | None = None, digests: Mapping[int, str] | None = None
    ) -> Change:
        """Rewrite a line; `digests` are digests of the lines the caller saw (see `digest_line`).

        Raises ToolError if there is no such line, or it was changed after the caller saw it.
        """
        text = to_one_line(content)

        def plan() -> Change:
            old = self._get_unchanged_line(line, digests)
            sources = Sources(tell_part(old.source, old.content, text, text, get_source(cause)))
            return Change("line", old.id, old, Item(old.id, text, {}, old.created_at, self.stamp(), sources))

        return self._write(plan, cause)

    def delete_line(self, line: int, cause: Cause | None = None, digests: Mapping[int, str] | None = None) -> Change:
        """Remove a line; its number is retired. Arguments and errors as in `replace_line`."""

        def plan() -> Change:
            old = self._get_unchanged_line(line, digests)
            return Change("line", old.id, old, None)

        return self._write(plan, cause)

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        """Make new changes like the backend's `apply`. Raises ToolError like `check_item` and `check_names`."""
        for change in (entry.change for entry in entries):
            if change.after:
                check_names(check_item(change.after, change.before), change.before)
        return self.backend.apply(entries, expected, distinct=distinct)

    def put_back(self, changes: Sequence[Change], cause: Cause) -> list[Change]:
        """Restore earlier states of records, all or none; a line gets its old number again.

        Raises RecordChanged if the present state of a record differs from the one in its change.
        """
        entries = self._enter(changes, cause)
        # whatever the bounds of today: it was stored once
        return self.backend.apply(entries, {change.key: change.before for change in combine(changes)})

    def stamp(self) -> str:
        """Return the present moment in the form of created_at and updated_at."""
        return self._clock.stamp()

    def close(self) -> None:
        self.backend.close()

    def _write(self, plan: Callable[[], Change], cause: Cause | None, *, distinct: bool = False) -> Change:
        return self._write_all(lambda: [plan()], cause, distinct=distinct)[0]

    def _write_all(
        self, plan: Callable[[], list[Change]], cause: Cause | None, *, distinct: bool = False, count: int = 1
    ) -> list[Change]:
        """Make changes once, and return them as they were read back.

        A call that runs again after a crash gets the changes that it made the first time.

        Args:
            plan: Returns the changes; called again if another writer was faster.
            distinct: Whether an item that says the same as another one is refused.
            count: How many records the call changes.
        """
        origin = cause or make_edit()

        def attempt() -> list[Change]:
            try:
                changes = plan()
            except ToolError:
                # if the call has run before, what it changes may be gone by now
                if earlier := self._find_earlier(origin.key, count):
                    return earlier
                raise
            # of a single change the backend returns the earlier one itself (see `Backend.apply`)
            if count > 1 and (earlier := self._find_earlier(origin.key, count)):
                return earlier
            expected = {change.key: change.before for change in changes}
            return self.apply(self._enter(changes, origin), expected, distinct=distinct)

        # embedding takes time, so others may write between the plan and the change; the slower one plans again
        return retry_on_change(self.backend, attempt)

    def _enter(self, changes: Sequence[Change], cause: Cause) -> list[Entry]:
        stamp = self.stamp()
        return [
            Entry(stamp, cause.thread, cause.turn, change, _number_key(cause.key, n) or None, source=cause.source)
            for n, change in enumerate(changes)
        ]

    def _find_earlier(self, key: str, count: int) -> list[Change]:
        """Return the changes that the call with a key has made before, at most this many."""
        changes: list[Change] = []
        while key and len(changes) < count and (change := self.backend.find_change(_number_key(key, len(changes)))):
            changes.append(change)
        return changes

    def _get_unchanged_line(self, line: int, digests: Mapping[int, str] | None) -> Item:
        item = self._get_line(str(line))
        if digests is not None and digests.get(line) != digest_line(item.content):
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


def _number_key(key: str, number: int) -> str:
    """Return the key of a call's change, from 0; each record that it changes has one."""
    return f"{key}/{number}" if key and number else key
