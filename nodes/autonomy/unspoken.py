"""Weigh calls that come without a message of a person: another assistant makes them, and what it was told is not known.

The dial means the same. But nothing can be found to be asked for, so that what takes something away asks. And stored
text that was read may speak through the assistant. A text of a sentence's length can order anything in any words:
after it, a change asks of a record that the assistant had not named before, and so does a new text that has words from
there. A shorter text is read as a message is: a write asks that it would ask for, were it the person's.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from ana.language import guess_language
from ana.memory.search.tokens import tokenize
from ana.output import escape_controls, quote
from graph.state import Reason
from nodes.autonomy.meant import MANY
from nodes.autonomy.message import Message
from nodes.autonomy.weigh import FEWEST_WORDS, MOST_CHANGES, MOST_CHARACTERS, MOST_NAMED, Asking, Batch
from nodes.autonomy.words import Words, count_words, find_content
from nodes.autonomy.writes import Touched, Write

SENTENCE = 6
"""Words of a text that can tell somebody to do something with something else, however it is put."""

_MIXED = re.compile("[a-z][\u0370-\u04ff]|[\u0370-\u04ff][a-z]", re.IGNORECASE)
"""Letters of two alphabets in a word."""


def weigh_unspoken(batch: Batch) -> list[Asking]:
    """Return the writes of a batch that wait for a person, each with its reasons.

    Args:
        batch: The message is what the assistant has said in its own words: no stored text that it had read has them.
    """
    weighed = [Asking(write, tuple(_find_reasons(write, batch))) for write in batch.writes]
    return [asking for asking in weighed if asking.reasons]


def _find_reasons(write: Write, batch: Batch) -> Iterator[Reason]:
    if text := _find_order(write, batch):
        told = f"A text that was read may have ordered this: {quote(text, MOST_CHARACTERS)}."
        yield Reason(kind="stored", words=told)
    if batch.dial != "act":
        yield from (Reason(kind="dial", words=words) for words in _find_risks(write, batch))
    if batch.dial == "advise":
        yield Reason(kind="dial", words="You want to be asked before every change.")


def _find_order(write: Write, batch: Batch) -> str:
    """Return a stored text that may order a write, but the one that it changes; empty if there is none."""
    changed = [each for each in write.touched if each.id not in batch.ids]
    own = {each.now.content for each in changed if each.now} if len(changed) == 1 else set[str]()
    new = _list_new_words(write, batch)
    foreign = (each for each in batch.stored if each.texts[0] not in own)
    return next((each.texts[0] for each in foreign if _orders(each, write, batch, changed, new)), "")


def _orders(text: Words, write: Write, batch: Batch, changed: Sequence[Touched], new: Collection[str]) -> bool:
    if _is_plain_undo(write):
        return bool(changed) and Message(text.texts[0], today=batch.today).takes_back
    if not _has_words(text.texts[0], SENTENCE):
        return bool(changed) and _has_words(text.texts[0], FEWEST_WORDS) and _orders_a_change(text, write, batch)
    removes = any(each.removed for each in changed)
    return removes or _brings_words(text, write, new) or not all(_is_named(each, text, batch) for each in changed)


def _has_words(text: str, least: int) -> bool:
    # what a text says that mixes alphabets, or has letters that nobody sees, is not what is read
    return count_words(text) >= least or bool(_MIXED.search(text)) or escape_controls(text) != text


def _list_new_words(write: Write, batch: Batch) -> Collection[str]:
    """Return the words that a write brings and that are neither the assistant's own nor the record's."""
    known = Words(batch.message, *(each.now.content for each in write.touched if each.now))
    words = (find_content(write.content) or tokenize(write.content)) if write.content else ()
    return {word for word in words if not known.has(word)}


def _brings_words(text: Words, write: Write, new: Collection[str]) -> bool:
    """Whether words that a write brings are a text's.

    Where a line about the person is in another language than the text, its words cannot be compared.
    """
    if any(map(text.has, new)):
        return True
    is_new_line = write.name == "append_context" and bool(new)
    return is_new_line and guess_language(text.texts[0]) != guess_language(write.content)


def _orders_a_change(text: Words, write: Write, batch: Batch) -> bool:
    said = Message(text.texts[0], today=batch.today)
    if write.name == "undo":
        return said.takes_back
    if any(each.removed for each in write.touched):
        return said.asks_to_remove
    return any(said.says([value]) for value in write.values)


def _is_named(touched: Touched, text: Words, batch: Batch) -> bool:
    """Whether the assistant has named a record in its own words, by one that the text does not have."""
    said, content = Words(batch.message), touched.now.content if touched.now else ""
    words = [word for word in find_content(content) if said.has(word) and not text.has(word)]
    alike = (each for each in batch.stored if content not in each.texts and all(map(each.has, words)))
    return bool(words) and len([*alike]) < MANY


def _find_risks(write: Write, batch: Batch) -> Iterator[str]:
    """Yield why a write is risky where nobody can see what the person said."""
    if write.name == "undo" and not _is_plain_undo(write):
        yield "It takes back what another conversation did."
    elif any(each.removed for each in write.touched) and not _is_plain_undo(write):
        yield "It deletes something."
    elif write.name == "replace_context":
        yield "It rewrites a line about you."
    if lost := [str(entry) for entry in write.lost]:
        yield f"It would lose {_name(lost)}."
    changed = batch.changed | {each.id for each in write.touched} - batch.ids
    if len(changed) > MOST_CHANGES and write.touched and write.name != "undo":
        yield f"{len(changed)} records would be changed in a short time."


def _is_plain_undo(write: Write) -> bool:
    """Whether a write takes back the last thing that the assistant itself did."""
    return write.name == "undo" and not write.args.get("turn") and not write.args.get("force")


def _name(entries: Sequence[str]) -> str:
    more = f" and {len(entries) - MOST_NAMED} more" if len(entries) > MOST_NAMED else ""
    return ", ".join(quote(entry, MOST_CHARACTERS) for entry in entries[:MOST_NAMED]) + more
