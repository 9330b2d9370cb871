"""Queries: a text and its meaning, a filter, days."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import TYPE_CHECKING, TypeAlias

from ana.memory.filters import EVERY_ITEM, Node
from ana.memory.search.tokens import fold_tag, tokenize
from ana.time.dates import spell_day
from ana.translation import _

if TYPE_CHECKING:
    from ana.time.when import When

Days: TypeAlias = tuple[date, date]

_ID = re.compile(r"(?<![\w-])[a-z2-7]{8}(?![\w-])")
_PHRASE = re.compile(r'"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»')
_TAG = re.compile(r"(?:(?<![\w#])#|\btag(?:ged)?:?\s+[#\"“']?)(\w[\w-]*)", re.IGNORECASE)
_UNDATED = re.compile(
    r"\bundated\b|\b(?:without|with\s+no|no)\s+(?:an?\s+|any\s+)?(?:due\s+)?(?:date|deadline)s?\b", re.I
)
_EXCEPTED = re.compile(
    r"\b(?:no|nor|neither|except(?:\s+for)?|excluding|other\s+than|apart\s+from|leav(?:e|ing)\s+out)\b[^,.;:!?]*", re.I
)
"""What a text leaves out, up to the end of the clause: such words are not looked for."""

_NEGATED = re.compile(r"(?:\b(?:not|without)\b|n['’]t\b)[^,.;:!?]*", re.I)
"""A negation and what it denies, which is looked for: what somebody does not eat stands in a note on food."""

_OPEN = re.compile(
    r"\b(?:still|is|are|remains?)\s+open\b|\b(?:unfinished|undone|outstanding|pending)\b|\bto\s+be\s+done\b", re.I
)
_DONE = re.compile(r"\b(?:done|completed|finished)\b", re.I)

_FUNCTION_WORDS = frozenset(
    tokenize(
        "a an the my your his her our their i me you he she it we they this that these those there here and or but not"
        " no if so than then too very just only also what when where which who whom whose why how much many is are was"
        " were be been am do does did have has had having will would shall should can could may might must to of for"
        " from with without on in at by about into over under after before until as please tell show give find list"
        " any some something anything everything thing stuff someone somebody get got go let one s t d ll m re ve"
    )
)
"""English words that hold a question together and say nothing about what is wanted."""

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

LONGEST = 4000
"""How many characters of a query are read for words and days; all of them go into its vector."""


@dataclass(frozen=True)
class ParsedQuery:
    """A query's text, and the explicit conditions in it.

    Args:
        text: The text as given.
        words: The words to search for, each once, without excluded ones; a single named day is spelled out.
        mentions: The places where it names days.
        undated: Whether it asks for items without a date.
        is_open: Whether it asks for open items; False for done ones, None for neither.
        due: First and last day, if it only asks what is due in that time.
        ids: Everything that looks like an item's id.
        phrases: The words of each quoted phrase.
        tags: The words after a #, as `fold_tag` writes them.
    """

    text: str
    words: tuple[str, ...]
    mentions: "tuple[When, ...]"
    undated: bool
    is_open: bool | None
    due: Days | None
    ids: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    tags: tuple[str, ...]

    @property
    def asks_overdue(self) -> bool:
        """Return whether it asks only for overdue items."""
        return self.due is not None and self.due[0] == date.min


@dataclass(frozen=True)
class Query:
    """A query to a backend.

    Args:
        text: The parsed text; None to get all items that pass, by date.
        where: The filter; every item passes an empty And.
        zone: The person's zone: where a bare date begins and ends.
        due: First and last day of the items' own dates, both included.
        excluded: Items with one of these statuses do not pass.
        now: The present moment; earlier occurrences of a repeating item have passed.
    """

    text: ParsedQuery | None
    where: Node
    zone: tzinfo
    limit: int = 10
    due: Days | None = None
    excluded: tuple[str, ...] = ()
    now: datetime = LONG_AGO

    @property
    def has_filter(self) -> bool:
        """Return whether there is a filter on properties."""
        return self.where != EVERY_ITEM


def parse_query(text: str, today: date) -> ParsedQuery:
    """Parse a query's text, or an item's whole content, into words, days and other conditions."""
    from ana.time.when import find_named_days, read_due_question

    head = text[:LONGEST]  # a text may be an item of a megabyte
    mentions = tuple(find_named_days(head, today, months=True))
    undated = _UNDATED.search(head) is not None
    quoted = (tuple(tokenize("".join(match))) for match in _PHRASE.findall(head))
    return ParsedQuery(
        text=text,
        words=tuple(dict.fromkeys(_find_words(_UNDATED.sub(" ", head), () if undated else mentions))),
        mentions=mentions,
        undated=undated,
        is_open=_read_status(head),
        due=read_due_question(head, today),
        ids=tuple(dict.fromkeys(_ID.findall(head.lower()))),
        phrases=tuple(phrase for phrase in quoted if phrase),
        tags=tuple(map(fold_tag, _TAG.findall(head))),
    )


def describe_unread(text: str) -> str:
    """Return a sentence if only the beginning of a query is read for its words and days; else nothing."""
    sentence = _("Of the text the first {n:,} characters were read for words and days.")
    return sentence.format(n=LONGEST) if len(text) > LONGEST else ""


def _read_status(text: str) -> bool | None:
    """Return whether a text asks for open items; False for done ones, None for neither."""
    denied = [*_EXCEPTED.findall(text), *_NEGATED.findall(text)]
    wanted = _NEGATED.sub(" ", _EXCEPTED.sub(" ", text))
    if _OPEN.search(wanted) or _DONE.search(" ".join(denied)):
        return True
    return False if _DONE.search(wanted) else None


def _find_words(text: str, mentions: "Sequence[When]") -> list[str]:
    """Return the wanted words of a text, with a named day spelled out as in items."""
    # the words of several days would outweigh all others, and those days count as dates anyway
    days = [spell_day(mention.first) for mention in mentions if mention.first == mention.last]
    for mention in reversed(mentions):  # from the end, so that positions stay valid
        text = f"{text[: mention.start]} {text[mention.end :]}"
    text = _NEGATED.sub(lambda denied: _DONE.sub(" ", denied[0]), _EXCEPTED.sub(" ", text))
    wanted = _OPEN.sub(" ", text)
    return list_content_words(wanted) + tokenize(" ".join(days))


def list_content_words(text: str) -> list[str]:
    """Return all meaningful words of a text, in order."""
    return [word for word in tokenize(text) if word not in _FUNCTION_WORDS]
