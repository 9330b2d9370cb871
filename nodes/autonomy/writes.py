"""A call that is weighed, what it touches, and what a message means of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ana.memory.changes import Kind
from ana.memory.item import Item
from ana.values import Properties, iter_texts
from nodes.autonomy.message import Message


@dataclass(frozen=True)
class Touched:
    """A record that a write touches.

    Args:
        kind: item or line.
        id: Its id or number.
        now: The record as it is; None if the write brings it back.
        removed: Whether the write deletes it.
        back: The record that it brings back, if it does.
    """

    kind: Kind
    id: str
    now: Item | None
    removed: bool
    back: Item | None = None


@dataclass(frozen=True)
class Write:
    """A call that may write and has not run yet.

    Args:
        call: Its id.
        name: The tool.
        args: As its schema has them.
        touched: The records it touches; none for one that it makes, or if the tool is a person's own.
        own: Whether the tool is a person's own, of which nobody knows what it does.
        shared: Values of its properties, or of those of the records, that other items have too: they name nothing.
    """

    call: str
    name: str
    args: Mapping[str, Any]
    touched: tuple[Touched, ...] = ()
    own: bool = False
    shared: frozenset[str] = frozenset()

    @property
    def destroys(self) -> bool:
        """Whether it takes away something that is there."""
        if self.name == "update_item":
            return self.args.get("content") is not None
        return any(each.now for each in self.touched)

    @property
    def given(self) -> Properties:
        """The properties that it gives an item."""
        return {} if self.own else self.args.get("properties") or {}

    @property
    def before(self) -> Properties:
        """The properties of the item that it changes or deletes; an undo touches whatever a turn did."""
        now = self.touched[0].now if self.touched and self.name != "undo" else None
        return now.properties if now else {}


def is_named(touched: Touched, said: Message) -> bool:
    """Return whether a message names a record, in a part that is no question."""
    return said.names(touched.id, touched.now.content if touched.now else "")


def is_asked_for(write: Write, said: Message) -> bool:
    """Return whether a message asks for a write: it names what is written, or all that is removed."""
    if write.name == "undo":
        return False
    if any(each.removed for each in write.touched):
        return said.asks_to_remove and all(is_named(each, said) for each in write.touched)
    plain = {key: value for key, value in write.args.items() if write.own or key != "properties"}
    texts = (*iter_texts(plain), *(each.now.content for each in write.touched if each.now))
    return said.names(*texts) or said.names(*_iter_alone(write.given, write), whole=False)


def may_be_meant(write: Write, said: Message, others: Iterable[Write]) -> bool:
    """Return whether a message may mean what a write destroys: it names it, or asks to remove and means no other more.

    Args:
        write: The write.
        said: The message.
        others: The other writes of its batch.
    """
    if write.name in ("undo", "replace_context") or _names(said, write):
        return True
    most = max((_rank(each, said) for each in others if each.destroys), default=0)
    return said.asks_to_remove and _rank(write, said) >= most


def _rank(write: Write, said: Message) -> int:
    """Return how much a message speaks of a write: it names it, has a value of all its records, or nothing of it."""
    if _names(said, write):
        return 2
    records = [iter_texts(each.now.properties) for each in write.touched if each.now]
    return int(bool(records) and all(said.mentions(*texts) for texts in records))


def _names(said: Message, write: Write) -> bool:
    """Whether the message shares a content word with what is written, or with what every touched record has alone."""
    written = [text for text in (write.args.get("content"),) if isinstance(text, str)]
    records = [each for each in write.touched if each.now]
    return said.mentions(*written) or (bool(records) and all(_mentions(said, each, write) for each in records))


def _mentions(said: Message, touched: Touched, write: Write) -> bool:
    content, properties = (touched.now.content, touched.now.properties) if touched.now else ("", {})
    return said.mentions(touched.id, content) or said.mentions(*_iter_alone(properties, write), whole=False)


def _iter_alone(properties: Properties, write: Write) -> Iterator[str]:
    """Yield the values by which an item is named: no other item has them."""
    return (text for text in iter_texts(properties) if text not in write.shared)
