"""Times of day, and hours from now."""

from datetime import datetime

import pytest

from ana.time.when import find_single
from ana.time.when.reader import read

NOW = datetime(2026, 1, 7, 9, 0)


def find_times(text: str) -> list[tuple[str, str]]:
    """Return each time of day in a text: its words, and the time; both of a span."""
    reading = read(text, NOW.date())
    pieces = reading.list_kind("TIME", "RANGE")
    times = [(text[reading.span(piece)], at) for piece in pieces for at in (piece.value.at, piece.value.until) if at]
    return [(words, f"{at:%H:%M}") for words, at in times]


TIMES = """
at half past two tomorrow afternoon          at half past two      14:30
tomorrow at 8am                              at 8am                08:00
on Friday at 10                              at 10                 10:00
Monday 11am                                  11am                  11:00
Jan 24, 7:30pm                               7:30pm                19:30
for 6 p.m. today                             6 p.m.                18:00
at 5 pm on Tuesday                           at 5 pm               17:00
8:15                                         8:15                  08:15
by 17:00                                     by 17:00              17:00
at 10 tonight                                at 10                 22:00
10 tonight                                   10                    22:00
six in the evening                           six                   18:00
7 o'clock                                    7 o'clock             07:00
noon tomorrow                                noon                  12:00
at midnight                                  at midnight           00:00
quarter to nine                              quarter to nine       08:45
a quarter past six in the morning            a quarter past six    06:15
ten to one                                   ten to one            12:50
call Bob at 5                                at 5                  17:00
at 12                                        at 12                 12:00
at 12am                                      at 12am               00:00
at 3 in the morning                          at 3                  03:00
7.30pm                                       7.30pm                19:30
at 20:15                                     at 20:15              20:15
on 26 January at 11.15                       at 11.15              11:15
at the pub half seven tonight                half seven            19:30
viewing friday 10.30                         10.30                 10:30
babysitter friday 18h                        18h                   18:00
tomorrow at 3:15                             at 3:15               15:15
"""

NONE = """
buy 2 breads
at 10 Downing Street
by 3 points
Nr. 17 am Samstag
3.50 for milk
version 2.10
at 25:00
at 7:75
at 30
a 5:4 win by 10%
at 1/13
at 3.50 euros
at 2.40 metres each
cut the cake in half two ways
for 6 people
less than 24h before
a 3h drive
sleep 8h
2.50 for two
"""


@pytest.mark.parametrize("row", TIMES.strip().splitlines())
def test_a_time_of_day(row: str) -> None:
    text, mention, at = (row[start:end].strip() for start, end in ((0, 45), (45, 67), (67, None)))
    assert find_times(text) == [(mention, at)]


@pytest.mark.parametrize("text", NONE.strip().splitlines())
def test_what_is_no_time(text: str) -> None:
    assert find_times(text) == []


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("in half an hour", "09:30"),
        ("in 2 hours", "11:00"),
        ("in 45 minutes", "09:45"),
        ("in an hour", "10:00"),
        ("in an hour and a half", "10:30"),
        ("in two hours to stretch", "11:00"),
        ("in about an hour", "10:00"),
        ("in 1.5 hours", "10:30"),
        ("2 hours from now", "11:00"),
    ],
)
def test_hours_from_now(text: str, moment: str) -> None:
    assert find_single(f"call Bob {text}", NOW) == f"2026-01-07T{moment}"


def test_a_minute_from_now_is_a_whole_one_ahead() -> None:
    said = NOW.replace(second=40)
    assert find_single("call Bob in 1 minute", said) == "2026-01-07T09:02"
    assert find_single("call Bob in 2 hours", said) == "2026-01-07T11:01"


@pytest.mark.parametrize("text", ["in 2 days", "for an hour", "in hours", "within 2 hours"])
def test_what_is_no_span_of_hours(text: str) -> None:
    assert "T" not in (find_single(f"call Bob {text}", NOW) or "")


def test_two_times() -> None:
    assert [at for _, at in find_times("from 9:30 until 11:15")] == ["09:30", "11:15"]
