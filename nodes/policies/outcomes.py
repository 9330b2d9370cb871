"""What a draft says of the turn's writes: days, times, numbers, titles, what became of an item, and refused calls."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain, combinations, pairwise

from ana.memory.receipts import Receipt, combine_receipts
from ana.memory.status import CLOSED, has_status
from ana.phrases import fold
from ana.time.dates import day_of
from ana.values import Json
from nodes.policies.days import blank_days, find_days, find_relative, find_weekdays
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.messages import FUNCTION_WORDS
from nodes.policies.moments import find_written
from nodes.policies.outside import SUPPOSES
from nodes.policies.quantities import find_digits, find_quantities, is_traced
from nodes.policies.texts import LISTED, QUOTED, any_of, asks, blank_quotes, says_no, split_lines, write_numbers
from nodes.policies.writes import find_failed
from tools.history import is_number

OUTCOME = "outcome"
MOST_CHARACTERS = 200
"""Of an item's properties in a reason."""

_WORD = re.compile(r"[ァ-ヶー]{2,}|[一-龠]{2,}|[^\W\d_ぁ-ヿ一-龠]{3,}")
_PAST = any_of(r"\b(?:was|were|before|war|waren|vorher|era|eran|antes|était|étaient|avant)\b|でした")
_EXTRA = ("repeats", "recurrence", "remind")
"""With these an item has other days than those that are stored."""
_HOURS = re.compile(r"\b(\d+) ?h ?(\d\d)\b")
"""Hours and minutes, such as 5 h 45, which are stored as 5.75."""
_LOWER = re.compile(r"\W*[a-zà-öø-ÿ]")
_AND = re.compile(r"[\s*_]*(?:,|、|と|&|\b(?:and|und|y|et)\b)*[\s*_]*")
_SAYS_DONE = any_of(
    r"\b(?:(?:ticked|checked|crossed) off|(?:marked|set)(?: as| to)? (?:done|completed?)|abgehakt|als erledigt)\b",
    r"\b(?:como (?:hech|completad|terminad)[oa]s?|cochée?s?|comme (?:fait|terminé)e?s?)\b|完了にしました",
)
_SAYS_DELETED = any_of(r"\b(?:deleted|gelöscht|(?:borrad|eliminad)[oa]s?|supprimée?s?|effacée?s?)\b|削除しました")
_SAYS_FOR_GOOD = any_of(
    r"\b(?:permanent(?:ly|emente)|irreversibly|forever|endgültig|unwiderruflich|für immer|definitivamente)\b",
    r"\b(?:para siempre|définitivement|pour toujours)\b|完全に|永久に",
)


@dataclass(frozen=True)
class _Written:
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
        return _read_content(self.receipt)

    def is_named(self, line: str) -> bool:
        """Whether a sentence has half of its words."""
        return bool(self.words) and 2 * _count_words(self.words, line) >= len(self.words)


def outcomes_are_told(e: Evidence) -> Violation | None:
    """Require that a draft says of an item what its receipt holds, and claims no call that was refused."""
    if not e.receipts or e.now is None:
        return None
    lines = split_lines(e.draft.replace("*", ""))
    written = [*_list_written(e, lines)]
    found = (_find_refused(e, written), _find_days(written, e), _find_numbers(written, lines, e))
    wrong = next(chain(*found, _find_acts(written), _find_purged(e, lines), _find_titles(written, lines, e)), None)
    if wrong is None:
        return None
    return Violation(
        OUTCOME,
        f"{wrong} Say what was done as the results of this turn have it; if they are not what the person asked for, "
        "change them.",
        "What I was going to say did not fit what was stored.",
    )


# ---- calls that were refused or failed


def _find_refused(e: Evidence, written: Sequence[_Written]) -> Iterator[str]:
    """Yield what is wrong with lines that list what was refused beside what was done, or tell no failure."""
    done, lines = [_find_words(each.content) for each in written], [*_split_lines(e.draft)]
    is_all_well = not (e.refused or any(says_no(line) for line, _ in lines))
    for text in _list_refused(e):
        words = _pick_own(_find_words(text), done)
        naming = [each for each in lines if words and 2 * _count_words(words, each[0]) >= len(words)]
        if any(says_no(line) or says_no(heading) or asks(line) for line, heading in naming):
            continue
        named = (line for line, _ in naming if LISTED.match(line) or any(each.is_named(line) for each in written))
        listed = (line for line, _ in naming) if is_all_well else named
        yield from (f'It says "{line}", but the call that would do "{text}" did not run.' for line in listed)


