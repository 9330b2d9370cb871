"""Deciding whether a write is in the person's own words, while a text by others is in view."""

from collections.abc import Container, Iterator, Sequence

from ana.memory.changes import Change
from ana.memory.content_words import find_content_words, find_words_of, iter_words
from ana.memory.item import Item, is_date_key
from ana.memory.sources import is_others
from ana.memory.vocabulary import OURS
from ana.time.dates import day_of
from nodes.autonomy.effects import TAUGHT

SPARE = 1
"""Content words that the model may have chosen itself in what is merely kept; in what teaches there are none."""

READ = TAUGHT | {"missed"}
"""Properties that hold a rule, a moment or one of two words, which code has read."""

KINDS = ("type", "status", "priority")
"""Properties whose values a model chooses from words of its own; one of a single word says nothing that was told."""


def is_own(change: Change, typed: Sequence[str], in_use: Container[str]) -> bool:
    """Return whether the person typed all new content words of a change but one; names and values in use are free."""
    return len(_find_new(change, in_use) - find_content_words(*typed)) <= SPARE


def is_own_lesson(change: Change, typed: Sequence[str]) -> bool:
    """Return whether each word that a change teaches was typed by the person, or was already there as the person's.

    The change must bring at least one word. Numbers do not count, because a time said in words is written in figures.
    Names in use do count, because they may come from others.
    """
    old = change.before if change.after else None
    known = find_words_of(old) if old and not is_others(old.source) else set[str]()
    new = {word for word in _find_new(change, ()) - known if not word.isdigit()}
    return bool(new) and new <= find_content_words(*typed)


def _find_new(change: Change, in_use: Container[str]) -> set[str]:
    """Return the content words that a change adds; for a deleted line, the words of the line."""
    if change.after:
        return find_content_words(*_list_new(change.before, change.after, in_use))
    return find_words_of(change.before) if change.before and change.kind == "line" else set()


def _list_new(old: Item | None, new: Item, in_use: Container[str]) -> Iterator[str]:
    """Yield the texts and numbers that a record did not hold before; dates are never counted as texts."""
    content, properties = (old.content, old.properties) if old else ("", {})
    if new.content != content:
        yield new.content.removeprefix(content)
    for name, value in new.properties.items():
        was = properties.get(name)
        if was == value or name in READ:
            continue
        if not (name in OURS or name in in_use or is_date_key(name)):
            yield name.replace("_", " ")
        if not (name in KINDS and isinstance(value, str) and len(value.split()) == 1):
            known = {*iter_words(was)}
            added = (word for word in iter_words(value) if word not in known)
            yield from (word for word in added if word not in in_use and not day_of(word))
