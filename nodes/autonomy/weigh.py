"""What asks: one table of what is done, the dial, and whether a text of others is in view. It reads no language."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ana.memory.changes import Change
from ana.memory.routines import is_routine
from ana.memory.sources import PASTE, PERSON, SUGGESTED
from ana.settings import Autonomy
from graph.state import Reason
from nodes.autonomy.effects import Effect, find_effects
from nodes.autonomy.names import is_named
from nodes.autonomy.own_words import is_own, is_own_lesson
from nodes.autonomy.reasons import tell_always, tell_many, tell_others, tell_own_tool
from nodes.autonomy.writes import Write
from nodes.view import SourcedText


@dataclass(frozen=True)
class Batch:
    """The calls of one message, and what they are weighed by.

    Args:
        writes: The calls.
        dial: How much is done without asking.
        view: The texts of others that the model was shown.
        typed: What the person typed in this message and in the one before.
        done: What this turn has changed already.
        own_ids: The ids of the records that this turn has made: they are its own to change.
        in_use: Names and values that the person's records have already.
        is_rare: Returns whether a word stands in few enough records to name one.
    """

    writes: Sequence[Write]
    dial: Autonomy
    view: Sequence[SourcedText] = ()
    typed: Sequence[str] = ()
    done: Sequence[Change] = ()
    own_ids: frozenset[str] = frozenset()
    in_use: Container[str] = frozenset()
    is_rare: Callable[[str], bool] = lambda _: True

    def names(self, change: Change) -> bool:
        """Return whether the message names the record of a change."""
        record = change.before or change.after
        return record is not None and is_named(record, self.typed, self.view, self.is_rare)

    def find_effects(self, change: Change) -> frozenset[Effect]:
        """Return the effects of a change on a record from before the turn, and, of any record, what it teaches."""
        effects = find_effects(change)
        return effects & {"adds", "teaches"} if change.id in self.own_ids else effects


@dataclass(frozen=True)
class Asking:
    """A write that waits for a person.

    Args:
        write: The call.
        reasons: Why.
    """

    write: Write
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Facts:
    """What the table asks about one effect of a call.

    Args:
        others: Whether a text of others is in view.
        named: Whether the message names each record that the call so changes.
        count: How many records the turn so changes.
        own: Whether what is taught is the person's.
    """

    others: bool
    named: bool
    count: int
    own: bool


Rule: TypeAlias = Callable[[Facts], bool]

MOST: Mapping[Effect, int] = {"changes": 10, "loses": 5, "deletes": 5}
"""Records that a turn may so change on `confirm` without asking; what it adds is one undo, however much it is."""

TABLE: Mapping[Effect, Mapping[Autonomy, Rule]] = {
    "adds": {"confirm": lambda _: False, "act": lambda _: False},
    "changes": {
        "confirm": lambda f: f.others and not f.named,
        "act": lambda f: f.others and not f.named,
    },
    "loses": {
        "confirm": lambda f: f.others and (not f.named or f.count > 1),
        "act": lambda f: f.others and (not f.named or f.count > 1),
    },
    "deletes": {
        "confirm": lambda f: f.others,
        "act": lambda f: f.others and (not f.named or f.count > 1),
    },
    "teaches": {
        "confirm": lambda f: f.others and not f.own,
        "act": lambda f: f.others and not f.own,
    },
    "acts": {"confirm": lambda _: True, "act": lambda f: f.others},
    "reaches": {"confirm": lambda f: f.others, "act": lambda f: f.others},
}
"""What asks beside the numbers above. On `advise` all of it asks."""


def weigh(batch: Batch) -> list[Asking]:
    """Return the writes of the batch that wait for a person, each with its reasons."""
    weighed = [Asking(write, tuple(_find_reasons(write, batch))) for write in batch.writes]
    return [asking for asking in weighed if asking.reasons]


def find_source(write: Write, batch: Batch) -> str:
    """Return who tells what a call writes: the person, unless a text of others may have suggested it."""
    if not batch.view or all(is_own(change, batch.typed, batch.in_use) for change in write.changes):
        return PERSON
    return PASTE if all(each.source == PASTE for each in batch.view) else SUGGESTED


def list_effects(write: Write, batch: Batch) -> dict[Effect, list[Change]]:
    """Return the effects of a call in the order of the table, each with the changes that cause it."""
    effects = {effect: [each for each in write.changes if effect in batch.find_effects(each)] for effect in TABLE}
    return {effect: changes for effect, changes in effects.items() if changes or effect in write.own}


def _find_reasons(write: Write, batch: Batch) -> Iterator[Reason]:
    rules: Autonomy = "act" if batch.dial == "act" else "confirm"
    effects = list_effects(write, batch)
    if batch.dial == "advise" and effects:
        yield tell_always()
    for effect, changes in effects.items():
        facts = _find_facts(effect, changes, batch)
        if batch.dial != "act" and facts.count > MOST.get(effect, facts.count):
            yield Reason(kind="dial", words=tell_many(effect, facts.count))
        if TABLE[effect][rules](facts):
            yield tell_others(effect, batch.view) if facts.others else tell_own_tool(write.name)


def _find_facts(effect: Effect, changes: Sequence[Change], batch: Batch) -> Facts:
    count = _count(effect, batch)
    if not batch.view:  # then neither is asked for, and reading which words are rare costs a hold of the store
        return Facts(others=False, named=True, count=count, own=True)
    own = all(_is_own(each, batch) for each in changes)
    return Facts(others=True, named=all(map(batch.names, changes)), count=count, own=own)


def _count(effect: Effect, batch: Batch) -> int:
    """Return how many records the turn changes so, with this batch."""
    changes = (*batch.done, *(change for write in batch.writes for change in write.changes))
    return len({change.key for change in changes if effect in batch.find_effects(change)})


def _is_own(change: Change, batch: Batch) -> bool:
    """Whether what is taught is in what the person typed, or is a reminder or a rule of a record that they name."""
    if is_own_lesson(change, batch.typed):
        return True
    return change.kind == "item" and not is_routine(change.after) and batch.names(change)
