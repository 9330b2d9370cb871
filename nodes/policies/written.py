"""The items that a turn wrote, and which sentences of its draft are about which of them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ana.memory.receipts import Receipt, combine_receipts
from ana.phrases import fold
from ana.values import Json
from nodes.policies.days import blank_days
from nodes.policies.evidence import Evidence
from nodes.policies.messages import FUNCTION_WORDS
from nodes.policies.writes import find_failed

_WORD = re.compile(r"[ァ-ヶー]{2,}|[一-龠]{2,}|[^\W\d_ぁ-ヿ一-龠]{3,}")


@dataclass(frozen=True)
class Written:
    """An item as the turn left it, its words that no other has, and the sentences of the draft that name it best."""

    receipt: Receipt
    words: frozenset[str]
    lines: tuple[str, ...]

    @property
    def old(self) -> dict[str, Json]:
        return dict((self.receipt["before"] or {}).get("properties", {}))

    @property
    def new(self) -> dict[str, Json]:
        """Its properties now; none of one that was deleted."""
        return dict((self.receipt["after"] or {}).get("properties", {}))

    @property
    def content(self) -> str:
        return read_content(self.receipt)

    def is_named(self, line: str) -> bool:
        """Whether a sentence has half of its words."""
        return bool(self.words) and 2 * count_words(self.words, line) >= len(self.words)


def list_written(e: Evidence, lines: Sequence[str]) -> Iterator[Written]:
    """Yield the items that a turn wrote, each with the sentences of its draft that name it."""
    receipts = [each for each in combine_receipts(e.receipts) if each["kind"] == "item"]
    every = [find_words(read_content(each)) for each in receipts]
    others = [find_words(text) for text in list_refused(e)]
    for at, receipt in enumerate(receipts):
        words = pick_own(every[at], [*every[:at], *every[at + 1 :], *others])
        yield Written(receipt, words, _find_best(words, lines))


def read_content(receipt: Receipt) -> str:
    return str((receipt["after"] or receipt["before"])["content"])


def pick_own(words: frozenset[str], others: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the words that mean this text: a word of a longer one, too, is still the shorter one's."""
    return words.difference(*(other for other in others if len(other) <= len(words)))


def find_words(text: str) -> frozenset[str]:
    """Return the words of a text that may tell it from others: no days, no function words."""
    return frozenset(_WORD.findall(fold(blank_days(text)))) - FUNCTION_WORDS


def _find_best(words: frozenset[str], lines: Sequence[str]) -> tuple[str, ...]:
    """Return the sentences that name most of an item's words, if that is half of them."""
    counts = [count_words(words, line) for line in lines]
    best = max(counts, default=0)
    named = 2 * best >= len(words) > 0
    return tuple(line for line, count in zip(lines, counts, strict=True) if named and count == best)


def count_words(words: Iterable[str], line: str) -> int:
    """Return how many of the words a sentence has."""
    folded = fold(line)
    found = {*_WORD.findall(folded)}
    return sum(word in (folded if not word.isascii() else found) for word in words)


def list_refused(e: Evidence) -> list[str]:
    """Return the texts of the items that refused and failed calls would have stored, changed or deleted."""
    every = [*e.refused, *(call.args for call in find_failed(e.calls))]
    contents = {str(item.get("id")): item.get("content") for item in e.found()} if every else {}
    texts = (args.get("content") or contents.get(str(args.get("id"))) for args in every)
    return [text for text in texts if isinstance(text, str)]
