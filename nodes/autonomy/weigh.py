"""Weigh a batch of calls: which of them wait for a person, and why. Nothing here reads or writes anything."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ana.settings import Autonomy
from graph.state import Reason
from nodes.autonomy.message import Message, split_words
from nodes.autonomy.orders import find_copied, find_order
from nodes.autonomy.writes import Touched, Write, is_asked_for, is_named, may_be_meant

MOST_WRITES = 5
"""Writes in one turn that `confirm` makes without asking."""

FEWEST_WORDS = 3
"""A shorter text is a name or a date, not an order to do something with something else."""

MOST_CHARACTERS = 60
"""Of a text in a reason."""


@dataclass(frozen=True)
class Batch:
    """The calls of one message, and what they are weighed by.

    Args:
        message: The person's message.
        writes: The calls.
        lines: Global Context.
        read: Stored text in view: the results of calls, and the summary.
        written: How many calls of this turn wrote something.
        deleted: How many items were deleted in this turn.
        dial: How much is done without asking.
        looked_up: Whether some of that text came in this turn.
    """

    message: str
    writes: Sequence[Write]
    lines: Mapping[int, str]
    read: Sequence[str]
    written: int
    deleted: int
    dial: Autonomy
    looked_up: bool = False

    @cached_property
    def said(self) -> Message:
        """The person's message, taken apart."""
        return Message(self.message)

    @cached_property
    def orders(self) -> list[tuple[str, str]]:
        """Every text in view that reads as an order to the assistant, with the words by which it does."""
        texts = (*self.read, *self.lines.values())
        return [(text, words) for text in texts if (words := find_order(text))]


@dataclass(frozen=True)
class Asking:
    """A write that waits for a person.

    Args:
        write: The call.
        reasons: Why.
    """

    write: Write
    reasons: tuple[Reason, ...]


Rule = Callable[[Write, Batch], str | None]
"""Returns why a write of the batch asks, as a sentence, or None."""


def weigh(batch: Batch) -> list[Asking]:
    """Return the writes of the batch that wait for a person, each with its reasons."""
    weighed = [Asking(write, tuple(_find_reasons(write, batch))) for write in batch.writes]
    return [asking for asking in weighed if asking.reasons]


def _find_reasons(write: Write, batch: Batch) -> list[Reason]:
    stored = [words for rule in STORED_TEXT if (words := rule(write, batch))]
    dial = [words for rule in DIAL[batch.dial] if (words := rule(write, batch))]
    kind: Literal["stored", "dial"] = "stored" if stored or _may_have_been_ordered(write, batch) else "dial"
    return [Reason(kind=kind, words=words) for words in (*dial, *stored)]


def repeats_stored_text(write: Write, batch: Batch) -> str | None:
    """A line of Global Context must be the person's own, not a copy of what was stored."""
    if write.name not in ("append_context", "replace_context"):
        return None
    ordering = [text for text, _ in batch.orders]
    copied = find_copied(str(write.args.get("content")), [*batch.read, *ordering], batch.message)
    return copied and f"Stored text is repeated that you did not write: “{_cut(copied)}”."


def follows_stored_order(write: Write, batch: Batch) -> str | None:
    """While an order to the assistant is in view, only what the person's message names is done."""
    if not batch.orders or is_asked_for(write, batch.said):
        return None
    words = _cut(batch.orders[0][1])
    return f"Stored text reads as an order to the assistant (“{words}”), and you did not ask for this."


def destroys_unasked(write: Write, batch: Batch) -> str | None:
    """Once stored text is in view, only what the message may mean is deleted or overwritten; a question means nothing.

    Whether that text reads as an order cannot be decided by its words. What the message speaks of can.
    """
    if not write.destroys or not any(batch.read):
        return None
    if not batch.said.states:
        return "Stored text was read, and your message only asks something."
    others = [each for each in batch.writes if each is not write]
    if may_be_meant(write, batch.said, others) or not _may_order(write, batch.read):
        return None
    return "Your message does not speak of this, and stored text was read."


