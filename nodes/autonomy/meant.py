"""What a message means of a write: whether it names, asks for or refers back to it."""

import re
from collections.abc import Sequence

from ana.language import guess_language
from ana.memory.operations import list_given
from ana.memory.status import DONE
from ana.values import iter_texts
from nodes.autonomy.message import Message
from nodes.autonomy.words import Words, find_content
from nodes.autonomy.writes import Touched, Write
from tools.history import is_number

WRITING_TEXT = frozenset({"create_item", "append_context", "replace_context"})
"""Tools whose text is weighed, wherever it goes."""

OF_A_SERIES = frozenset({"moved", "except", "also", "done_for"})
"""Properties that are about single dates of what repeats."""

_NUMBER = re.compile(r"\d+[.,]\d+|\d\d+")

MANY = 4
"""As many other texts in view with the same words: these words name none of them."""


def is_named(touched: Touched, said: Message, stored: Sequence[Words]) -> bool:
    """Return whether a message names a record, in a part that is no question; words that many texts have name none."""
    text = touched.now.content if touched.now else ""
    if said.stated.hold(text) or (touched.kind == "item" and said.stated.hold(touched.id)):
        return True
    words = [*filter(said.stated.has, find_content(text))]
    alike = (each for each in stored if text not in each.texts and all(map(each.has, words)))
    return bool(words) and len([*alike]) < MANY


def is_asked_for(write: Write, said: Message, stored: Sequence[Words], suspect: Sequence[Words]) -> bool:
    """Return whether a message asks for a write: it names what is written or removed, or refers back to it.

    Args:
        write: The write.
        said: The message.
        stored: The stored texts in view.
        suspect: Those that may have ordered it.
    """
    if write.name == "undo":  # what only brings items back loses nothing
        brings_back = all(each.now is None and each.kind == "item" for each in write.touched)
        return said.takes_back or (said.states and brings_back and bool(write.touched))
    if write.name == "create_item" and said.said_before(write.content):
        return True
    if write.name in WRITING_TEXT:
        return _is_own_text(write, said, stored, suspect)
    if any(each.removed for each in write.touched):
        return said.asks_to_remove and all(is_named(each, said, stored) for each in write.touched)
    asked = _names(write, said, stored) or said.means_all(write.values) or said.moves_all(write.shifts)
    return asked or _refers_back(write, said) or _states_numbers(write, said) or _is_dated(write, said)


def is_only_kind(write: Write, said: Message) -> bool:
    """Return whether a message asks to remove a thing of a kind, says no more of it, and no other is of that kind."""
    kinds = (text for text in iter_texts(write.before) if text not in write.shared)
    return said.removes_a_kind and any(map(said.removing.hold, kinds))


def is_told_alone(write: Write, said: Message, stored: Sequence[Words]) -> bool:
    """Return whether a message means a change if it is the only one: an item done that it tells of, or put on a day.

    Of what repeats, single dates are meant that it says, and of a list, entries that it says and that only come.

    What it tells of may have a word in common with many things. What it puts on a day may have another language than
    the item, and then no word in common with anything.
    """
    item = write.touched[0].now if write.name == "update_item" and not write.content and write.touched else None
    if item is None or not write.values:
        return False
    if {*write.given} <= OF_A_SERIES and said.says(write.values, denied={*write.given} == {"except"}):
        return True
    if write.added and said.says(write.added):
        return True
    if {*write.given} == {"status"} and str(write.given["status"]).lower() in DONE:
        return said.tells_of(item.content)
    is_foreign = guess_language(item.content) != guess_language(" ".join(said.texts))
    return is_foreign and said.dates_another(write.values, stored)


