"""Days in German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish, Turkish and Japanese.

Übermorgen, vendredi, el 18 de enero, 明日. Weekdays and months are those of the CLDR, which a test compares.
"""

import re
from collections.abc import Callable, Iterable
from datetime import date

from ana.phrases import fold
from ana.time.when.explicit import EXPLICIT, read_day
from ana.time.when.relative import RELATIVE
from ana.time.when.words import FULL_MONTH, YEAR, Days, Rule

NAMES = {
    "today": "heute | heute morgen | heute abend | aujourd'hui | ce matin | ce soir | hoy | esta mañana | esta noche"
    " | oggi | stamattina | stasera | hoje | vandaag | vanavond | idag | i dag | ikväll | dziś | dzisiaj | bugün"
    " | 今日",
    "tomorrow": "morgen | morgen früh | demain | demain matin | mañana | mañana por la mañana | domani | domani mattina"
    " | amanhã | imorgon | i morgon | jutro | yarın | 明日",
    "day after tomorrow": "übermorgen | après-demain | après demain | pasado mañana | dopodomani | depois de amanhã"
    " | overmorgen | i övermorgon | pojutrze | 明後日",
    "yesterday": "gestern | ayer | ieri | ontem | gisteren | igår | i går | wczoraj | dün | 昨日",
    "this week": "diese woche | in dieser woche | cette semaine | esta semana | questa settimana | deze week | bu hafta"
    " | 今週",
    "next week": "nächste woche | nächster woche | in der nächsten woche | la semaine prochaine | semaine prochaine"
    " | la próxima semana | próxima semana | la semana que viene | la prossima settimana | prossima settimana"
    " | volgende week | gelecek hafta | 来週",
    "this weekend": "dieses wochenende | am wochenende | ce week-end | ce weekend | este fin de semana"
    " | questo fine settimana",
    "end of the month": "monatsende | ende des monats | fin du mois | fin de mes | fine mese",
    "monday": "montag | lundi | lunes | lunedì | segunda-feira | maandag | måndag | poniedziałek | pazartesi | 月曜",
    "tuesday": "dienstag | mardi | martes | martedì | terça-feira | dinsdag | tisdag | wtorek | salı | 火曜",
    "wednesday": "mittwoch | mercredi | miércoles | mercoledì | quarta-feira | woensdag | onsdag | środa | çarşamba"
    " | 水曜",
    "thursday": "donnerstag | jeudi | jueves | giovedì | quinta-feira | donderdag | torsdag | czwartek | perşembe"
    " | 木曜",
    "friday": "freitag | vendredi | viernes | venerdì | sexta-feira | vrijdag | fredag | piątek | cuma | 金曜",
    "saturday": "samstag | sonnabend | samedi | sábado | sabato | zaterdag | lördag | sobota | cumartesi | 土曜",
    "sunday": "sonntag | dimanche | domingo | domenica | zondag | söndag | niedziela | pazar | 日曜",
    "january": "januar | jänner | janvier | enero | gennaio | janeiro | januari | stycznia | ocak",
    "february": "februar | février | febrero | febbraio | fevereiro | februari | lutego | şubat",
    "march": "märz | mars | marzo | março | maart | marca | mart",
    "april": "april | avril | abril | aprile | kwietnia | nisan",
    "may": "mai | mayo | maggio | maio | mei | maj | maja | mayıs",
    "june": "juni | juin | junio | giugno | junho | czerwca | haziran",
    "july": "juli | juillet | julio | luglio | julho | lipca | temmuz",
    "august": "august | août | agosto | augustus | augusti | sierpnia | ağustos",
    "september": "september | septembre | septiembre | settembre | setembro | września | eylül",
    "october": "oktober | octobre | octubre | ottobre | outubro | października | ekim",
    "november": "november | novembre | noviembre | novembro | listopada | kasım",
    "december": "dezember | décembre | diciembre | dicembre | dezembro | december | grudnia | aralık",
    "": "guten morgen | am morgen | jeden morgen | por la mañana | de la mañana | la mañana | goedemorgen | god morgon"
    " | los lunes | los martes | los miércoles | los jueves | los viernes | los sábados | los domingos"
    " | mardi gras | santo domingo",
}
"""Days by what they are in English, with bars between the words; the last only look like a day."""


def _collect(fits: Callable[[str], object]) -> dict[str, str]:
    """Return the English for each word, with its accents and without, whose English fits."""
    rows = ((word, english) for english, words in NAMES.items() if fits(english) for word in words.split(" | "))
    return {spelt: english for word, english in rows for spelt in (fold(word), word)}


_MONTHS = _collect(re.compile(FULL_MONTH).fullmatch)
_WEEKDAYS = _collect(lambda english: english.endswith("day") and " " not in english and "yester" not in english)
_DAYS = _collect(lambda english: not re.fullmatch(FULL_MONTH, english))


def _one_of(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    # Japanese has no spaces between words
    spaced = "|".join(re.escape(word) for word in longest_first if not _is_japanese(word))
    joined = "".join(f"|{word}" for word in longest_first if _is_japanese(word))
    return rf"(?:(?<!\w)(?:{spaced})(?!\w){joined})"


def _is_japanese(word: str) -> bool:
    return word > "\u3000"


def _day(match: re.Match[str], today: date) -> Days | date | None:
    english = _DAYS.get(match["day"].lower(), "")  # other letters may count as the same without regard to case
    found = ((rule, rule.regex.search(english)) for rule in (*RELATIVE, *EXPLICIT))
    return next((rule.read(match, today) for rule, match in found if match), None)


def _day_of_month(match: re.Match[str], today: date) -> Days | date | None:
    english = _MONTHS.get(match["month"].lower())
    return read_day(match, today, english) if english else None


FOREIGN = (
    Rule(
        rf"(?:{_one_of(_WEEKDAYS)},?\s+)?(?<![\w.,:/])(?P<day>\d{{1,2}})(?:\.|er|º|°)?\s+(?:de\s+)?"
        rf"(?P<month>{_one_of(_MONTHS)})(?:\s+(?:de\s+)?{YEAR})?",
        _day_of_month,
    ),
    Rule(r"(?P<month>\d{1,2})月(?P<day>\d{1,2})日", read_day),
    Rule(rf"(?P<day>{_one_of(_DAYS)})", _day),
)
