"""Whether the person's message names a record: by a content word that both have, and no text of others."""

from collections.abc import Callable, Sequence

from ana.memory.content_words import find_content_words, find_words_of
from ana.memory.item import Item
from nodes.view import SourcedText


def is_named(record: Item, typed: Sequence[str], view: Sequence[SourcedText], is_rare: Callable[[str], bool]) -> bool:
    """Return whether a message names a record.

    A word that every third record has names none of them, and one that a text of others has may have been said by it.
    The record's own text does not count, nor does an answer: anyone who speaks of the record uses its words.

    Args:
        record: The record.
        typed: What the person typed lately.
        view: The texts of others that the model was shown.
        is_rare: Returns whether a word occurs in so few records that it names one.
    """
    texts = (each.text for each in view if each.record != record.id and not each.is_answer)
    others = find_content_words(*texts)
    shared = (find_words_of(record) & find_content_words(*typed)) - others
    return any(map(is_rare, shared))
