"""Weigh a batch of calls: which of them wait for a person, and why. Nothing here writes; `Batch.told` alone reads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Literal

from ana.language import guess_language
from ana.memory.status import DONE
from ana.output import shorten
from ana.settings import Autonomy
from ana.time.repeats import may_repeat
from ana.time.when import resolve
from graph.state import Reason
from nodes.autonomy.meant import (
    is_agreed_to,
    is_asked_for,
    is_named,
    is_only_kind,
    is_sought,
    is_told_alone,
    may_be_meant,
)
from nodes.autonomy.message import Message
from nodes.autonomy.several import find_apart, find_changed, is_plain_undo, is_the_rest, list_removed
from nodes.autonomy.words import Words, count_words, read_words
from nodes.autonomy.writes import Write
from nodes.policies.evidence import MOST_READ
from nodes.policies.messages import is_greeting
from nodes.policies.texts import split_lines
from nodes.short_replies import read_short_reply

MOST_CHANGES = 5
"""Records that `confirm` changes in one turn without asking; what it makes is one undo, however much it is."""

FEWEST_WORDS = 3
"""A shorter text is a name or a date, not an order to do something with something else."""

MOST_CHARACTERS = 60
"""Of a text in a reason."""

MOST_NAMED = 4
"""Entries of a list that a reason names."""

_ONLY_ASKS = "Your message only asks something."


@dataclass(frozen=True)
class Batch:
    """The calls of one message, and what they are weighed by.

    Args:
        message: The person's message.
        writes: The calls.
        lines: Global Context.
        read: Other stored text in view: the results of calls, and the summary.
        changed: The ids of the records that this turn has changed and not made.
        deleted: How many items were deleted in this turn.
        dial: How much is done without asking.
        before: The message before and its answer, as the person was shown it; nothing if there is none.
        ids: The records that this turn has written.
        refused: Whether the person refused something in the turn before, which a yes now asks for after all.
        today: The person's today.
        latest: The records that the turn before has written.
        sought: What the model looked for before it read anything in this turn.
        told: Returns the stored texts in view that the person told; all others may have come from somebody else. It
            looks for each into the journal, and is asked only where that decides.
        waited: The items that the turn before would have deleted and did not, by id, each with its words.
    """

    message: str
    writes: Sequence[Write]
    lines: Mapping[int, str]
    read: Sequence[str]
    changed: frozenset[str]
    deleted: int
    dial: Autonomy
    before: Sequence[str] = ()
    ids: frozenset[str] = frozenset()
    refused: bool = False
    today: date | None = None
    latest: frozenset[str] = frozenset()
    sought: Sequence[str] = ()
    told: Callable[[], frozenset[str]] = frozenset
    waited: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def said(self) -> Message:
        """The person's message, taken apart; where it says yes after a refusal, with the message that was refused."""
        agrees = any(read_short_reply(part) == "approve" for part in split_lines(self.message[:MOST_READ]))
        repeated = self.before[:1] if agrees and self.refused else ()
        # without the text of the only record that the batch touches: who asks about it has its words
        touched = {each.text for write in self.writes for each in write.touched}
        foreign = [each for each in self.stored if len(touched) != 1 or not touched.issuperset(each.texts)]
        parts = [each[: MOST_READ // 2] for each in repeated]
        return Message("\n".join((*parts, self.message)), self.before, foreign, self.today)

    @cached_property
    def stored(self) -> list[Words]:
        """Every stored text in view, taken apart."""
        return [read_words(text) for text in dict.fromkeys((*self.read, *self.lines.values())) if text]

    @cached_property
    def foreign(self) -> list[Words]:
        """The stored texts in view that may be somebody else's."""
        told = self.told()
        return [each for each in self.stored if not told.issuperset(each.texts)]


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
    ordered = _may_be_ordered(write, batch)
    kind: Literal["stored", "dial"] = "stored" if ordered else "dial"
    found = [words for rule in DIAL[batch.dial] if (words := rule(write, batch))]
    if ordered and _ONLY_ASKS not in found and not may_be_meant(write, batch.said, batch.stored):
        found.append("This was not found in your message, and stored text was read.")
    return [Reason(kind=kind, words=words) for words in found]


def _may_be_ordered(write: Write, batch: Batch) -> bool:
    """Whether stored text may have ordered a write: one is in view, and the message does not ask for the write.

    Whether a text gives an order cannot be decided by its words. What the message speaks of can. The text of the very
    record would only harm itself, unless the message just asks something. What the turn has written may be given
    properties: that began with a write that was weighed.
    """
    ids = {each.id for each in write.touched}
    if write.name == "update_item" and not write.content and ids and ids <= batch.ids:
        return False
    if _goes_on(write, batch) or _is_sought(write, batch) or _is_the_rest(batch):
        return False
    own = {each.now.content for each in write.touched if each.now} if batch.said.states else ()
    suspect = batch.foreign if _is_small(write, batch) else batch.stored
    texts = (text for each in suspect for text in each.texts if text not in own)
    if not any(count_words(text) >= FEWEST_WORDS for text in texts):
        return False
    if is_asked_for(write, batch.said, batch.stored, suspect):
        return False
    return len(_find_all_changed(batch)) > 1 or not is_told_alone(write, batch.said, batch.stored)


def _is_small(write: Write, batch: Batch) -> bool:
    """Whether a write makes an item, or is the only change of the turn, and the message tells of something.

    What the person told before cannot have ordered it, unless they had pasted it; so much is soon taken back.
    """
    if is_greeting(batch.message):
        return False
    if write.name == "create_item":
        return bool(batch.said.stated.content)
    return write.name == "update_item" and batch.said.wants and len(_find_all_changed(batch)) == 1


def _goes_on(write: Write, batch: Batch) -> bool:
    """Whether a change gives the only record that the turn before wrote what the message says, and changes no other.

    Of another date of what repeats it need not say that it is done, too: yesterday as well.
    """
    if write.name != "update_item" or write.content or len(_find_all_changed(batch)) > 1:
        return False
    values = write.values
    if "done_for" in write.given and str(write.given.get("status")).lower() in DONE:
        values = [str(write.given["done_for"])] if {*write.given} == {"status", "done_for"} else values
    return {each.id for each in write.touched} == batch.latest and batch.said.says(values)


def _is_sought(write: Write, batch: Batch) -> bool:
    """Whether the turn touches nothing but what was looked for and the message means."""
    others = any(each.touched for each in batch.writes if each is not write) or batch.changed - batch.ids
    return not others and not batch.deleted and is_sought(write, batch.said, Words(*batch.sought), batch.stored)


def deletes_several(write: Write, batch: Batch) -> str | None:
    """More than one item goes in a turn."""
    if not list_removed(write, batch.said) or _is_the_rest(batch):
        return None
    count = batch.deleted + sum(len(list_removed(each, batch.said)) for each in batch.writes)
    return f"{count} items would be deleted in this turn." if count > 1 else None


def deletes_unnamed(write: Write, batch: Batch) -> str | None:
    """An item goes that the message does not name, or does not ask to delete."""
    removed = list_removed(write, batch.said)
    if removed and batch.said.keeps_some and not (is_agreed_to(write, batch.said) or _is_the_rest(batch)):
        return "Your message excepts something from what is to go."
    if is_agreed_to(write, batch.said) or _is_sought(write, batch) or is_only_kind(write, batch.said):
        return None
    if _is_the_rest(batch):
        return None
    if removed and not batch.said.asks_to_remove:
        return "Your message does not clearly ask to delete something."
    unnamed = next((each for each in removed if not is_named(each, batch.said, batch.stored)), None)
    if unnamed is None:
        return None
    # what the request shows one by one needs the words only once
    what = f"“{shorten(unnamed.text, MOST_CHARACTERS)}”" if len(write.touched) > 1 else "what would be deleted"
    return f"Your message does not name {what}."


def changes_unnamed_line(write: Write, batch: Batch) -> str | None:
    """A line of Global Context is replaced or deleted that the message has no word of.

    A line that is rewritten may stand in another language than the message, and shares no word with it then.
    """
    if is_plain_undo(write, batch.said) or is_agreed_to(write, batch.said):
        return None
    said = guess_language(batch.message)
    if write.name == "replace_context" and any(guess_language(each.text) != said for each in write.touched):
        return None
    lines = (each for each in write.touched if each.kind == "line" and each.now)
    unnamed = next((each for each in lines if each.now and not batch.said.mention(each.now.content)), None)
    return (
        f"Your message shares no word with line {unnamed.id}, “{shorten(unnamed.text, MOST_CHARACTERS)}”."
        if unnamed
        else None
    )


def changes_many(write: Write, batch: Batch) -> str | None:
    """The turn changes more than a few records that the message does not name by a word of their own.

    Those that it has made itself do not count.
    """
    changed = _find_all_changed(batch)
    texts = {id: text for each in batch.writes for id, text in find_changed(each).items()}
    named = find_apart([texts[id] for id in changed - batch.changed], batch.said.wanted)
    several = len(changed) - len(named) > MOST_CHANGES and find_changed(write)
    return f"{len(changed)} changes would be made in this turn." if several else None


def changes_unasked(write: Write, batch: Batch) -> str | None:
    """A record is changed or deleted although the message only asks for an answer."""
    return None if batch.said.states or not write.touched else _ONLY_ASKS


def loses_entries(write: Write, batch: Batch) -> str | None:
    """A list loses entries that the message does not speak of."""
    lost, said = map(str, write.lost), batch.said
    spoken = (said.names_entry, said.agrees_to_remove, lambda entry: said.says([entry]))
    unnamed = [entry for entry in lost if not any(speaks(entry) for speaks in spoken)]
    if not unnamed or said.spares(map(str, write.kept)):
        return None
    more = f" and {len(unnamed) - MOST_NAMED} more" if len(unnamed) > MOST_NAMED else ""
    named = ", ".join(f"“{shorten(entry, MOST_CHARACTERS)}”" for entry in unnamed[:MOST_NAMED])
    return f"It would lose {named}{more}, which your message does not speak of."


def deletes_a_series(write: Write, batch: Batch) -> str | None:
    """All of what repeats goes, and the message names a day, so that one date may be meant."""
    repeating = (each for each in list_removed(write, batch.said) if each.now and may_repeat(each.now.properties))
    whole = next(repeating, None)
    if whole is None or not resolve(batch.message, date(2000, 1, 1)):
        return None
    return f"“{shorten(whole.text, MOST_CHARACTERS)}” repeats: all of it would be deleted, not one date."


def is_a_write(_: Write, __: Batch) -> str | None:
    """Every write asks."""
    return "You want to be asked before every change."


_ACT: tuple[Rule, ...] = (changes_unasked, deletes_a_series)
_CONFIRM = (*_ACT, deletes_several, deletes_unnamed, changes_unnamed_line, loses_entries, changes_many)
DIAL: dict[Autonomy, tuple[Rule, ...]] = {"act": _ACT, "confirm": _CONFIRM, "advise": (*_CONFIRM, is_a_write)}
"""The rules by the dial, beside that of every dial: what stored text may have ordered asks."""


def _find_all_changed(batch: Batch) -> frozenset[str]:
    """Return the records that the turn changes with this batch, and has not made itself."""
    return batch.changed | (frozenset[str]().union(*map(find_changed, batch.writes)) - batch.ids)


def _is_the_rest(batch: Batch) -> bool:
    """Whether the batch deletes all others of the items about which the person was just asked."""
    going = [each.id for write in batch.writes for each in list_removed(write, batch.said)]
    return is_the_rest(going, batch.waited, batch.said)
