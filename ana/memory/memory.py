"""All the assistant knows: items, Global Context, and the one way to change them."""

import hashlib
import logging
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ana.backends.chroma.acts import Acts
from ana.backends.chroma.care.healing import Healing, Tell
from ana.backends.chroma.care.reindex import Progress, reindex
from ana.backends.chroma.client import foreign_errors, unusable
from ana.backends.chroma.collection import ChromaStore, collection_arguments
from ana.backends.chroma.folder import Folder
from ana.backends.chroma.journal import Journal
from ana.embedders import Embedder
from ana.errors import DuplicateItem, ToolError
from ana.memory.changes import Cause, Change, Entry, Kind, Origin
from ana.memory.context_line import digest, one_line
from ana.memory.ids import new_id, short_id
from ana.memory.item import Item, check_properties
from ana.time.clock import Clock
from ana.values import Json, Properties

COLLECTIONS = ("items", "global_context")

_log = logging.getLogger(__name__)


class Memory:
    """Items and Global Context lines in one data folder. What a write returns was read back from the store.

    Args:
        path: The data folder.
        embedder: Turns text into vectors.
        clock: The person's clock.
        timeout: Seconds to wait for another process.
        program: How this process is called in another's message.
        tell: Is told what goes on when a damaged store is mended.
    """

    def __init__(
        self,
        path: Path,
        embedder: Embedder,
        clock: Clock,
        timeout: float = 10.0,
        program: str = "ana",
        tell: Tell = _log.warning,
    ) -> None:
        self.folder = Folder(path, timeout, program, self._heal, self._opened)
        self.items, self._lines = (ChromaStore(self.folder, name, embedder, clock) for name in COLLECTIONS)
        self.stores: Mapping[Kind, ChromaStore] = {"item": self.items, "line": self._lines}
        self._embedder = embedder
        self.journal = Journal(path / "journal.sqlite")
        self.acts = Acts(self.stores, self.journal)
        self.healing = Healing(path, self.stores, self.journal, embedder, tell)
        self._clock = clock

    def create(
        self,
        content: str,
        properties: Properties | None = None,
        cause: Cause | None = None,
        *,
        copy: bool = True,
    ) -> Change:
        """Keep a new item.

        Args:
            content: Its text.
            properties: Its properties.
            cause: The call that wants it.
            copy: Whether it is kept also where another item says the same already.

        Raises:
            DuplicateItem: Another item says the same, and no copy is wanted.
            ToolError: A property cannot be stored.
        """
        check_properties(properties or {})
        self.items.embed_ahead((content, properties))

        def plan() -> Change:
            if not copy and (same := self.items.same(content, properties or {})):
                raise DuplicateItem(same[0].id)
            stamp = self._clock.stamp()
            item = Item(self._free_id(cause), content, dict(properties or {}), stamp, stamp)
            return Change("item", item.id, None, item)

        return self._write(plan, cause)

    def update(
        self,
        id: str,
        content: str | None = None,
        properties: Mapping[str, Json] | None = None,
        cause: Cause | None = None,
    ) -> Change:
        """Replace an item's content, merge its properties; a property set to None is removed.

        Raises:
            ToolError: There is no such item, or a property cannot be stored.
        """

        if before := self.items.get(id):
            after = self.items.changed(before, content, properties)
            self.items.embed_ahead((after.content, after.properties))

        def plan() -> Change:
            old = self.items.known(id)
            return Change("item", id, old, self.items.changed(old, content, properties))

        return self._write(plan, cause)

    def delete(self, id: str, cause: Cause | None = None) -> Change:
        """Remove an item.

        Raises:
            ToolError: There is no such item.
        """
        return self._write(lambda: Change("item", id, self.items.known(id), None), cause)

    def lines(self) -> dict[int, str]:
        """Global Context: its lines by number, in order."""
        with self._hold():
            return {int(i.id): i.content for i in sorted(self._lines.scan(), key=lambda i: int(i.id))}

    def append_line(self, content: str, cause: Cause | None = None) -> Change:
        """Add a line; its number was never another's.

        Raises:
            ToolError: The line is empty or too long.
        """
        text = one_line(content)
        self._lines.embed_ahead((text, None))

        def plan() -> Change:
            number = self.journal.next_number("line", floor=max(self.lines(), default=-1) + 1)
            stamp = self._clock.stamp()
            return Change("line", str(number), None, Item(str(number), text, {}, stamp, stamp))

        return self._write(plan, cause)

    def replace_line(
        self, line: int, content: str, cause: Cause | None = None, shown: Mapping[int, str] | None = None
    ) -> Change:
        """Rewrite a line.

        Args:
            line: Its number.
            content: Its new text.
            cause: The call that wants it.
            shown: Digests of the lines the caller saw (see `digest`); None skips the comparison.

        Raises:
            ToolError: There is no such line, or it no longer reads as the caller saw it.
        """
        text = one_line(content)
        self._lines.embed_ahead((text, None))

        def plan() -> Change:
            old = self._unchanged(line, shown)
            return Change("line", old.id, old, Item(old.id, text, {}, old.created_at, self._clock.stamp()))

        return self._write(plan, cause)

    def delete_line(self, line: int, cause: Cause | None = None, shown: Mapping[int, str] | None = None) -> Change:
        """Remove a line; its number is retired. Arguments and errors as in `replace_line`."""

        def plan() -> Change:
            old = self._unchanged(line, shown)
            return Change("line", old.id, old, None)

        return self._write(plan, cause)

    def origins(self, kind: Kind) -> dict[str, Origin]:
        """Why each record of a kind reads as it does, by its id; one that was never journaled has none."""
        with self._hold():
            return self.journal.origins(kind)

    def turns(self) -> dict[str, str]:
        """The turns that wrote something, the newest first, each with its conversation."""
        with self._hold():
            return self.journal.turns()

    def history(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        """What was done, the newest first. Arguments as `Journal.entries`."""
        with self._hold():
            return self.journal.entries(turn=turn, id=id, since=since, limit=limit)

    def record(self, kind: Kind, id: str) -> Item | None:
        """An item, or a Global Context line."""
        return self.stores[kind].get(id)

    def erase(self, id: str) -> None:
        """Forget all that was done to an item that is no longer there."""
        with self._hold():
            if not self.items.has(id):
                self.journal.erase("item", id)

    def put_back(self, changes: Sequence[Change], turn: str, thread: str = "") -> None:
        """Make records what they were once, all of them or none; a line gets its own number again.

        Args:
            changes: From what each is now to what it is to be.
            turn: What this is part of.
            thread: The conversation.
        """
        stamp = self._clock.stamp()
        with self._hold():
            self.acts.settle()
            self.acts.do([Entry(stamp, thread, turn, change) for change in changes])

    def stamp(self) -> str:
        """This moment, as records are stamped with it."""
        return self._clock.stamp()

    def describe(self) -> list[dict[str, Any]]:
        """Both collections: name, count, embedder, dimension, distance space, format version."""
        return [self.items.describe(), self._lines.describe()]

    def reindex(self, progress: Progress) -> int:
        """Embed everything again with this memory's embedder; other processes wait meanwhile.

        Args:
            progress: Called with how many records are done, and of how many.

        Returns:
            How many records there are.
        """
        with foreign_errors(self.folder.path), self.folder.hold() as client:
            self.folder.writing()
            made = collection_arguments(self._embedder)
            try:
                return reindex(client, self.folder.path, COLLECTIONS, made, self._embedder, progress)
            finally:
                self.folder.close()  # the collections are others now

    def close(self) -> None:
        self.journal.close()
        self.items.close()
        self._lines.close()
        self.folder.close()

    def _heal(self) -> None:
        self.healing.heal()

    def _opened(self) -> None:
        self.healing.complete()
        self.acts.settle()

    def _write(self, plan: Callable[[], Change], cause: Cause | None) -> Change:
        """Make a change, once: a call that already made it gets the receipt it got then."""
        with self._hold():
            self.acts.settle()
            if cause and (earlier := self.journal.find(cause.key)):
                return earlier
            change = plan()
            by = cause or Cause("", "", f"edit-{secrets.token_hex(4)}")
            self.acts.do([Entry(self._clock.stamp(), by.thread, by.turn, change, by.key or None)])
            self.acts.settle(sure=True)
            return change

    def _free_id(self, cause: Cause | None) -> str:
        """An id that no item has; the same for the same call, so that a call run again meets its own item."""
        seed = hashlib.sha256(cause.key.encode()).digest() if cause else b""
        ids = (short_id(seed[i : i + 5]) for i in range(0, len(seed) - 4, 5))
        id = next((i for i in ids if not self.items.has(i)), None) or new_id()
        while self.items.has(id):
            id = new_id()
        return id

    def _unchanged(self, line: int, shown: Mapping[int, str] | None) -> Item:
        item = self._lines.get(str(line))
        if item is None:
            numbers = ", ".join(map(str, self.lines())) or "none"
            raise ToolError(f"There is no Global Context line {line}.", f"The lines are: {numbers}.")
        if shown is not None and shown.get(line) != digest(item.content):
            raise ToolError(
                f"Line {line} has changed since you read it. It now reads: {item.content}",
                "Decide again with this text; the line was left as it is.",
            )
        return item

    @contextmanager
    def _hold(self) -> Iterator[None]:
        try:
            with self.folder.hold():
                yield
        except sqlite3.Error as exc:
            raise unusable(self.folder.path, exc) from exc
