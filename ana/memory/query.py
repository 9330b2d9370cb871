"""What is looked for: a text and what it asks for, a filter, days."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import TypeAlias

from ana.memory.filters import EVERY_ITEM, Node
from ana.memory.tokens import fold_tag, tokenize
from ana.time.dates import spell_day
from ana.time.when import Mention, find_named_days, read_due_question

Days: TypeAlias = tuple[date, date]

_ID = re.compile(r"(?<![\w-])[a-z2-7]{8}(?![\w-])")
_PHRASE = re.compile(r'"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»')
_TAG = re.compile(r"(?:(?<![\w#])#|\btag(?:ged)?:?\s+[#\"“']?)(\w[\w-]*)", re.IGNORECASE)
_UNDATED = re.compile(
    r"\bundated\b|\b(?:without|with\s+no|no)\s+(?:an?\s+|any\s+)?(?:due\s+)?(?:date|deadline)s?\b", re.I
)

_FUNCTION_WORDS = frozenset(
    tokenize(
        "a an the my your his her our their i me you he she it we they this that these those there here and or but not"
        " no if so than then too very just only also what when where which who whom whose why how much many is are was"
        " were be been am do does did have has had having will would shall should can could may might must to of for"
        " from with without on in at by about into over under after before until as please tell show give find list"
        " any some something anything everything thing stuff someone somebody get got go let one s t d ll m re ve"
    )
)
"""Words of English that hold a question together and say nothing of what is looked for."""

LONGEST = 4000
"""How many characters of a query are read for words and days; its vector is of more."""


@dataclass(frozen=True)
class ParsedQuery:
    """What a query's text asks for besides its meaning.

    Args:
        text: As it was put.
        words: What the lexical leg looks for, each once; a single day it names is spelled out.
        mentions: Where it names days.
        undated: Whether it asks for what has no date.
        due: First and last day, when it asks for what is due then and for nothing besides.
        ids: What looks like an item's id.
        phrases: The words of each quoted phrase.
        tags: What stands behind a #, folded like words.
    """

    text: str
    words: tuple[str, ...]
    mentions: tuple[Mention, ...]
    undated: bool
    due: Days | None
    ids: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """What a backend is asked to find.

    Args:
        text: What it is about; None for everything that passes, by date.
        where: The filter; every item passes an empty And.
        zone: The person's zone: where a bare date begins and ends.
        limit: How many items at most.
        due: First and last day of the items' own dates, both included; date.min reaches back to the beginning.
        excluded: Items with one of these statuses do not pass.
    """

    text: ParsedQuery | None
    where: Node
    zone: tzinfo
    limit: int = 10
    due: Days | None = None
    excluded: tuple[str, ...] = ()

    @property
    def has_filter(self) -> bool:
        """Whether there is a filter on properties."""
        return self.where != EVERY_ITEM


def parse_query(text: str, today: date) -> ParsedQuery:
    """Read what a query's text asks for.

    Args:
        text: Any text, an item's whole content too.
        today: The person's today.
    """
    said = text[:LONGEST]
    mentions = tuple(find_named_days(said, today))
    undated = _UNDATED.search(said) is not None
    quoted = (tuple(tokenize("".join(match))) for match in _PHRASE.findall(said))
    return ParsedQuery(
        text=text,
        words=tuple(dict.fromkeys(_find_words(_UNDATED.sub(" ", said), () if undated else mentions))),
        mentions=mentions,
        undated=undated,
        due=read_due_question(said, today),
        ids=tuple(dict.fromkeys(_ID.findall(said.lower()))),
        phrases=tuple(phrase for phrase in quoted if phrase),
        tags=tuple(map(fold_tag, _TAG.findall(said))),
    )


def _find_words(text: str, mentions: Sequence[Mention]) -> list[str]:
    """The words of a text, a day it names spelled out as items have it. Those of a stretch of days would drown all
    others, and its days count without them."""
    days = [spell_day(mention.first) for mention in mentions if mention.first == mention.last]
    for mention in reversed(mentions):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return [word for word in tokenize(text) if word not in _FUNCTION_WORDS] + tokenize(" ".join(days))
