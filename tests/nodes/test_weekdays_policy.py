"""A weekday beside a date is that date's."""

import pytest

from nodes.policies.days import find_weekdays
from nodes.policies.weekdays import weekdays_fit
from tests.nodes.policies import make_turn

HONEST = [
    "Due Friday, 27 November.",
    "Due **Fri 27 Nov** at 9.",
    "It's on Thursday, the 3rd of December.",
    "December 4 is a Friday.",
    "Friday (27.11.)",
    "2026-12-03 (Thursday)",
    "| Mon | 30 Nov | workshop |",
    "Mon 23 Nov, Tue 24 Nov and Wed 25 Nov are free.",
    "From Mon 23 Nov to Fri 27 Nov you are away.",
    "Mon-Fri, 23 Nov to 27 Nov.",
    "Monday to Friday, 23 November to 27 November.",
    "Monday or Friday, 23 or 27 November.",
    "Monday and 24 November are free.",
    "Open from Monday to 12 December.",
    "Freitag bis 12. Dezember ist zu.",
    "Tomorrow (Monday, 23 Nov) is full.",
    "Today is Sunday.",
    "Next Friday (4 December) works.",
    'You wrote "Friday 28 November".',
    "> Friday 28 November",
    "27 November is not a Thursday.",
    "Am Samstag, dem 5. Dezember, ist Markt.",
    "Der 24.12.2026 ist ein Donnerstag.",
    "Le vendredi 1er janvier 2027 est férié.",
    "Lundi prochain (30 novembre) ou le 23 novembre.",
    "giovedì 3 dicembre, piątek 4 grudnia, donderdag 3 december",
    "fredag 4 december, Cuma 4 Aralık, quinta-feira, 3 de dezembro",
    "12月4日（金）と12月7日（月曜日）です。",
    "On Mondays I run. 4 December is a holiday.",
    "The 4th of July 1776 was a Thursday.",
    "In 1918: Monday, 11 November.",
    "| Monday 23 | gym |\n| Tuesday 24 | free |",
    "Monday 9 to 5, Tuesday 10 to 6.",
    "Montag 18 Uhr, Dienstag 20 Stunden.",
    "Friday 13 was unlucky.",
    "Sun, sea and 4 Dec specials.",
    "so 27.11. passt, und do 3 Dec",
    "It is due on 24 November. Monday is free.",
    "It is due on Monday. 24 November is free.",
    "4 December (Monday's deadline moved).",
    "Friday, 12/11",
]
FALSE = [
    "Due Friday, 28 November.",
    "Due **Thu 27 Nov** at 9.",
    "It's on Wednesday, the 3rd of December.",
    "Friday (28.11.)",
    "2026-12-03 (Friday)",
    "| Tue | 30 Nov | workshop |",
    "Mon 23 Nov, Tue 25 Nov and Wed 25 Nov are free.",
    "From Mon 23 Nov to Sat 27 Nov you are away.",
    "Tomorrow (Tuesday, 23 Nov) is full.",
    "There is a holiday on Monday, February 30.",
    "Shall I put it on Friday 28 November?",
    "Am Samstag, dem 6. Dezember, ist Markt.",
    "Mi., 24. Nov.: Zahnarzt",
    "So, 28.11.: Markt",
    "El miércoles 24 de diciembre cenamos.",
    "Le jeudi 1er janvier 2027 est férié.",
    "venerdì 3 dicembre",
    "vrijdag 3 december",
    "12月4日（木）です。",
    "2026年12月25日木曜日です。",
    "Friday, 4 July 1776",
]


@pytest.mark.parametrize("draft", HONEST)
def test_days_that_fit_or_do_not_belong_together_are_left_alone(draft: str) -> None:
    assert [*weekdays_fit(make_turn(draft))] == []


@pytest.mark.parametrize("draft", FALSE)
def test_days_that_do_not_fit_go_back(draft: str) -> None:
    (wrong,) = weekdays_fit(make_turn(draft))
    assert "but that date is" in wrong


def test_a_name_that_two_languages_share_is_either() -> None:
    assert [sorted(found.values) for found in find_weekdays("mar, dom, Mo, mo")] == [[1], [6], [0]]
