"""Days and times in other languages, and short forms of typing."""

from datetime import date

import pytest
from babel import Locale

from ana.time.when import find_times, read_due_question, resolve
from ana.time.when.foreign import NAMES

TODAY = date(2026, 1, 7)
LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "sv", "pl", "tr")

DAYS = """
Rezept von Frau Doktor abholen übermorgen        | 2026-01-09
Dienst getauscht, ich mach den Samstag           | 2026-01-10
morgen früh zum Zahnarzt                         | 2026-01-08
Montag, 12. Januar 2026                          | 2026-01-12
rappelle-moi demain                              | 2026-01-08
le 1er juillet                                   | 2026-07-01
vendredi 16 janvier à 10h                        | 2026-01-16
llamar a Carmen el 18 de enero                   | 2026-01-18
mañana por la mañana                             | 2026-01-08
el miercoles                                     | 2026-01-14
chiamare Paola domenica                          | 2026-01-11
yarın annemi ara                                 | 2026-01-08
明日の19時に電話                                 | 2026-01-08
5月31日                                          | 2026-05-31
call mum tmrw                                    | 2026-01-08
essay due fri midnight                           | 2026-01-09
6am sat, be there                                | 2026-01-10
physio tues 13th 10.30                           | 2026-01-13
viewing 3.2. 17:30                               | 2026-02-03
van due 28.02                                    | 2026-02-28
"""

NO_DAYS = """
guten morgen
por la mañana temprano
trabajo los lunes
mardi gras
mars bar
the thursday 3rd floor
due 28.02 eur
on 10.15 km
dımanche
3 marzİ
"""

TIMES = """
vendredi à 10h           | 10:00
coiffeur samedi 10h      | 10:00
morgen um 9 zum Arzt     | 09:00
Treffen um 15 Uhr        | 15:00
rendez-vous à 16h30      | 16:30
reunión a las 10         | 10:00
babysitter friday 18h    | 18:00
physio tues 13th 10.30   | 10:30
明日の19時               | 19:00
um 6 Uhr                 | 06:00
"""


def rows(table: str) -> list[tuple[str, str]]:
    return [
        (text.strip(), told.strip()) for text, _, told in (row.partition("|") for row in table.strip().splitlines())
    ]


@pytest.mark.parametrize(("text", "day"), rows(DAYS))
def test_a_day(text: str, day: str) -> None:
    assert [(str(m.first), str(m.last)) for m in resolve(text, TODAY)] == [(day, day)]


@pytest.mark.parametrize("text", NO_DAYS.strip().splitlines())
def test_no_day(text: str) -> None:
    assert resolve(text, TODAY) == []


@pytest.mark.parametrize(("text", "at"), rows(TIMES))
def test_a_time(text: str, at: str) -> None:
    assert [f"{mention.at:%H:%M}" for mention in find_times(text)] == [at]


@pytest.mark.parametrize(
    "text", ["less than 24h before", "a 3h drive", "sleep 8h", "um 5 Kilo abnehmen", "2.50 for two", "3 uhren"]
)
def test_no_time(text: str) -> None:
    assert find_times(text) == []


def test_a_week_in_german_is_a_week() -> None:
    (week,) = resolve("was steht nächste woche an", TODAY)
    assert (str(week.first), str(week.last)) == ("2026-01-12", "2026-01-18")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("was steht morgen an", "2026-01-08"),
        ("qué tengo el viernes", "2026-01-09"),
        ("qu'est-ce que j'ai lundi ?", "2026-01-12"),
        ("che cosa ho domani", "2026-01-08"),
        ("what am I doing on Saturday", "2026-01-10"),
    ],
)
def test_what_is_due_is_asked_in_five_languages(text: str, day: str) -> None:
    assert read_due_question(text, TODAY) == (date.fromisoformat(day),) * 2


@pytest.mark.parametrize(
    "text", ["was steht im Vertrag vom Freitag", "tengo hambre el viernes", "doing the dishes today"]
)
def test_what_has_words_of_its_own_is_no_such_question(text: str) -> None:
    assert read_due_question(text, TODAY) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_weekdays_and_months_are_those_of_the_cldr(language: str) -> None:
    ours, english = Locale(language), Locale("en")
    for kind in ("days", "months"):
        theirs, names = (getattr(locale, kind)["format"]["wide"] for locale in (ours, english))
        for number, name in theirs.items():
            assert name.lower() in NAMES[names[number].lower()].split(" | ")
