"""What a draft says of the turn's writes: days, times, numbers, titles, what became of an item, and refused calls."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import chain, combinations, pairwise

from ana.memory.receipts import combine_receipts
from ana.memory.status import CLOSED, has_status
from ana.time.dates import day_of
from ana.values import Json
from nodes.policies.days import find_days, find_relative, find_weekdays
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.moments import find_written
from nodes.policies.outside import SUPPOSES
from nodes.policies.quantities import find_digits, find_quantities, is_traced
from nodes.policies.texts import LISTED, QUOTED, any_of, asks, blank_quotes, says_no, split_lines, write_numbers
from nodes.policies.written import Written, count_words, find_words, list_refused, list_written, pick_own
from tools.history import is_number

OUTCOME = "outcome"
MOST_CHARACTERS = 200
"""Of an item's properties in a reason."""

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
_NONE_DELETED = any_of(
    r"\b(?:nothing|none)\b[^.;:,]{0,60} (?:deleted|removed|erased)\b|(?:not|n['’]t) (?:deleted?|removed?) anything\b",
    r"\bnichts\b[^.;:,]{0,60} (?:gelöscht|entfernt)\b|\bno (?:he|se ha) (?:borrado|eliminado) nada\b",
    r"\brien\b[^.;:,]{0,60} (?:supprimé|effacé)\b|何も(?:削除|消)",
)
_ELSE = any_of(
    r"\b(?:else|others?|more|rest|sonst|weiter\w*|andere\w*|mehr|más|otr[oa]s?|demás|autres?|plus)\b|ほか|他"
)
_STAYS = any_of(
    r"\b(?:stays?|remains?|still|unchanged|bleib(?:t|en)|weiterhin|unverändert|sigue|queda|permanece|reste|toujours)\b",
    r"のまま",
)
_PART = re.compile(r"[,:](?!\d)|[;—–、]|\b(?:and|und|y|et)\b")
"""What parts a sentence, into what is said of one thing each."""
_SAYS_FOR_GOOD = any_of(
    r"\b(?:permanent(?:ly|emente)|irreversibly|forever|endgültig|unwiderruflich|für immer|definitivamente)\b",
    r"\b(?:para siempre|définitivement|pour toujours)\b|完全に|永久に",
)


def outcomes_are_told(e: Evidence) -> Violation | None:
    """Require that a draft says of an item what its receipt holds, and claims no call that was refused."""
    if not e.receipts or e.now is None:
        return None
    lines = split_lines(e.draft.replace("*", ""))
    written = [*list_written(e, lines)]
    found = (_find_refused(e, written), _find_days(written, e), _find_numbers(written, lines, e))
    deleted = (_find_purged(e, lines), _find_undeleted(e, lines))
    wrong = next(chain(*found, _find_acts(written, e), *deleted, _find_titles(written, lines, e)), None)
    if wrong is None:
        return None
    return Violation(
        OUTCOME,
        f"{wrong} Say what was done as the results of this turn have it; if they are not what the person asked for, "
        "change them.",
        "What I was going to say did not fit what was stored.",
    )


# ---- calls that were refused or failed


def _find_refused(e: Evidence, written: Sequence[Written]) -> Iterator[str]:
    """Yield what is wrong with lines that list what was refused beside what was done, or tell no failure."""
    done, lines = [find_words(each.content) for each in written], [*_split_lines(e.draft)]
    is_all_well = not (e.refused or any(says_no(line) for line, _ in lines))
    for text in list_refused(e):
        words = pick_own(find_words(text), done)
        naming = [each for each in lines if words and 2 * count_words(words, each[0]) >= len(words)]
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


def _find_days(written: Iterable[Written], e: Evidence) -> Iterator[str]:
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


def _find_titles(written: Sequence[Written], lines: Sequence[str], e: Evidence) -> Iterator[str]:
    """Yield what is wrong with titles that nothing has, listed with others, or in place of what was changed."""
    records = [str(e.receipts), *(call.text for call in e.calls), *e.lines.values(), *e.earlier]
    words, digits = find_words(" ".join(records)), find_digits(e.question, *records)
    alone = not any(find_words(i.content) & find_words(e.draft) or i.receipt["before"] is None for i in written)
    for line in (line for line in lines if written and not (says_no(line) or asks(line))):
        quotes = [(quote, find_words(quote[0])) for quote in QUOTED.finditer(line)]
        # a title begins with a capital or a number; « en cours » is a value in the language of the answer
        unknown = [q for q, own in quotes if own and not own & words and not _LOWER.match(q[0])]
        listed = len(unknown) < len(quotes) and all(
            _AND.fullmatch(line, one.end(), other.start()) for (one, _), (other, _) in pairwise(quotes)
        )
        numbered = [item for item in written if find_digits(item.content)]
        misread = (q for q, _ in quotes if any(i.is_named(q[0]) for i in numbered) and not find_digits(q[0]) <= digits)
        for quote in (*misread, *(unknown if alone or listed else ())):
            yield f'It says "{line}", but no record here is called {quote[0]}.'