def is_sought(write: Write, said: Message, sought: Words, stored: Sequence[Words]) -> bool:
    """Return whether a message without a word of the record means it, by the words in which it was looked for first.

    Two languages share no word. The model that looks for "rent" when it is told "Miete" has read the message and, in
    this turn, nothing else; words that another text in view has may be that text's. What is given must be said.
    """
    if write.name not in ("update_item", "delete_item") or write.content or not write.touched:
        return False
    text = write.touched[0].text
    others = [each for each in stored if not text.startswith(each.texts[0].removesuffix("…"))]
    words = [*filter(sought.has, find_content(text))]
    if not words or any(all(map(each.has, words)) or each.count(said.stated) for each in others):
        return False
    if write.touched[0].removed:
        return said.removes_something
    if {*write.given} == {"status"} and str(write.given["status"]).lower() in DONE:
        return said.reports
    return said.speaks and said.says(write.values)


def may_be_meant(write: Write, said: Message, stored: Sequence[Words]) -> bool:
    """Return whether a message may mean a change that it does not ask for.

    It names the record, asks to remove things of a kind, or asks to remove what no text in view has more words of.
    """
    if not write.touched or write.name == "undo" or write.name in WRITING_TEXT:
        return False
    if _names(write, said, stored) or said.removes_a_kind:
        return True
    now = (each.now for each in write.touched)
    shared = min(Words(i.content, *iter_texts(i.properties)).count(said.removed) if i else 0 for i in now)
    return said.asks_to_remove and 0 < shared >= max((each.count(said.removed) for each in stored), default=0)


def _names(write: Write, said: Message, stored: Sequence[Words]) -> bool:
    """Whether a message names what is written, or every record: by its content, or a value that it has alone."""
    alone = (text for text in iter_texts(write.before) if text not in write.shared)
    if said.stated.mention(write.content) or said.stated.mention(*alone, whole=False):
        return True
    return bool(write.touched) and all(is_named(each, said, stored) for each in write.touched)


def _states_numbers(write: Write, said: Message) -> bool:
    """Whether a message states every number that a write gives an item, one of them of two digits or more."""
    given = (part for value in write.given.values() for part in list_given(value))
    numbers = [abs(float(str(part))) for part in given if is_number(part)]
    texts = [found for text in said.stated.texts for found in re.findall(r"\d+(?:[.,]\d+)?", text)]
    stated = {float(found.replace(",", ".")) for found in texts}
    stated |= {float(re.sub("[.,]", "", found)) for found in texts if re.search(r"[.,]\d{3}$", found)}  # thousands
    return not write.content and max(numbers, default=0) >= 10 and stated.issuperset(numbers)


def _is_dated(write: Write, said: Message) -> bool:
    """Whether a message says the days that a write gives an item, and names it by a word of another language."""
    texts = [each.now.content for each in write.touched if each.now and each.kind == "item"]
    return bool(texts and write.values) and not write.content and said.dates(" ".join(texts), write.values)


def _refers_back(write: Write, said: Message) -> bool:
    """Whether a message refers back to what was said before, and that names what is written or a record."""
    texts = (write.content, *(each.now.content for each in write.touched if each.now))
    values = write.values if write.touched else []  # of a new item, its words are judged
    written = Words(*(key.replace("_", " ") for key in write.given), *values)
    return said.seen.mention(*texts) and said.refers_back(written, values)


def _is_own_text(write: Write, said: Message, stored: Sequence[Words], suspect: Sequence[Words]) -> bool:
    """Whether a text is the person's: it has a word of theirs, and not more words that only suspect text has.

    Words of a stored text count as theirs where they tell to make something of it.
    """
    line = [each.now.content for each in write.touched if each.now]
    told = [text for text in stored if said.refers_to(text)]
    words = Words(write.content)
    own = {word for word in words.content if any(text.has(word) for text in (said, said.seen, *told, Words(*line)))}
    foreign = {word for word in words.content - own if any(text.has(word) for text in suspect)}
    numbers = {*filter(said.hold, _NUMBER.findall(write.content))}  # they are the same in every language
    named = bool(numbers) or said.mention(write.content) or said.stated.mention(*line)
    named = named or any(text.count(words) for text in told) or _refers_back(write, said)
    named = named or said.answers_about(words)
    if line and own and not foreign and guess_language(line[0]) != guess_language("\n".join(said.texts)):
        return named or said.speaks
    return named and len(foreign) <= len(own | numbers)
