"""Texts that look like days and name none."""

from datetime import date

import pytest

from ana.time.when import resolve

TODAY = date(2026, 1, 7)

NOTHING = """
sun cream
spend it on sun cream
I sat on the sofa
a sat dish
mon ami
they wed in Rome
you may go
this may be late
may I
march on
a march through town
3 may leave early
the third time
the 5th floor
on the 3rd floor
the 20th century
the 13th birthday party
2026
in 2026
room 404
Feb 30
February 30, 2026
31 April 2026
the 31st of February
the 32nd
2026-02-30
13/45
2026-13-13
24/7
1/2 cup of sugar
rated 9/10
32.1.2026
13.13.
costs 13.01.
version 1.2.3
192.168.1.1
10.1.2026.5
every Friday
Mondays
Black Hole Friday13
in 9999 years
9999 years ago
in 3 hours
the last week of school
5th to 9th grade
someday
weekly review
Augustus
decimal 12
January
Friday13
end of the road
"""


@pytest.mark.parametrize("text", [line for line in NOTHING.splitlines() if line])
def test_what_names_no_day(text: str) -> None:
    assert resolve(text, TODAY) == []
