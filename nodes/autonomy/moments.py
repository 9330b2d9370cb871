"""Times of day as drafts write and say them, in five languages."""

import re
from dataclasses import dataclass

from nodes.autonomy.texts import write_numbers

DAY = 24 * 60
_AM = r"a\.?\s?m\b\.?|de la (?:mañana|madrugada)|du matin|in the morning|morgens|früh"
_PM = (
    r"p\.?\s?m\b\.?|de la (?:tarde|noche)|du soir|de l['’]après-midi|in the (?:afternoon|evening)|at night|abends|"
    r"nachmittags"
)
_TIME = re.compile(
    rf"(?<![\d.,:])(?P<half>午前|午後)?\s?(?P<hour>[01]?\d|2[0-4])"
    rf"(?:(?::|\s?h\s?|\s?Uhr\s|時(?!間))(?P<minute>[0-5]\d)(?::[0-5]\d)?(?:分|\s?Uhr|\s?h\b)?|時(?!間)(?P<halfpast>半)?"
    rf"|\s?(?:Uhr|h|o['’]clock)\b"
    rf"|(?=\s?[ap]\.?m\b))(?![\d:%])\s?(?:(?P<am>{_AM})|(?P<pm>{_PM}))?",
    re.IGNORECASE,
)

_PARTS = dict.fromkeys(("half", "media", "demie", "demi"), 30)
_PARTS |= dict.fromkeys(("quarter", "viertel", "cuarto", "4º", "quart"), 15)  # cuarto is a fourth, too
_NAMED = dict.fromkeys(("noon", "midday", "mittag", "mediodía", "midi"), 12)
_NAMED |= dict.fromkeys(("midnight", "mitternacht", "medianoche", "minuit"), 0)
_ONE = ("one", "eins", "una", "une")
_PART = rf"(?P<minute>{'|'.join(_PARTS)}|\d{{1,2}})\b"
_HOUR = rf"(?P<hour>\d{{1,2}}|{'|'.join(_ONE)})\b"
_SPOKEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?P<minute>quarter)\s+(?P<to>to)\s+{_HOUR}",  # 5 to 10 may be anything
        rf"\b{_PART}\s+(?:minuten\s+)?(?:past|nach|(?P<to>vor))\s+(?P<half>halb\s+)?{_HOUR}",
        rf"\b(?P<half>halb)\s+{_HOUR}",
        rf"(?:(?<=\bla )|(?<=\blas )){_HOUR}"
        rf"(?:\s+(?:(?P<to>menos)|y)\s+{_PART}|(?=\s+(?:en punto|de la)\b|\W*$|[.,;!?)]))",
        rf"\b(?:(?P<hour>\d{{1,2}}|une(?= heure\b))\s+heures?|(?P<named>{'|'.join(_NAMED)}))\b"
        rf"(?:\s+(?:(?P<to>moins)\s+(?:le\s+)?|et\s+)?{_PART})?",
    )
)


@dataclass(frozen=True)
class Moment:
    """Where a text names a time of day, and the minutes since midnight it may be."""

    start: int
    end: int
    minutes: frozenset[int]


def find_moments(text: str) -> list[Moment]:
    """Return the times of day in a text whose numbers are digits; one without its half of the day is read as both."""
    found = find_written(text)
    for spoken in (Moment(m.start(), m.end(), _read(m)) for pattern in _SPOKEN for m in pattern.finditer(text)):
        if all(spoken.end <= other.start or other.end <= spoken.start for other in found):
            found.append(spoken)
    return found


def find_written(text: str) -> list[Moment]:
    """Return the times that are written in digits."""
    return [Moment(m.start(), m.end(), _minutes(m)) for m in _TIME.finditer(text)]


def spell_out(text: str) -> list[str]:
    """Return a text, and as it is with its numbers as digits in each language: half past 10."""
    return list(dict.fromkeys((text, *write_numbers(text))))


def _read(match: re.Match[str]) -> frozenset[int]:
    said = match.groupdict()
    named, hour, part = ((said.get(name) or "").lower() for name in ("named", "hour", "minute"))
    minute = _PARTS.get(part) or int(part or 0)
    time = 60 * (_NAMED[named] if named else 1 if hour in _ONE else int(hour))
    time += (-minute if said.get("to") else minute) - (30 if said.get("half") else 0)
    return frozenset(at % DAY for at in ((time,) if named or time > DAY // 2 + 60 else (time, time + DAY // 2)))


def _minutes(match: re.Match[str]) -> frozenset[int]:
    hour = int(match["hour"])
    minute = 30 if match["halfpast"] else int(match["minute"] or 0)
    late = match["pm"] or match["half"] == "午後"
    early = match["am"] or match["half"] == "午前"
    if hour > 12 or (hour == 0 and not late):
        return frozenset({hour % 24 * 60 + minute})
    hours = {hour % 12} if early else {hour % 12 + 12} if late else {hour % 12, hour % 12 + 12}
    return frozenset(hour * 60 + minute for hour in hours)
