"""What a draft says of the turn's writes: days and numbers beside an item's words, and calls that were refused."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations

from ana.memory.receipts import Receipt, combine_receipts
from ana.phrases import fold
from ana.time.dates import day_of
from ana.values import Json
from nodes.policies.days import blank_days, find_days, find_relative, find_weekdays
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.messages import FUNCTION_WORDS
from nodes.policies.moments import find_written
from nodes.policies.quantities import find_digits, find_quantities, is_traced
from nodes.policies.texts import LISTED, any_of, asks, says_no, split_lines
from nodes.policies.writes import find_failed
from tools.catalog import READERS

OUTCOME = "outcome"

_WORD = re.compile(r"[ァ-ヶー]{2,}|[一-龠]{2,}|[^\W\d_ぁ-ヿ一-龠]{3,}")
_PAST = any_of(r"\b(?:was|were|before|war|waren|vorher|era|eran|antes|était|étaient|avant)\b|でした")
_EXTRA = ("repeats", "recurrence", "remind")
"""With these an item has other days than those that are stored."""


@dataclass(frozen=True)
class Written:
    """An item as the turn left it.

    Args:
        receipt: From before its first change to after its last.
        words: Its words that no other item of the turn has.
        lines: The sentences of the draft that name it best.
    """

    receipt: Receipt
    words: frozenset[str]
    lines: tuple[str, ...]

    @property
    def old(self) -> dict[str, Json]:
        """Its properties before."""
        return dict((self.receipt["before"] or {}).get("properties", {}))

    @property
    def new(self) -> dict[str, Json]:
        """Its properties now; none of one that was deleted."""
        return dict((self.receipt["after"] or {}).get("properties", {}))

    @property
    def content(self) -> str:
        """Its text."""
        return _read_content(self.receipt)


def outcomes_are_told(e: Evidence) -> Violation | None:
    """Require that a draft says of an item what its receipt holds, and claims no call that was refused."""
    if not e.receipts or e.now is None:
        return None
    lines = split_lines(e.draft.replace("*", ""))
    written = [*_list_written(e, lines)]
    wrong = next(iter([*_find_refused(e, written), *_find_days(written, e), *_find_numbers(written, lines, e)]), None)
    if wrong is None:
        return None
    return Violation(
        OUTCOME,
        f"{wrong} Say what was done as the results of this turn have it; if they are not what the person asked for, "
        "change them.",
        "What I was going to say did not fit what was stored.",
    )


# ---- which sentence is about which item


def _list_written(e: Evidence, lines: Sequence[str]) -> Iterator[Written]:
    receipts = [each for each in combine_receipts(e.receipts) if each["kind"] == "item"]
    every = [_find_words(_read_content(each)) for each in receipts]
    others = [_find_words(text) for text in _list_refused(e)]
    for at, receipt in enumerate(receipts):
        words = _pick_own(every[at], [*every[:at], *every[at + 1 :], *others])
        yield Written(receipt, words, _find_best(words, lines))


def _read_content(receipt: Receipt) -> str:
    return str((receipt["after"] or receipt["before"])["content"])


def _pick_own(words: frozenset[str], others: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the words that mean this text: a word of a longer one, too, is still the shorter one's."""
    return words.difference(*(other for other in others if len(other) <= len(words)))


def _find_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold(blank_days(text)))) - FUNCTION_WORDS


def _find_best(words: frozenset[str], lines: Sequence[str]) -> tuple[str, ...]:
    """Return the sentences that name most of an item's words, if that is half of them."""
    counts = [_count(words, line) for line in lines]
    best = max(counts, default=0)
    return tuple(
        line for line, count in zip(lines, counts, strict=True) if count == best and 2 * best >= len(words) > 0
    )


def _count(words: Iterable[str], line: str) -> int:
    folded = fold(line)
    found = {*_WORD.findall(folded)}
    return sum(word in (folded if not word.isascii() else found) for word in words)


# ---- calls that were refused or failed


def _list_refused(e: Evidence) -> list[str]:
    """Return the texts of the items that refused and failed calls would have stored, changed or deleted."""
    every = [*e.refused, *(call.args for call in find_failed(e.calls))]
    contents = {str(item.get("id")): item.get("content") for item in e.found()} if every else {}
    texts = (args.get("content") or contents.get(str(args.get("id"))) for args in every)
    return [text for text in texts if isinstance(text, str)]


def _find_refused(e: Evidence, written: Sequence[Written]) -> Iterator[str]:
    """Yield what is wrong with lines that list what was refused beside what was done."""
    done = [_find_words(each.content) for each in written]
    for text in _list_refused(e):
        words = _pick_own(_find_words(text), done)
        naming = [
            (line, heading)
            for line, heading in _split_lines(e.draft)
            if words and 2 * _count(words, line) >= len(words)
        ]
        if any(says_no(line) or says_no(heading) or asks(line) for line, heading in naming):
            continue
        listed = (line for line, _ in naming if LISTED.match(line) or any(_is_named(each, line) for each in written))
        yield from (f'It says "{line}", but the call that would do "{text}" did not run.' for line in listed)


def _is_named(written: Written, line: str) -> bool:
    return bool(written.words) and 2 * _count(written.words, line) >= len(written.words)


