"""Weigh calls that come without a message of a person: another assistant makes them, and what it was told is not known.

The dial means the same. But nothing can be found to be asked for, so that what takes something away asks; and a stored
text that was read asks in the person's stead: a write waits if that text, were it a message, would order it.
"""

from collections.abc import Iterator, Sequence

from ana.memory.search.tokens import tokenize
from ana.output import shorten
from graph.state import Reason
from nodes.autonomy.message import Message
from nodes.autonomy.weigh import FEWEST_WORDS, MOST_CHANGES, MOST_CHARACTERS, MOST_NAMED, Asking, Batch
from nodes.autonomy.words import Words, count_words, find_content
from nodes.autonomy.writes import Write

COPIED = 1 / 2
"""A text that has more than this share of its words from one stored text may be that text's idea."""


def weigh_unspoken(batch: Batch) -> list[Asking]:
    """Return the writes of a batch without a message that wait for a person, each with its reasons."""
    weighed = [Asking(write, tuple(_find_reasons(write, batch))) for write in batch.writes]
    return [asking for asking in weighed if asking.reasons]


def _find_reasons(write: Write, batch: Batch) -> Iterator[Reason]:
    text = next((each for each in _list_foreign(write, batch) if orders(each, write, batch)), None)
    if text is not None:
        yield Reason(kind="stored", words=f"A stored text may have ordered this: “{shorten(text, MOST_CHARACTERS)}”.")
    if batch.dial != "act":
        yield from (Reason(kind="dial", words=words) for words in _find_risks(write, batch))
    if batch.dial == "advise":
        yield Reason(kind="dial", words="You want to be asked before every change.")


def orders(text: str, write: Write, batch: Batch) -> bool:
    """Return whether a stored text, were it the person's message, may order a write.

    Args:
        text: The stored text.
        write: The write.
        batch: For the day, from which "tomorrow" counts.
    """
    said = Message(text, today=batch.today)
    if write.content and _is_copied(write.content, text):
        return True
    if write.name == "undo":
        return said.takes_back
    if any(each.removed for each in write.touched):
        return said.asks_to_remove
    return bool(write.touched) and any(said.says([value]) for value in write.values)


def _is_copied(content: str, text: str) -> bool:
    words, own = Words(text), find_content(content) or {*tokenize(content)}
    return sum(map(words.has, own)) > COPIED * len(own)


def _list_foreign(write: Write, batch: Batch) -> Iterator[str]:
    """Yield the stored texts in view but the names of things, and the text of the only record that is written."""
    own = {each.now.content for each in write.touched if each.now} if len(write.touched) == 1 else set[str]()
    texts = (text for each in batch.stored for text in each.texts)
    return (text for text in texts if text not in own and count_words(text) >= FEWEST_WORDS)


def _find_risks(write: Write, batch: Batch) -> Iterator[str]:
    """Yield why a write is risky where nobody can see what the person said."""
    is_last_undone = write.name == "undo" and not write.args.get("turn") and not write.args.get("force")
    if write.name == "undo" and not is_last_undone:
        yield "It takes back what another conversation did."
    elif any(each.removed for each in write.touched) and not is_last_undone:
        yield "It deletes something."
    elif write.name == "replace_context":
        yield "It rewrites a line about you."
    if lost := [str(entry) for entry in write.lost]:
        yield f"It would lose {_name(lost)}."
    changed = batch.changed | {each.id for each in write.touched} - batch.ids
    if len(changed) > MOST_CHANGES and write.touched and write.name != "undo":
        yield f"{len(changed)} changes would be made in this session."


def _name(entries: Sequence[str]) -> str:
    more = f" and {len(entries) - MOST_NAMED} more" if len(entries) > MOST_NAMED else ""
    return ", ".join(f"“{shorten(entry, MOST_CHARACTERS)}”" for entry in entries[:MOST_NAMED]) + more
