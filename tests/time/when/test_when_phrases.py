"""What phrases mean on Wednesday, January 7, 2026; the regular ones are in test_when_every_day."""

from datetime import date

import pytest

from ana.time.when import resolve

TODAY = date(2026, 1, 7)

ONE_DAY = """
Mon 8am standup                             2026-01-12
the first Monday of February                2026-02-02
last Friday of January                      2026-01-30
the first Monday of January                 2027-01-04
second Tuesday in March                     2026-03-10
on Christmas Eve                            2026-12-24
Christmas dinner                            2026-12-25
New Year's Eve party                        2026-12-31
What's on today?                            2026-01-07
TODAY                                       2026-01-07
today's standup notes                       2026-01-07
tonight                                     2026-01-07
this morning                                2026-01-07
last night                                  2026-01-06
Tomorrow morning                            2026-01-08
the day after tomorrow                      2026-01-09
day  after  tomorrow                        2026-01-09
the day before yesterday                    2026-01-05
on friday                                   2026-01-09
Friday's demo                               2026-01-09
what's due Tuesday                          2026-01-13
by Thursday                                 2026-01-08
coming Friday                               2026-01-09
this coming Monday                          2026-01-12
next  Friday                                2026-01-16
this past Tuesday                           2026-01-06
next week on Monday                         2026-01-12
Tuesday of last week                        2025-12-30
due fri                                     2026-01-09
on tues                                     2026-01-13
until Thurs                                 2026-01-08
before wed                                  2026-01-14
next Tue                                    2026-01-13
this thur                                   2026-01-08
fri                                         2026-01-09
call the bank Mon                           2026-01-12
dentist thurs?                              2026-01-08
due Fri.                                    2026-01-09
on sat                                      2026-01-10
on Sat we sail                              2026-01-10
next sun                                    2026-01-18
due sun                                     2026-01-11
in 0 days                                   2026-01-07
in one day                                  2026-01-08
in a week                                   2026-01-14
in two weeks                                2026-01-21
in a couple of weeks                        2026-01-21
in 1 month                                  2026-02-07
in twelve months                            2027-01-07
in a year                                   2027-01-07
ten days from now                           2026-01-17
in a fortnight                              2026-01-21
haircut sat 11am                            2026-01-10
with Sven on the 15th about laptops         2026-01-15
a week from today                           2026-01-14
a week ago                                  2025-12-31
two months ago                              2025-11-07
a year ago                                  2025-01-07
by month end                                2026-01-31
the end of this month                       2026-01-31
end of next month                           2026-02-28
end of last month                           2025-12-31
the last day of the month                   2026-01-31
end of the week                             2026-01-11
end of the year                             2026-12-31
start of the week                           2026-01-05
the first day of next year                  2027-01-01
end of February                             2026-02-28
end of February 2028                        2028-02-29
beginning of January                        2027-01-01
january 13th                                2026-01-13
Jan 13th                                    2026-01-13
Jan. 13                                     2026-01-13
January the 13th                            2026-01-13
Jan 13 2027                                 2027-01-13
Sept 3                                      2026-09-03
may 5                                       2026-05-05
13 January                                  2026-01-13
13. January                                 2026-01-13
13th of January                             2026-01-13
the 13th of January, 2024                   2024-01-13
the party on 3 may                          2026-05-03
the 2nd of march works                      2026-03-02
February 29                                 2028-02-29
29 Feb 2024                                 2024-02-29
Tuesday January 13                          2026-01-13
Tuesday January 13 2026                     2026-01-13
next Tuesday, January 13                    2026-01-13
January 13 (Tuesday)                        2026-01-13
the 13th                                    2026-01-13
due the 31st                                2026-01-31
on the 13th at noon                         2026-01-13
the 15th of this month                      2026-01-15
the 1st of next month                       2026-02-01
the 1st of the month                        2026-02-01
Tuesday the 13th                            2026-01-13
Friday the 13th                             2026-02-13
due 2026-01-13.                             2026-01-13
2026-01-13T14:30:00+01:00 (Tuesday)         2026-01-13
2026/1/13                                   2026-01-13
1/13                                        2026-01-13
13/1                                        2026-01-13
2026-13-01                                  2026-01-13
Black Friday                                2026-11-27
Easter Sunday                               2026-04-05
Easter lunch                                2026-04-05
Thanksgiving                                2026-11-26
1/13 dentist                                2026-01-13
1/13/27                                     2027-01-13
due 2/3                                     2026-02-03
Tue 2/3                                     2026-02-03
2/3                                         2026-02-03
13. 1. 2026                                 2026-01-13
13.01. dentist                              2026-01-13
on 13.1. to the doctor                      2026-01-13
"""