def _split_lines(draft: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a draft, each with the line above its list."""
    heading = ""
    for line in draft.splitlines():
        listed = bool(LISTED.match(line))
        yield from ((part, heading if listed else "") for part in split_lines(line))
        if line.strip() and not listed:
            heading = line if line.rstrip(" *").endswith((":", "：")) else ""


# ---- days and times


def _find_days(written: Iterable[Written], e: Evidence) -> Iterator[str]:
    for item in written:
        days = _list_days(item.new) if _list_days(item.new) != _list_days(item.old) else []
        if (
            not days
            or any(name in item.new for name in _EXTRA)
            or _find_named_days(e.draft, e).intersection(dict(days))
        ):
            continue
        judged = [(line, _fits(line, [day for day, _ in days], e), _fits_time(line, days)) for line in item.lines]
        for fits in ([(line, day) for line, day, _ in judged], [(line, time) for line, _, time in judged]):
            if True not in (fit for _, fit in fits) and (
                wrong := next((line for line, fit in fits if fit is False), None)
            ):
                stored = ", ".join(f"{name}: {item.new[name]}" for name in item.new if _days_of(item.new[name]))
                yield f'It says "{wrong}", but "{item.content}" has {stored}.'


def _list_days(properties: dict[str, Json]) -> list[tuple[date, str]]:
    """Return the days of an item, each with its time or nothing."""
    return [found for value in properties.values() for found in _days_of(value)]


def _days_of(value: Json) -> list[tuple[date, str]]:
    values = value if isinstance(value, list) else [value]
    return [(day, str(each)[11:16]) for each in values if (day := day_of(each))]


def _fits(line: str, days: Sequence[date], e: Evidence) -> bool | None:
    """Return whether a sentence names one of the days; None if it names no day."""
    named, today = _find_named_days(line, e), _today(e)
    relative = {today + timedelta(days=word.number): word.number for word in find_relative(line)}
    weekdays = {name.number for name in find_weekdays(line)}
    if not (named or weekdays or any(number > 0 for number in relative.values())):
        return None
    digits = find_digits(line)
    by_name = any(day in named or day in relative or (day.weekday() in weekdays and not named) for day in days)
    return by_name or any(str(day.day) in digits for day in days)


def _find_named_days(text: str, e: Evidence) -> set[date]:
    return {day for found in find_days(text, _today(e)) for day in found.dates}


def _fits_time(line: str, days: Sequence[tuple[date, str]]) -> bool | None:
    times = {int(time[:2]) * 60 + int(time[3:]) for _, time in days if re.fullmatch(r"\d\d:\d\d", time)}
    named = [moment.minutes for moment in find_written(line)]
    return any(times & minutes for minutes in named) if times and named else None


# ---- numbers


def _find_numbers(written: Iterable[Written], lines: Sequence[str], e: Evidence) -> Iterator[str]:
    """Yield what is wrong with an old value that is told as the present one, or with another than the stored one."""
    draft = "\n".join(lines)
    for item in written:
        for name, value in item.new.items():
            if not _is_number(value) or item.old.get(name) == value or _states(draft, [float(str(value))], e):
                continue
            told = _find_old(item, name, lines, e) or _find_other(item, name, e)
            if told:
                yield f'It says "{told}", but "{item.content}" has {name}: {value}.'


def _find_old(item: Written, name: str, lines: Iterable[str], e: Evidence) -> str | None:
    """Return the sentence that has the value before as if it still were."""
    old = item.old.get(name)
    if not _is_number(old) or (old in range(10) and isinstance(old, int)) or _states(e.question, [float(str(old))], e):
        return None
    plain = (line for line in lines if not (says_no(line) or asks(line) or _PAST.search(line)))
    return next((line for line in plain if _states(line, [float(str(old))], e)), None)


def _find_other(item: Written, name: str, e: Evidence) -> str | None:
    """Return the sentence about the item that has, before the property's name, a number from nowhere."""
    units = "|".join(re.escape(part) for part in re.findall(r"[^\W\d_]{2,}", name))
    known = [*_list_known(item, name, e)]
    for line in item.lines if units else ():
        for quantity in find_quantities(line, _today(e)):
            beside = re.match(rf"\s?(?:{units})(?![^\W\d_])", line[quantity.end :], re.IGNORECASE)
            if beside and not is_traced(quantity, known):
                return line
    return None


def _list_known(item: Written, name: str, e: Evidence) -> Iterator[float]:
    """Yield what may stand with an item: its numbers, their sums and differences, those of message and results."""
    new, old = ([float(str(value)) for value in p.values() if _is_number(value)] for p in (item.new, item.old))
    yield from (*new, *old, *(a + b for a, b in combinations(new, 2)), *(abs(a - b) for a in new for b in (*new, *old)))
    texts = (e.question, *(call.text for call in e.calls if call.tool in READERS))
    yield from (value for text in texts for found in find_quantities(text, _today(e)) for value in found.values)


def _states(text: str, values: Sequence[float], e: Evidence) -> bool:
    return any(is_traced(quantity, values) for quantity in find_quantities(text, _today(e)))


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _today(e: Evidence) -> date:
    assert e.now is not None
    return e.now.date()