def _find_acts(written: Sequence[Written], e: Evidence) -> Iterator[str]:
    """Yield what is wrong with sentences that call an item done or deleted of which something else was changed."""
    closed = any(each.new.get("status") != each.old.get("status") and has_status(each.new, CLOSED) for each in written)
    deleted = any(each["op"] == "delete" for each in e.receipts)
    for item in (each for each in written if each.receipt["op"] == "update"):
        status, whole = item.new.get("status"), item.old.keys() <= item.new.keys()
        same = all(item.new.get(name) == item.old.get(name) for name in ("status", "done_for"))
        is_open = status is not None and same and not has_status(item.new, CLOSED)
        for line in item.lines:
            said = "" if says_no(line) or asks(line) or SUPPOSES.search(line) else blank_quotes(line)
            if (is_open and _tells(_SAYS_DONE, said, item, closed)) or (
                whole and _tells(_SAYS_DELETED, said, item, deleted)
            ):
                yield f'It says "{line}", but "{item.content}" is there, with status: {status}.'


def _tells(act: re.Pattern[str], said: str, item: Written, others: bool) -> bool:
    """Whether a sentence tells an act of an item; if it was done to others, in a part that has a word of the item."""
    parts = _PART.split(said) if others else [said]
    return any(act.search(part) and (not others or count_words(item.words, part)) for part in parts)


def _find_undeleted(e: Evidence, lines: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with sentences that deny all deletes where something was deleted."""
    if any(each["op"] == "delete" for each in combine_receipts(e.receipts)):
        denied = (line for line in lines if _NONE_DELETED.search(line) and not (_ELSE.search(line) or asks(line)))
        yield from (f'It says "{line}", but something was deleted.' for line in denied)


def _find_purged(e: Evidence, lines: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with clauses that call a delete permanent, which no tool makes."""
    parts = (part for line in lines for part in line.split(";") if _SAYS_DELETED.search(part))
    for said in parts if any(each["op"] == "delete" for each in e.receipts) else ():
        if _SAYS_FOR_GOOD.search(said) and not (says_no(said) or asks(said) or SUPPOSES.search(said)):
            yield f'It says "{said}", but it is in the trash until the user purges it (`ana trash --purge`).'


# ---- numbers


def _find_numbers(written: Iterable[Written], lines: Sequence[str], e: Evidence) -> Iterator[str]:
    """Yield what is wrong with an old value that is told as the present one, or with another than the stored one."""
    draft = _HOURS.sub(lambda said: f"{int(said[1]) + int(said[2]) / 60:g} h", "\n".join(lines))
    for item in written:
        for name, value in item.new.items():
            if not is_number(value) or item.old.get(name) == value:
                continue
            told = _find_kept(item, name, lines, e)
            if not (told or _states(draft, [float(str(value))], e)):
                told = _find_old(item, name, lines, e) or _find_other(item, e)
            if told:
                yield f'It says "{told}", but "{item.content}" has {name}: {value}.'


def _find_kept(item: Written, name: str, lines: Iterable[str], e: Evidence) -> str | None:
    """Return the part of a sentence that says that the value before stays."""
    old = item.old.get(name)
    if not is_number(old) or (old in range(10) and isinstance(old, int)):
        return None
    parts = (part for line in lines if not asks(line) for part in _PART.split(line) if _STAYS.search(part))
    kept = (part for part in parts if count_words(item.words, part) and not (says_no(part) or _PAST.search(part)))
    return next((part.strip() for part in kept if _states(part, [float(str(old))], e)), None)


def _find_old(item: Written, name: str, lines: Iterable[str], e: Evidence) -> str | None:
    """Return the sentence that has the value before as if it still were."""
    old = item.old.get(name)
    if not is_number(old) or (old in range(10) and isinstance(old, int)) or _states(e.question, [float(str(old))], e):
        return None
    plain = (line for line in lines if not (says_no(line) or asks(line) or _PAST.search(line)))
    return next((line for line in plain if _states(line, [float(str(old))], e)), None)


def _find_other(item: Written, e: Evidence) -> str | None:
    """Return the sentence about the item that has a number from nowhere."""
    known = [*_list_known(item, e)]
    told = ((line, quantity) for line in item.lines for quantity in find_quantities(line, e.today))
    return next((line for line, quantity in told if not (asks(line) or is_traced(quantity, known))), None)


def _list_known(item: Written, e: Evidence) -> Iterator[float]:
    """Yield what may stand with an item: its numbers, their sums and differences, its days from now, what was said."""
    new, old = ([float(str(value)) for value in p.values() if is_number(value)] for p in (item.new, item.old))
    yield from (*new, *old, *(a + b for a, b in combinations(new, 2)), *(abs(a - b) for a in new for b in (*new, *old)))
    yield from ((day - e.today).days for day in _list_days(item.new))
    texts = (*e.texts(), *write_numbers(e.question), item.content)
    yield from (value for text in texts for found in find_quantities(text, e.today) for value in found.values)


def _states(text: str, values: Sequence[float], e: Evidence) -> bool:
    return any(is_traced(quantity, values) for quantity in find_quantities(text, e.today))
