"""A weekday beside a date is that date's, and "tomorrow" beside a date is tomorrow."""

import pytest

from nodes.policies.dates import days_fit
from tests.nodes.policies import make_turn, ran

HONEST = [
    "Due Friday, 27 November.",
    "Due **Fri 27 Nov** at 9.",
    "It's on Thursday the 3rd of December.",
    "December 4 is a Friday.",
    "Friday (27.11.)",
    "2026-12-03 (Thursday)",
    "| Mon | 30 Nov | workshop |",
    "Mon 23 Nov, Tue 24 Nov and Wed 25 Nov are free.",
    "From Mon 23 Nov to Fri 27 Nov you are away.",
    "Mon-Fri, 23 Nov to 27 Nov.",
    "Tomorrow (Monday, 23 Nov) is full.",
    "Tomorrow, Monday, is full.",
    "Today is Sunday.",
    "Yesterday, 21 November, you finished it.",
    "Next Friday (4 December) works.",
    "Next Friday (27 November) works.",
    'You wrote "Friday 28 November".',
    "27 November is not a Thursday.",
    "Am Samstag, dem 5. Dezember, ist Markt.",
    "Der 24.12.2026 ist ein Donnerstag.",
    "Am Montag Morgen, 23.11., ist frei.",
    "El jueves 24 de diciembre cenamos.",
    "El lunes por la mañana, 23 de noviembre, estás libre.",
    "Le vendredi 1er janvier 2027 est férié.",
    "Lundi prochain (30 novembre) ou le 23 novembre.",
    "12月4日（金）と12月7日（月曜日）です。",
    "On Mondays I run. 4 December is a holiday.",
    "The 4th of July 1776 was a Thursday.",
    "| Monday 23 | gym |\n| Tuesday 24 | free |",
    "December: Monday 7, Tuesday 15.",
    "12月は7日（月）です。",
    "Monday 9 to 5, Tuesday 10 to 6.",
    "Mon 8, Tue 6",
    "Montag 18 Uhr, Dienstag 20 Stunden.",
    "Saturday 10-18, Sunday 11-16.",
    "Friday 13 was unlucky.",
    "Sun, sea and 4 Dec specials.",
    "The antibiotic now runs until Monday, 30 November. Today Lena has had 1 of 3 doses.",
    "Du bekommst sie bis Montag, 7. Dezember. Heute und morgen bin ich nur per Mail erreichbar.",
    "It is due on 24 November. Monday is free.",
    "You can rest today. 30 November is the next date.",
    "It was due yesterday. Monday you are free.",
]
FALSE = [
    "Due Friday, 28 November.",
    "Due **Thu 27 Nov** at 9.",
    "It's on Wednesday the 3rd of December.",
    "December 4 is a Saturday.",
    "Friday (28.11.)",
    "2026-12-03 (Friday)",
    "| Tue | 30 Nov | workshop |",
    "Mon 23 Nov, Tue 25 Nov and Wed 25 Nov are free.",
    "From Mon 23 Nov to Sat 27 Nov you are away.",
    "Tomorrow (Tuesday, 24 Nov) is full.",
    "Tomorrow, Tuesday, is full.",
    "Today is Saturday.",
    "Yesterday, 20 November, you finished it.",
    "There is a holiday on Monday, February 30.",
    "Am Samstag, dem 6. Dezember, ist Markt.",
    "Der 24.12.2026 ist ein Freitag.",
    "Übermorgen (25.11.) ist frei.",
    "Mi., 24. Nov.: Zahnarzt",
    "El miércoles 24 de diciembre cenamos.",
    "Mañana, 24 de noviembre, estás libre.",
    "El 1 de enero de 2027 es jueves.",
    "Le jeudi 1er janvier 2027 est férié.",
    "Après-demain, mercredi, tu es libre.",
    "12月4日（木）です。",
    "明日（11月24日）です。",
    "| Monday 23 | gym |\n| Tuesday 25 | free |",
    "Lundi 23 : piano. Jeudi 27 : dentiste.",
    "24 Nov., Monday, is free.",
    "Am Dienstag, den 26., ist frei.",
    "24日（月）です。",
    "The 4th of July 1776 was a Friday.",
]


@pytest.mark.parametrize("draft", HONEST)
def test_days_that_fit_are_left_alone(draft: str) -> None:
    assert days_fit(make_turn(draft)) is None


@pytest.mark.parametrize("draft", FALSE)
def test_days_that_do_not_fit_go_back(draft: str) -> None:
    violation = days_fit(make_turn(draft))
    assert violation
    assert (
        "2026" in violation.reason
        or "1776" in violation.reason
        or "2027" in violation.reason
        or "no such day" in violation.reason
    )


def test_today_is_also_the_day_that_now_told() -> None:
    told = ran("now", {"iso": "2026-11-23T00:30:00+09:00", "weekday": "Monday"})
    assert days_fit(make_turn("In Tokyo it is already Monday: today is Monday, 23 November.", "", told)) is None
