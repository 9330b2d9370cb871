"""What a query's text asks for besides its meaning."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ana.dates import spelled
from ana.store.tokens import tokens
from ana.when import Mention, due_question, stretches

_ID = re.compile(r"(?<![\w-])[a-z2-7]{8}(?![\w-])")
_PHRASE = re.compile(r'"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»')
_TAG = re.compile(r"(?<![\w#])#(\w[\w-]*)")

LONGEST = 4000
"""How many characters of a query are read for words and days; its vector is of more."""


@dataclass(frozen=True)
class Asked:
    """A query, read.

    Args:
        text: As it was put.
        words: What the lexical leg looks for, each once; a single day it names is spelled out.
        mentions: Where it names days.
        due: First and last day, when it asks for what is due then and for nothing besides.
        ids: What looks like an item's id.
        phrases: The words of each quoted phrase.
        tags: What stands behind a #, folded like words.
    """

    text: str
    words: tuple[str, ...]
    mentions: tuple[Mention, ...]
    due: tuple[date, date] | None
    ids: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    tags: tuple[str, ...]


def asked(text: str, today: date) -> Asked:
    """Read a query.

    Args:
        text: Any text, an item's whole content too.
        today: The person's today.
    """
    said = text[:LONGEST]
    mentions = tuple(stretches(said, today))
    quoted = (tuple(tokens("".join(match))) for match in _PHRASE.findall(said))
    return Asked(
        text=text,
        words=tuple(dict.fromkeys(_words(said, mentions))),
        mentions=mentions,
        due=due_question(said, today),
        ids=tuple(dict.fromkeys(_ID.findall(said.lower()))),
        phrases=tuple(phrase for phrase in quoted if phrase),
        tags=tuple(" ".join(tokens(tag.replace("_", " "))) for tag in _TAG.findall(said)),
    )


def _words(text: str, mentions: Sequence[Mention]) -> list[str]:
    """The words of a text, a day it names spelled out as items have it. Those of a stretch of days would drown all
    others, and its days count without them."""
    days = [spelled(mention.first) for mention in mentions if mention.first == mention.last]
    for mention in reversed(mentions):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return tokens(" ".join([text, *days]))
