"""A person's message: what it names, what it refers back to, and whether it asks to remove something.

What cannot be decided counts as no.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import date
from difflib import SequenceMatcher
from itertools import chain, islice, pairwise, product

from ana.language import COMMON
from ana.memory.search.tokens import tokenize
from ana.time.when import find_named_days, resolve
from nodes.autonomy.values import DAY_OF_MONTH, MOMENT, find_distances, says_all, says_value
from nodes.autonomy.words import MOST_QUOTABLE, STEM, Words, find_content, find_topics, has_listed
from nodes.policies.evidence import MOST_READ, MOST_SEEN
from nodes.policies.messages import FUNCTION_WORDS, find_statements, has_subject, tells
from nodes.policies.texts import asks, split_lines
from nodes.short_replies import read_short_reply

_CLAUSE = re.compile(
    r"[,:、，](?!\d)|\b(?:and|then|but|und|dann|aber|y|luego|pero|et|puis|mais|e|poi|en)\b", re.IGNORECASE
)
_NO = re.compile(r"^\W*(?:(?:no|nein|non)\b\W*)+", re.IGNORECASE)
QUOTED = 2 / 3
"""More than this share of a sentence's words are in one that quotes it, or leads to it with some words of its own."""
NEAR = 14
"""Days from today within which a weekday, or a day without its month, means a date."""
AKIN = 0.7
"""How like each other the letters of a word are in two languages."""


