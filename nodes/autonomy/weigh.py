"""Deciding what asks first: one table of effects, the dial, and whether text by others is in view. It reads no text."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from ana.memory.changes import Change
from ana.memory.content_words import find_content_words, find_words_of
from ana.memory.routines import is_routine
from ana.memory.sources import PASTE, PERSON, SUGGESTED
from ana.settings import Autonomy
from graph.state import Reason
from nodes.autonomy.effects import Effect, find_effects
from nodes.autonomy.own_words import is_own, is_own_lesson
from nodes.autonomy.reasons import by_dial, by_others
from nodes.autonomy.writes import Write
from nodes.view import SourcedText

Rule: TypeAlias = Literal["never", "always", "others", "unnamed", "several", "foreign"]
Column: TypeAlias = Literal["confirm", "act", "assistant"]

TABLE: Mapping[Effect, Mapping[Column, Rule]] = {
    "adds": {"confirm": "never", "act": "never", "assistant": "never"},
    "changes": {"confirm": "unnamed", "act": "unnamed", "assistant": "others"},
    "loses": {"confirm": "several", "act": "several", "assistant": "others"},
    "deletes": {"confirm": "others", "act": "several", "assistant": "always"},
    "teaches": {"confirm": "foreign", "act": "foreign", "assistant": "others"},
    "acts": {"confirm": "always", "act": "others", "assistant": "always"},
    "reaches": {"confirm": "others", "act": "others", "assistant": "others"},
}
"""What asks beside the numbers below; on `advise` all of it. An assistant is another one, whose person's message is not
known. With a text of others in view asks `others` in any case, `unnamed` if the message does not name each record that
the call so changes, `several` if it does not or the turn so changes more than one, `foreign` if what is taught is not
the person's."""

MOST: Mapping[Effect, int] = {"changes": 10, "loses": 5, "deletes": 5}
"""Records that a turn may so change on `confirm` without asking; what it adds is one undo, however much it is."""

MOST_A_MINUTE = 10
"""Records that another assistant may write in a minute without asking."""


@dataclass(frozen=True)
class Batch:
    """The calls of one message, and the facts by which they are weighed.

    Args:
        writes: The calls.
        dial: How much is done without asking.
        view: The texts by others that the model was shown.
        typed: The text that the person typed in this message and in the one before.
        done: The changes that this turn has made already.
        in_use: Names and values that the person's records use already.
        is_rare: Returns whether a word is in few enough records to name one of them.
        written: The number of records that the calling assistant wrote within the last minute; None if ana calls.
    """

    writes: Sequence[Write]
    dial: Autonomy
    view: Sequence[SourcedText] = ()
    typed: Sequence[str] = ()
    done: Sequence[Change] = ()
    in_use: Container[str] = frozenset()
    is_rare: Callable[[str], bool] = lambda _: True
    written: int | None = None

    @cached_property
    def own_ids(self) -> frozenset[str]:
        """The ids of the records that this turn has created, and so may change."""
        return frozenset(change.id for change in self.done if change.before is None)

    def names(self, change: Change) -> bool:
        """Return whether the message names the record of a change, by a content word that is in no text by others.

        A word in every third record names none of them, and a word in a text by others may come from there. The
        record's own text and earlier answers are no such texts: anybody who speaks of the record uses its words.
        """
        record = change.before or change.after
        if record is None:
            return False
        others = (each.text for each in self.view if each.record != record.id and not each.is_answer)
        shared = find_words_of(record) & find_content_words(*self.typed)
        return any(map(self.is_rare, shared - find_content_words(*others)))

    def find_effects(self, change: Change) -> frozenset[Effect]:
        """Return the effects of a change; on a record that this turn has created, only `adds` and `teaches` count."""
        effects = find_effects(change)
        return effects & {"adds", "teaches"} if change.id in self.own_ids else effects

    def count(self, effect: Effect) -> int:
        """Return the number of records on which the turn and this batch have this effect."""
        changes = (*self.done, *(change for write in self.writes for change in write.changes))
        return len({change.key for change in changes if effect in self.find_effects(change)})


@dataclass(frozen=True)
class Asking:
    """A write that waits for a person, and why."""

    write: Write
    reasons: tuple[Reason, ...]


def weigh(batch: Batch) -> list[Asking]:
    """Return the writes of the batch that wait for a person, each with its reasons."""
    weighed = [Asking(write, tuple(_find_reasons(write, batch))) for write in batch.writes]
    return [asking for asking in weighed if asking.reasons]


def find_source(write: Write, batch: Batch) -> str:
    """Return the source of a call's texts: the person, unless a text by others may have suggested them."""
    if not batch.view or all(is_own(change, batch.typed, batch.in_use) for change in write.changes):
        return PERSON
    return PASTE if all(each.source == PASTE for each in batch.view) else SUGGESTED


def list_effects(write: Write, batch: Batch) -> dict[Effect, list[Change]]:
    """Return the effects of a call in the order of the table, each with the changes that cause it."""
    effects = {effect: [each for each in write.changes if effect in batch.find_effects(each)] for effect in TABLE}
    return {effect: changes for effect, changes in effects.items() if changes or effect in write.own}


def _find_reasons(write: Write, batch: Batch) -> Iterator[Reason]:
    effects = list_effects(write, batch)
    column: Column = "act" if batch.dial == "act" else "confirm"
    column = column if batch.written is None else "assistant"
    if batch.dial == "advise" and effects:
        yield by_dial("advise")
    for effect, changes in effects.items():
        if column == "confirm" and (count := batch.count(effect)) > MOST.get(effect, count):
            yield by_dial("many", effect=effect, count=count)
        if _applies(TABLE[effect][column], effect, changes, batch):
            yield _name_reason(effect, write, batch)
    count = len({each.key for each in write.changes}) + (batch.written or 0)
    if column == "assistant" and count > MOST_A_MINUTE:
        yield by_dial("minute", count=count)


def _applies(rule: Rule, effect: Effect, changes: Sequence[Change], batch: Batch) -> bool:
    if rule in ("never", "always") or not batch.view:
        return rule == "always"
    if rule == "foreign":
        return not all(_is_own(each, batch) for each in changes)
    is_many = rule == "several" and batch.count(effect) > 1
    return rule == "others" or is_many or not all(map(batch.names, changes))


def _name_reason(effect: Effect, write: Write, batch: Batch) -> Reason:
    if batch.written is not None and effect == "deletes":
        return by_dial("unheard")
    if batch.view:
        return by_others(effect, batch.view)
    return by_dial("tool", name=write.name)


def _is_own(change: Change, batch: Batch) -> bool:
    """Whether the person typed the words that are taught, or named the record of the reminder or rule."""
    if is_own_lesson(change, batch.typed):
        return True
    return change.kind == "item" and not is_routine(change.after) and batch.names(change)
