"""A person's message: what it names, what it refers back to, and whether it asks to remove something.

What cannot be decided counts as no.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date

from ana.memory.search.tokens import tokenize
from ana.memory.status import DONE
from nodes.autonomy.words import Words, are_forms, find_topics, has_listed
from nodes.policies.days import find_weekdays
from nodes.policies.messages import find_statements, has_subject, tells
from nodes.policies.moments import find_moments, spell_out
from nodes.policies.texts import asks, split_lines
from nodes.short_replies import read_short_reply

_CLAUSE = re.compile(
    r"[,:、，](?!\d)|\b(?:and|then|but|und|dann|aber|y|luego|pero|et|puis|mais|e|poi|en)\b", re.IGNORECASE
)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d):(\d\d))?")
_DAY_OF_MONTH = re.compile(r"(?<![\d:.,])[1-3]?\d(?![\d:])")


class Message(Words):
    """A message of a person.

    Args:
        text: The message.
        before: The message before it and its answer, as the person was shown it; nothing if it is the first.
    """

    def __init__(self, text: str, before: Sequence[str] = ()) -> None:
        super().__init__(text)
        statements = find_statements(text)
        clauses = [clause for each in statements for clause in _CLAUSE.split(each) if find_statements(clause)]
        answers = bool(before) and any(map(asks, split_lines(before[-1]))) and not any(map(_denies, clauses[:1]))
        self._clauses = [clause for clause in clauses if tokenize(clause) and not _denies(clause)]
        self._question = before[-1] if answers else ""
        self._corrects = any(read_short_reply(clause) == "reject" for clause in clauses[:1])
        self._removing = [*filter(_removes, self._clauses)]
        self.states = bool(statements)
        """Whether a part is no question."""
        self.stated, self.seen = Words(*statements), Words(*before)
        """The parts that are no questions, and what was said before."""
        self.asks_to_remove = bool(self._removing)
        """Whether a part that is no question asks to remove something."""

    @property
    def takes_back(self) -> bool:
        """Whether a part that is no question asks to take something back."""
        return any(map(_takes_back, self._clauses)) or self.accepts("back")

    @property
    def removes_a_kind(self) -> bool:
        """Whether it asks to remove everything, or a note or what is done, and does not say which."""
        vague = (each for each in self._removing if not find_topics(each))
        return any(has_listed(each, name) for each in vague for name in ("all", "kinds", "done"))

    @property
    def removed(self) -> Words:
        """What it asks to remove, with what was said before where it points at that."""
        seen = self.seen.texts if any(has_listed(each, "pointing") for each in self._removing) else ()
        return Words(*self._removing, *seen)

    def accepts(self, name: str) -> bool:
        """Return whether it says yes to a question of the assistant's that has a word of a list."""
        return has_listed(self._question, name) and self.refers_back(Words(), ())

    def refers_back(self, written: Words, values: Sequence[str]) -> bool:
        """Return whether a clause speaks of what was said before, and of hardly anything else.

        It tells to do something with it, answers a question about it, corrects it, or says the values that are written.

        Args:
            written: What is written, which the clause may speak of, too.
            values: The values that are written.
        """
        return any(self._refers_back(clause, written, values) for clause in self._clauses)

    def _refers_back(self, clause: str, written: Words, values: Sequence[str]) -> bool:
        says = _says_all(clause, values)
        points, other = has_listed(clause, "pointing"), _count_other(clause, self.seen, written)
        if clause in self._removing and not says:
            return False
        if tells(clause) and (says or points or self._question):
            return other <= 1  # its verb
        says_alone = bool(says or self._question) and not has_subject(clause)
        return other == 0 and (says_alone or (says and (points or self._corrects or bool(self._question))))

    def refers_to(self, text: Words) -> bool:
        """Return whether a clause tells to make something of a text: turn the packing note into tasks."""
        making = (each for each in self._clauses if has_listed(each, "kinds") and not has_subject(each))
        return any(text.count(Words(each)) and _count_other(each, text) <= 1 for each in making)

    def means_all(self, values: Sequence[str]) -> bool:
        """Return whether a clause tells to give these values to everything of a kind."""
        return any(has_listed(each, "all") and tells(each) and _says_all(each, values) for each in self._clauses)


def _count_other(clause: str, *texts: Words) -> int:
    """Return of how many things a clause speaks that are in none of the texts."""
    return sum(not any(text.mention(topic) for text in texts) for topic in find_topics(clause))


def _removes(clause: str) -> bool:
    return has_listed(clause, "remove") or has_listed(clause, "forget")


def _takes_back(clause: str) -> bool:
    return has_listed(clause, "back") or (
        tells(clause) and has_listed(clause, "pointing") and len(find_topics(clause)) <= 1
    )


def _denies(clause: str) -> bool:
    """Whether a clause wants nothing: it has a word such as "not", or only says to forget it."""
    return has_listed(clause, "not") or (has_listed(clause, "forget") and not find_topics(clause))


def _says_all(text: str, values: Sequence[str]) -> bool:
    return bool(values) and all(_says(text, value) for value in values)


def _says(text: str, value: str) -> bool:
    """Whether a text says a value: in its words, as a date by its day or time, or that something is done."""
    words = tokenize(value)
    if Words(text).hold(value) or (len(words) == 1 and any(are_forms(word, words[0]) for word in tokenize(text))):
        return True
    if value.lower() in DONE and has_listed(text, "done"):
        return True
    match = _MOMENT.match(value)
    return _says_moment(text, *match.groups()) if match else False


def _says_moment(text: str, day: str, hour: str | None, minute: str) -> bool:
    moments = (moment for each in spell_out(text) for moment in find_moments(each))
    if hour and any(int(hour) * 60 + int(minute) in moment.minutes for moment in moments):
        return True
    weekdays = {name.number for name in find_weekdays(text)}
    with suppress(ValueError):
        return date.fromisoformat(day).weekday() in weekdays or str(int(day[-2:])) in _DAY_OF_MONTH.findall(text)
    return False