class Message(Words):
    """A message of a person.

    Args:
        text: The message, of which the first MOST_READ characters are read, as of those before.
        before: The message before it and its answer, as the person was shown it; nothing if it is the first.
        stored: The stored texts in view: a sentence of the answer that one of them has already proposes nothing.
        today: The person's today, from which "tomorrow" and "next week" count.
    """

    def __init__(
        self, text: str, before: Sequence[str] = (), stored: Sequence[Words] = (), today: date | None = None
    ) -> None:
        text, before = text[:MOST_READ], [each[:MOST_READ] for each in before]
        super().__init__(text)
        statements = [*find_statements(text), *_find_reports(text)]
        clauses = [_drop_no(part) for each in statements for part in _CLAUSE.split(each) if find_statements(part)]
        agrees = any(read_short_reply(clause) == "approve" for clause in clauses)
        heard = split_lines(before[-1]) if before and not any(map(_denies, clauses[:1])) else []
        answered = _drop_quoted([each for each in heard if agrees or asks(each)], stored)
        self._clauses = [clause for clause in clauses if tokenize(clause) and not _denies(clause)]
        self._question = "\n".join(filter(asks, answered))
        self._proposed = answered if agrees else []
        self._corrects = any(read_short_reply(clause) == "reject" for clause in clauses[:1])
        self._removing = [*filter(_removes, self._clauses)]
        self._today = today
        self.states = bool(statements)
        """Whether a part is no question."""
        self.stated, self.seen = Words(*statements, *_find_pointed_at(text)), Words(*before)
        """The parts that are no questions, or that an order points at, and what was said before."""
        self.asks_to_remove = bool(self._removing)
        """Whether a part that is no question asks to remove something."""
        self.wanted, self.removing = Words(*self._clauses), Words(*self._removing)
        """The parts that deny nothing, and of these the ones that ask to remove something."""
        self.keeps_some = any(
            has_listed(each, "all") and has_listed(each, "but") for each in statements if _removes(each)
        )
        """Whether it asks to remove all of something, and excepts some of it."""
        self.wants_the_rest = any(has_listed(each, "rest") for each in clauses) and (agrees or self.asks_to_remove)
        """Whether it asks to remove the others, or says yes to that."""

    @property
    def takes_back(self) -> bool:
        """Whether a part that is no question asks to take something back."""
        vague = (c for c in self._clauses if tells(c) and has_listed(c, "pointing") and len(find_topics(c)) <= 1)
        return any(has_listed(c, "back") for c in self._clauses) or any(vague) or self.accepts("back")

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
        says = says_all(clause, values)
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
        """Return whether a clause tells to give these values to everything of a kind; days also without a verb."""
        days = [match[1] for match in map(MOMENT.match, values) if match]
        for clause in filter(lambda clause: has_listed(clause, "all"), self._clauses):
            is_dated = len(days) == len(values) and not has_subject(clause)
            if (tells(clause) or is_dated) and (says_all(clause, values) or (is_dated and self._names(clause, days))):
                return True
        return False

    def moves_all(self, days: Collection[int]) -> bool:
        """Return whether a clause tells to move everything, or the rest, by a distance, which is that of all days."""
        clauses = (each for each in self._clauses if has_listed(each, "all") or has_listed(each, "rest"))
        return bool(days) and any(find_distances(each).issuperset(days) for each in clauses if not has_subject(each))

    def _names(self, clause: str, days: Sequence[str]) -> bool:
        """Whether a clause names days by counting from today, or a stretch that they are in."""
        named = find_named_days(clause, self._today) if self._today and days else []
        # one that is open to a side says no day
        spans = [(str(each.first), str(each.last)) for each in named if date.min < each.first and each.last < date.max]
        return all(any(first <= day <= last for first, last in spans) for day in days) and bool(spans)

    def agrees_to(self, texts: Sequence[str], values: Sequence[str]) -> bool:
        """Return whether it says yes to a sentence of the answer before that names all texts and says all values."""
        named = (each for each in self._proposed if all(Words(each).mention(text) for text in texts))
        return bool(texts and values) and any(says_all(each, values) for each in named)

    def names_entry(self, entry: str) -> bool:
        """Return whether it has a word of an entry of a list, or the one that this begins with, however short: TV."""
        first = next(iter(tokenize(entry)), "")
        return self.mention(entry) or (first.isalpha() and first not in FUNCTION_WORDS and self.hold(first))

    def spares(self, texts: Iterable[str]) -> bool:
        """Return whether a clause says all but these texts, as in "all bought except the lentils"."""
        kept = [*texts]
        clauses = (each for each in self._clauses if has_listed(each, "all") and has_listed(each, "but"))
        return bool(kept) and any(all(Words(each).mention(text) for text in kept) for each in clauses)

    def agrees_to_remove(self, text: str) -> bool:
        """Return whether it says yes to a question of the answer before whether to remove a text, or an entry of it."""
        asked = (each for each in self._proposed if asks(each) and _removes(each))
        return any(Words(each).mention(text) for each in asked)

    def dates(self, text: str, values: Sequence[str]) -> bool:
        """Return whether a clause says days that are written, and a word much like one of a text.

        So a word may be spelled in two languages: Registrierung, registration. The days make sure that it is meant.
        """
        said = (each for each in self._clauses if all(map(MOMENT.match, values)) and says_all(each, values))
        pairs = (product(find_topics(each), find_content(text)) for each in said)
        return any(SequenceMatcher(None, *pair).ratio() >= AKIN for pair in chain.from_iterable(pairs))

    def dates_another(self, values: Sequence[str], stored: Sequence[Words]) -> bool:
        """Return whether a clause puts something that no stored text has a word of on days, in figures."""
        said = (each for each in self._clauses if all(map(MOMENT.match, values)) and says_all(each, values))
        in_figures = (each for each in said if DAY_OF_MONTH.search(each) and not has_subject(each))
        named = (Words(each) for each in in_figures if _speaks(each))
        return any(not any(text.count(words) for text in stored) for words in named)

    @property
    def speaks(self) -> bool:
        """Whether a part that is no question speaks of something."""
        return any(map(_speaks, self._clauses))

    @property
    def wants(self) -> bool:
        """Whether a part that is no question, and denies nothing, names anything."""
        return any(map(find_topics, self._clauses))

    @property
    def removes_something(self) -> bool:
        """Whether it asks to remove something that it names."""
        return any(map(_speaks, self._removing))

    @property
    def reports(self) -> bool:
        """Whether a part that orders nothing, or says that it is done, speaks of something."""
        return any(_speaks(each) for each in self._clauses if not tells(each) or has_listed(each, "done"))

    def says(self, values: Sequence[str], *, denied: bool = False) -> bool:
        """Return whether the clauses that deny nothing say all values, a day only as one of about now.

        Args:
            values: The values.
            denied: Whether other clauses say them, too: no class on the 24th.
        """
        text = "\n".join(self.stated.texts if denied else self._clauses)
        return bool(values) and all(self._says_value(text, value) for value in values)

    def _says_value(self, text: str, value: str) -> bool:
        match = MOMENT.fullmatch(value[:16])
        if match is None or Words(text).hold(value):
            return says_value(text, value)
        if self._today is None:
            return False
        with suppress(ValueError):
            day = date.fromisoformat(match[1])
            if any(each.first == each.last == day for each in resolve(text, self._today)):
                return True
            return abs((day - self._today).days) <= NEAR and says_value(text, match[1])
        return False

    def answers_itself(self, text: str) -> bool:
        """Return whether it says yes to the person's own question before, which spoke of a text: did I? Yes I did."""
        own = self.seen.texts[0] if len(self.seen.texts) > 1 else ""
        if not asks(own) or not Words(own).mention(text, whole=False):
            return False
        plain = (clause for clause in self._clauses if not find_topics(clause))
        return any(read_short_reply(clause.split()[0]) == "approve" for clause in plain)

    def answers_about(self, words: Words) -> bool:
        """Return whether a few words answer what was asked about the message before, which has most of these words."""
        asked = Words(self.seen.texts[0]) if self._question and len(self.seen.texts) > 1 else Words()
        few = 0 < sum(len(find_topics(clause)) for clause in self._clauses) <= 2
        few = few and not any(map(has_subject, self._clauses))
        return few and bool(words.content) and 3 * asked.count(words) >= 2 * len(words.content)

    def tells_of(self, text: str) -> bool:
        """Return whether a clause that orders nothing has a word of a text."""
        return any(Words(each).mention(text, whole=False) for each in self._clauses if not tells(each))


