"""Times of day as they are spoken: halb drei, las nueve menos cuarto, sept heures et quart."""

import re
from collections.abc import Iterator

DAY = 24 * 60

_NUMBERS = {
    "de": "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf "
    "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn "
    "zwanzig einundzwanzig zweiundzwanzig dreiundzwanzig vierundzwanzig fünfundzwanzig",
    "es": "cero una dos tres cuatro cinco seis siete ocho nueve diez once doce trece "
    "catorce quince dieciséis diecisiete dieciocho "
    "diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco",
    "fr": "zéro une deux trois quatre cinq six sept huit neuf dix onze douze treize "
    "quatorze quinze seize dix-sept dix-huit dix-neuf "
    "vingt vingt_et_un vingt-deux vingt-trois vingt-quatre vingt-cinq",
}
_VALUES = {word.replace("_", " "): n for row in _NUMBERS.values() for n, word in enumerate(row.split())}
_VALUES |= {"eins": 1, "viertel": 15, "cuarto": 15, "quart": 15, "media": 30, "demie": 30, "demi": 30}
_VALUES |= {"midi": 12, "mediodía": 12, "mittag": 12, "minuit": 0, "medianoche": 0, "mitternacht": 0}


def _any(language: str, *more: str) -> str:
    words = [word.replace("_", " ") for word in _NUMBERS[language].split()]
    return "|".join(sorted((*words, *more, r"\d{1,2}"), key=len, reverse=True))


_DE, _ES, _FR = _any("de", "eins"), _any("es"), _any("fr")
_SPOKEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:(?P<minute>{_DE}|viertel)\s+(?:minuten\s+)?(?:(?P<to>vor)"
        rf"|nach)\s+)?(?P<half>halb)?\s*\b(?P<hour>{_DE})\b(?:\s+uhr\b)?",
        rf"(?:(?<=\bla )|(?<=\blas ))(?P<hour>{_ES})\b"
        rf"(?:\s+(?:(?P<to>menos)|y)\s+(?P<minute>{_ES}|cuarto|media)\b|(?P<sharp>\s+(?:en punto|de la)\b|(?=\W*$"
        rf"|[.,;!?)])))",
        rf"\b(?:(?P<hour>{_FR})\s+heures?|(?P<noon>midi|minuit))\b"
        rf"(?:\s+(?:(?P<to>moins)\s+(?:le\s+)?|et\s+)?(?P<minute>{_FR}|quart|demie?)\b)?",
        r"\b(?P<noon>mediodía|medianoche|mittag|mitternacht)\b",
    )
)


def find_spoken(text: str) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Yield where a text speaks of a time of day, and the minutes since midnight it may be."""
    for pattern in _SPOKEN:
        for match in pattern.finditer(text):
            said = match.groupdict()
            if _names_time(match[0], said):
                yield match.start(), match.end(), _read(said)


def _names_time(text: str, said: dict[str, str | None]) -> bool:
    """Whether it is more than a number: it says o'clock, half, quarter, or so many minutes to the hour."""
    named = (said.get(name) for name in ("half", "noon", "minute", "sharp"))
    return any(value is not None for value in named) or bool(re.search(r"\buhr\b|heure", text.lower()))


def _read(said: dict[str, str | None]) -> frozenset[int]:
    hour, minute = _value(said.get("noon") or said.get("hour")), _value(said.get("minute"))
    time = hour * 60 - (30 if said.get("half") else 0) + (-minute if said.get("to") else minute)
    times = {time} if said.get("noon") or hour > 12 else {time, time + DAY // 2}
    return frozenset(time % DAY for time in times)


def _value(word: str | None) -> int:
    return 0 if not word else int(word) if word.isdigit() else _VALUES[word.lower()]