def learns_from_stored_text(write: Write, batch: Batch) -> str | None:
    """What is learned has a word of the message if stored text was just read, and most of its words if it only asks."""
    only_asks = not batch.said.states
    if write.name not in ("append_context", "replace_context") or not (batch.looked_up or (only_asks and batch.read)):
        return None
    content = str(write.args.get("content"))
    own = batch.said.count(content)
    if not own and len(split_words(content)) > 1:
        return "Stored text was read, and your message has none of these words."
    foreign = Message("\n".join(batch.read)).count(content) - own
    return "Stored text has more of these words than your message." if only_asks and foreign > own else None


def deletes_several(write: Write, batch: Batch) -> str | None:
    """More than one item goes in a turn."""
    if not _removed_items(write, batch.said):
        return None
    count = batch.deleted + sum(len(_removed_items(each, batch.said)) for each in batch.writes)
    return f"{count} items would be deleted in this turn." if count > 1 else None


def deletes_unnamed(write: Write, batch: Batch) -> str | None:
    """An item goes that the message does not name, or does not ask to delete."""
    removed = _removed_items(write, batch.said)
    if removed and not batch.said.asks_to_remove:
        return "Your message does not clearly ask to delete something."
    unnamed = next((each for each in removed if not is_named(each, batch.said)), None)
    return f"Your message does not name “{_shorten(unnamed)}”." if unnamed else None


def changes_unnamed_line(write: Write, batch: Batch) -> str | None:
    """A line of Global Context is replaced or deleted that the message has no word of."""
    if _is_plain_undo(write, batch.said):
        return None
    lines = (each for each in write.touched if each.kind == "line" and each.now)
    unnamed = next((each for each in lines if each.now and not batch.said.mentions(each.now.content)), None)
    return f"Your message shares no word with line {unnamed.id}, “{_shorten(unnamed)}”." if unnamed else None


def writes_many(write: Write, batch: Batch) -> str | None:
    """The turn writes more than a few times."""
    count = batch.written + sum(not each.own for each in batch.writes)
    return f"{count} changes would be made in this turn." if count > MOST_WRITES and not write.own else None


def is_a_write(_: Write, __: Batch) -> str | None:
    """Every write asks."""
    return "You want to be asked before every change."


STORED_TEXT: tuple[Rule, ...] = (
    repeats_stored_text,
    follows_stored_order,
    destroys_unasked,
    learns_from_stored_text,
)
"""The rules of every dial: stored text may have ordered what they ask about."""

_CONFIRM: tuple[Rule, ...] = (deletes_several, deletes_unnamed, changes_unnamed_line, writes_many)
DIAL: dict[Autonomy, tuple[Rule, ...]] = {"act": (), "confirm": _CONFIRM, "advise": (*_CONFIRM, is_a_write)}
"""The rules by the dial."""


def _may_have_been_ordered(write: Write, batch: Batch) -> bool:
    """Whether stored text in view may have ordered a write; what the message asks for needs no other order."""
    return _may_order(write, batch.read) and not is_asked_for(write, batch.said)


def _removed_items(write: Write, said: Message) -> list[Touched]:
    """Return the items that a write deletes; taking back what was just done is not deleting."""
    if _is_plain_undo(write, said):
        return []
    return [each for each in write.touched if each.removed and each.kind == "item"]


def _is_plain_undo(write: Write, said: Message) -> bool:
    """Whether a write takes back this conversation's last turn, and the message is no question."""
    return write.name == "undo" and said.states and not write.args.get("turn") and not write.args.get("force")


def _may_order(write: Write, read: Sequence[str]) -> bool:
    """Whether a text in view may have ordered a write; that of the very record would only harm itself."""
    own = {each.now.content for each in write.touched if each.now}
    return any(text not in own and sum(map(str.isalpha, split_words(text))) >= FEWEST_WORDS for text in read)


def _shorten(touched: Touched) -> str:
    return _cut(touched.now.content if touched.now else touched.id)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 1]}…"