def _split_lines(draft: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a draft, each with the line above its list."""
    heading = ""
    for line in draft.splitlines():
        listed = bool(LISTED.match(line))
        yield from ((part, heading if listed else "") for part in split_lines(line))
        if line.strip() and not listed:
            heading = line if line.rstrip(" *").endswith((":", "：")) else ""


# ---- days and times


def _find_days(written: Iterable[_Written], e: Evidence) -> Iterator[str]:
    for item in written:
        days, times = _list_days(item.new), _list_times(item.new)
        if (days, times) == (_list_days(item.old), _list_times(item.old)) or any(name in item.new for name in _EXTRA):
            continue
        fits = [[(line, _fits_time(line, times)) for line in item.lines]] if not _fits_time(e.draft, times) else []
        if days and not any({*days}.intersection(found.dates) for found in find_days(e.draft, e.today)):
            fits.append([(line, _fits(line, days, e)) for line in item.lines])
        for judged in fits:
            wrong = next((line for line, fit in judged if fit is False), None)
            if wrong and True not in dict(judged).values():
                yield f'It says "{wrong}", but "{item.content}" has {str(item.new)[:MOST_CHARACTERS]}.'


def _list_days(properties: dict[str, Json]) -> list[date]:
    return [day for value in _list_values(properties) if (day := day_of(value))]


def _list_times(properties: dict[str, Json]) -> set[int]:
    """Return the times of day of an item, in minutes: 15:00, 2026-11-27T12:30."""
    found = (re.fullmatch(r"(?:.{10}T)?(\d\d):(\d\d)(?::\d\d)?", str(value)[:19]) for value in _list_values(properties))
    return {int(match[1]) * 60 + int(match[2]) for match in found if match}


def _list_values(properties: dict[str, Json]) -> Iterator[Json]:
    for value in properties.values():
        yield from value if isinstance(value, list) else [value]


def _fits(line: str, days: Sequence[date], e: Evidence) -> bool | None:
    """Return whether a sentence names one of the days; None if it names no day."""
    whole = find_days(line, e.today)
    named = {day for found in whole for day in found.dates}
    relative = {e.today + timedelta(days=word.number): word.number for word in find_relative(line)}
    weekdays = {name.number for name in find_weekdays(line)}
    if not (named or weekdays or any(number > 0 for number in relative.values())):
        return None
    alone = "".join(" " if any(d.start <= at < d.end for d in whole) else sign for at, sign in enumerate(line))
    by_name = any(day in named or day in relative or (day.weekday() in weekdays and not named) for day in days)
    return by_name or any(str(day.day) in find_digits(alone) for day in days)


def _fits_time(line: str, times: set[int]) -> bool | None:
    named = [moment.minutes for moment in find_written(line)]
    return any(times & minutes for minutes in named) if times and named else None


# ---- what became of which item


def _find_titles(written: Sequence[_Written], lines: Sequence[str], e: Evidence) -> Iterator[str]:
    """Yield what is wrong with titles that nothing has, listed with others, or in place of what was changed."""
    records = [str(e.receipts), *(call.text for call in e.calls), *e.lines.values(), *e.earlier]
    words, digits = _find_words(" ".join(records)), find_digits(e.question, *records)
    alone = not any(_find_words(i.content) & _find_words(e.draft) or i.receipt["before"] is None for i in written)
    for line in (line for line in lines if written and not (says_no(line) or asks(line))):
        quotes = [(quote, _find_words(quote[0])) for quote in QUOTED.finditer(line)]
        # a title begins with a capital or a number; « en cours » is a value in the language of the answer
        unknown = [q for q, own in quotes if own and not own & words and not _LOWER.match(q[0])]
        listed = len(unknown) < len(quotes) and all(
            _AND.fullmatch(line, one.end(), other.start()) for (one, _), (other, _) in pairwise(quotes)
        )
        numbered = [item for item in written if find_digits(item.content)]
        misread = (q for q, _ in quotes if any(i.is_named(q[0]) for i in numbered) and not find_digits(q[0]) <= digits)
        for quote in (*misread, *(unknown if alone or listed else ())):
            yield f'It says "{line}", but no record here is called {quote[0]}.'


def _find_acts(written: Iterable[_Written]) -> Iterator[str]:
    """Yield what is wrong with sentences that call an item done or deleted of which something else was changed."""
    for item in (each for each in written if each.receipt["op"] == "update"):
        status, whole = item.new.get("status"), item.old.keys() <= item.new.keys()
        same = all(item.new.get(name) == item.old.get(name) for name in ("status", "done_for"))
        is_open = status is not None and same and not has_status(item.new, CLOSED)
        for line in item.lines:
            said = "" if says_no(line) or asks(line) or SUPPOSES.search(line) else blank_quotes(line)
            if (is_open and _SAYS_DONE.search(said)) or (whole and _SAYS_DELETED.search(said)):
                yield f'It says "{line}", but "{item.content}" is there, with status: {status}.'


def _find_purged(e: Evidence, lines: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with clauses that call a delete permanent, which no tool makes."""
    parts = (part for line in lines for part in line.split(";") if _SAYS_DELETED.search(part))
    for said in parts if any(each["op"] == "delete" for each in e.receipts) else ():
        if _SAYS_FOR_GOOD.search(said) and not (says_no(said) or asks(said) or SUPPOSES.search(said)):
            yield f'It says "{said}", but it is in the trash until the user purges it (`ana trash --purge`).'


# ---- numbers


def _find_numbers(written: Iterable[_Written], lines: Sequence[str], e: Evidence) -> Iterator[str]:
    """Yield what is wrong with an old value that is told as the present one, or with another than the stored one."""
    draft = _HOURS.sub(lambda said: f"{int(said[1]) + int(said[2]) / 60:g} h", "\n".join(lines))
    for item in written:
        for name, value in item.new.items():
            if not is_number(value) or item.old.get(name) == value or _states(draft, [float(str(value))], e):
                continue
            told = _find_old(item, name, lines, e) or _find_other(item, e)
            if told:
                yield f'It says "{told}", but "{item.content}" has {name}: {value}.'


def _find_old(item: _Written, name: str, lines: Iterable[str], e: Evidence) -> str | None:
    """Return the sentence that has the value before as if it still were."""
    old = item.old.get(name)
    if not is_number(old) or (old in range(10) and isinstance(old, int)) or _states(e.question, [float(str(old))], e):
        return None
    plain = (line for line in lines if not (says_no(line) or asks(line) or _PAST.search(line)))
    return next((line for line in plain if _states(line, [float(str(old))], e)), None)


def _find_other(item: _Written, e: Evidence) -> str | None:
    """Return the sentence about the item that has a number from nowhere."""
    known = [*_list_known(item, e)]
    told = ((line, quantity) for line in item.lines for quantity in find_quantities(line, e.today))
    return next((line for line, quantity in told if not (asks(line) or is_traced(quantity, known))), None)


def _list_known(item: _Written, e: Evidence) -> Iterator[float]:
    """Yield what may stand with an item: its numbers, their sums and differences, its days from now, what was said."""
    new, old = ([float(str(value)) for value in p.values() if is_number(value)] for p in (item.new, item.old))
    yield from (*new, *old, *(a + b for a, b in combinations(new, 2)), *(abs(a - b) for a in new for b in (*new, *old)))
    yield from ((day - e.today).days for day in _list_days(item.new))
    texts = (*e.texts(), *write_numbers(e.question), item.content)
    yield from (value for text in texts for found in find_quantities(text, e.today) for value in found.values)


def _states(text: str, values: Sequence[float], e: Evidence) -> bool:
    return any(is_traced(quantity, values) for quantity in find_quantities(text, e.today))


# ---- which sentences are about which item


def _list_written(e: Evidence, lines: Sequence[str]) -> Iterator[_Written]:
    """Yield the items that a turn wrote, each with the sentences of its draft that name it."""
    receipts = [each for each in combine_receipts(e.receipts) if each["kind"] == "item"]
    every = [_find_words(_read_content(each)) for each in receipts]
    others = [_find_words(text) for text in _list_refused(e)]
    for at, receipt in enumerate(receipts):
        words = _pick_own(every[at], [*every[:at], *every[at + 1 :], *others])
        yield _Written(receipt, words, _find_best(words, lines))


def _read_content(receipt: Receipt) -> str:
    return str((receipt["after"] or receipt["before"])["content"])


def _pick_own(words: frozenset[str], others: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the words that mean this text: a word of a longer one, too, is still the shorter one's."""
    return words.difference(*(other for other in others if len(other) <= len(words)))


def _find_words(text: str) -> frozenset[str]:
    """Return the words of a text that may tell it from others: no days, no function words."""
    return frozenset(_WORD.findall(fold(blank_days(text)))) - FUNCTION_WORDS


def _find_best(words: frozenset[str], lines: Sequence[str]) -> tuple[str, ...]:
    """Return the sentences that name most of an item's words, if that is half of them."""
    counts = [_count_words(words, line) for line in lines]
    best = max(counts, default=0)
    named = 2 * best >= len(words) > 0
    return tuple(line for line, count in zip(lines, counts, strict=True) if named and count == best)


def _count_words(words: Iterable[str], line: str) -> int:
    """Return how many of the words a sentence has."""
    folded = fold(line)
    found = {*_WORD.findall(folded)}
    return sum(word in (folded if not word.isascii() else found) for word in words)


def _list_refused(e: Evidence) -> list[str]:
    """Return the texts of the items that refused and failed calls would have stored, changed or deleted."""
    every = [*e.refused, *(call.args for call in find_failed(e.calls))]
    contents = {str(item.get("id")): item.get("content") for item in e.found()} if every else {}
    texts = (args.get("content") or contents.get(str(args.get("id"))) for args in every)
    return [text for text in texts if isinstance(text, str)]