RANGES = """
NEXT WEEK                       2026-01-12 2026-01-18
the party at the weekend        2026-01-10 2026-01-11
next month                      2026-02-01 2026-02-28
last month                      2025-12-01 2025-12-31
this year                       2026-01-01 2026-12-31
next year                       2027-01-01 2027-12-31
within 3 days                   2026-01-07 2026-01-10
over the next two weeks         2026-01-07 2026-01-21
the next ten days               2026-01-07 2026-01-17
within a week                   2026-01-07 2026-01-14
in the coming month             2026-01-07 2026-02-07
in the last 3 days              2026-01-04 2026-01-07
past two weeks                  2025-12-24 2026-01-07
over the past year              2025-01-07 2026-01-07
in January                      2026-01-01 2026-01-31
for March                       2026-03-01 2026-03-31
during december                 2026-12-01 2026-12-31
in May                          2026-05-01 2026-05-31
in Feb                          2026-02-01 2026-02-28
next January                    2027-01-01 2027-01-31
next March                      2026-03-01 2026-03-31
last December                   2025-12-01 2025-12-31
last January                    2025-01-01 2025-01-31
this April                      2026-04-01 2026-04-30
February 2028                   2028-02-01 2028-02-29
Jan 2027                        2027-01-01 2027-01-31
January 13-15                   2026-01-13 2026-01-15
13-15 January 2027              2027-01-13 2027-01-15
"""


def rows(table: str) -> list[str]:
    return [line for line in table.splitlines() if line]


@pytest.mark.parametrize("row", rows(ONE_DAY))
def test_phrases_for_one_day(row: str) -> None:
    day = date.fromisoformat(row[-10:])
    assert found(row[:-10].strip()) == [(day, day)]


def found(text: str) -> list[tuple[date, date]]:
    return [(mention.first, mention.last) for mention in resolve(text, TODAY)]


@pytest.mark.parametrize("row", rows(RANGES))
def test_phrases_for_several_days(row: str) -> None:
    text, first, last = row.rsplit(maxsplit=2)
    assert found(text) == [(date.fromisoformat(first), date.fromisoformat(last))]


def test_the_tables_are_as_long_as_promised() -> None:
    assert len(rows(ONE_DAY) + rows(RANGES)) >= 130


def test_mentions_carry_their_place_in_the_text() -> None:
    text = "Move Friday's demo to next Monday, or 2026-01-20 (Tuesday)."
    found = [(m.start, m.end, m.first, m.last, m.text) for m in resolve(text, TODAY)]
    assert found == [
        (5, 11, date(2026, 1, 9), date(2026, 1, 9), "Friday"),
        (22, 33, date(2026, 1, 12), date(2026, 1, 12), "next Monday"),
        (38, 58, date(2026, 1, 20), date(2026, 1, 20), "2026-01-20 (Tuesday)"),
    ]


def test_what_introduces_a_day_is_not_part_of_it() -> None:
    text = "due fri"
    assert [text[m.start : m.end] for m in resolve(text, TODAY)] == ["fri"]


@pytest.mark.parametrize("today", [date.min, date.max])
def test_the_ends_of_the_calendar_raise_nothing(today: date) -> None:
    for row in rows(ONE_DAY + RANGES):
        resolve(row, today)