def _drop_no(clause: str) -> str:
    """Return a clause without the no that it begins with, if it goes on to say what is so: no she comes tonight too."""
    rest = _NO.sub("", clause)
    return rest if has_subject(rest) else clause


def _speaks(clause: str) -> bool:
    """Whether a clause names something; where it points at something, one of its words is its verb."""
    return len(find_topics(clause) - COMMON) > int(has_listed(clause, "pointing"))


def _drop_quoted(sentences: Sequence[str], stored: Sequence[Words]) -> list[str]:
    """Return the sentences without those that a sentence of a stored text has almost all words of: whose are they?"""
    texts = (text for each in stored for text in each.texts) if sentences else ()
    parts = (part for text in texts for part in split_lines(text[:MOST_SEEN]))
    quotable = [{word[:STEM] for word in tokenize(part)} for part in islice(parts, MOST_QUOTABLE)]
    return [each for each in sentences if not _is_quoted(each, quotable)]


def _is_quoted(sentence: str, quotable: Sequence[set[str]]) -> bool:
    """Whether almost all words of a sentence are in one of others, also those that say what becomes of something."""
    words = (word for word in tokenize(sentence) if len(word) > 2 and word not in FUNCTION_WORDS)
    own = {word[:STEM] for word in words if not (has_listed(word, "common") or has_listed(word, "kinds"))}
    # a single word is anybody's
    return len(own) > 1 and any(len(own & other) > QUOTED * len(own) for other in quotable)


def _find_reports(text: str) -> list[str]:
    """Return the clauses that report or order something right before one that asks: dentist done, what's next?"""
    asking = (each for each in split_lines(text) if not find_statements(each))
    sentences = ([part for part in _CLAUSE.split(each) if part.strip()] for each in asking)
    pairs = chain.from_iterable(map(pairwise, sentences))
    told = (one for one, other in pairs if find_statements(one) and not find_statements(other))
    reports = (one for one in told if (has_listed(one, "done") and not has_subject(one)) or tells(one))
    return [one for one in reports if find_topics(one) and not _denies(one)]


def _find_pointed_at(text: str) -> list[str]:
    """Return the questions that an order right after them points at: how much is that? Write it in."""
    orders = ((one, other) for one, other in pairwise(split_lines(text)) if tells(other) and not _removes(other))
    pointing = (one for one, other in orders if has_listed(other, "pointing") and len(find_topics(other)) <= 1)
    return [one for one in pointing if asks(one)]


def _count_other(clause: str, *texts: Words) -> int:
    """Return of how many things a clause speaks that are in none of the texts."""
    return sum(not any(text.mention(topic) for text in texts) for topic in find_topics(clause))


def _removes(clause: str) -> bool:
    return has_listed(clause, "remove") or has_listed(clause, "forget")


def _denies(clause: str) -> bool:
    """Whether a clause wants nothing: it has a word such as "not", or only says to forget it."""
    return has_listed(clause, "not") or (has_listed(clause, "forget") and not find_topics(clause))
