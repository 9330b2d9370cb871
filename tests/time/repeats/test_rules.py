"""Rules: what is understood of an RRULE and of plain words, what is refused, and how it is told."""

import time
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from ana.errors import ToolError
from ana.time.repeats import find_rule, understand_rule
from ana.time.repeats.rules import iter_moments, parse_rule
from ana.time.repeats.words import read_words

ZONE = ZoneInfo("Europe/Berlin")
WEDNESDAY = datetime(2026, 11, 25)

UNDERSTOOD = """
every friday                            | FREQ=WEEKLY;BYDAY=FR                           | 2026-11-27
Fridays                                 | FREQ=WEEKLY;BYDAY=FR                           | 2026-11-27
each Friday at 1 pm                     | FREQ=WEEKLY;BYDAY=FR;BYHOUR=13;BYMINUTE=0      | 2026-11-27T13:00
on Mondays and Wednesdays               | FREQ=WEEKLY;BYDAY=MO,WE                        | 2026-11-25
every Monday, Wednesday and Friday      | FREQ=WEEKLY;BYDAY=MO,WE,FR                     | 2026-11-25
every second Tuesday                    | FREQ=WEEKLY;INTERVAL=2;BYDAY=TU                | 2026-12-01
every second Tuesday evening            | FREQ=WEEKLY;INTERVAL=2;BYDAY=TU                | 2026-12-01
every other weekend                     | FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU             | 2026-11-28
every weekday at 7:30                   | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=30 | 2026-11-25T07:30
weekly                                  | FREQ=WEEKLY;BYDAY=WE                           | 2026-11-25
fortnightly                             | FREQ=WEEKLY;INTERVAL=2;BYDAY=WE                | 2026-11-25
daily                                   | FREQ=DAILY                                     | 2026-11-25
every 10 days                           | FREQ=DAILY;INTERVAL=10                         | 2026-11-25
daily at 8, 14 and 20                   | FREQ=DAILY;BYHOUR=8,14,20;BYMINUTE=0           | 2026-11-25T08:00
three times a day at 8:00, 2pm and 8 pm | FREQ=DAILY;BYHOUR=8,14,20;BYMINUTE=0           | 2026-11-25T08:00
monthly                                 | FREQ=MONTHLY;BYMONTHDAY=25                     | 2026-11-25
monthly on the last day                 | FREQ=MONTHLY;BYMONTHDAY=-1                     | 2026-11-30
every month on the 31st                 | FREQ=MONTHLY;BYMONTHDAY=31                     | 2026-11-30
the 1st of every month                  | FREQ=MONTHLY;BYMONTHDAY=1                      | 2026-12-01
every third Tuesday of the month        | FREQ=MONTHLY;BYDAY=3TU                         | 2026-12-15
the last Friday of each month           | FREQ=MONTHLY;BYDAY=-1FR                        | 2026-11-27
quarterly                               | FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=25          | 2026-11-25
yearly                                  | FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=25           | 2026-11-25
every year on 29 February               | FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29            | 2027-02-28
every 3rd of March                      | FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3             | 2027-03-03
every mon, fri                          | FREQ=WEEKLY;BYDAY=MO,FR                        | 2026-11-27
1st and 3rd friday                      | FREQ=MONTHLY;BYDAY=1FR,3FR                     | 2026-12-04
every workday                           | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR               | 2026-11-25
every quarter                           | FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=25          | 2026-11-25
every 27th                              | FREQ=MONTHLY;BYMONTHDAY=27                     | 2026-11-27
every 1st and 15th                      | FREQ=MONTHLY;BYMONTHDAY=1,15                   | 2026-12-01
every weekday at 9:15 starting 4 January | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=15 | 2027-01-04T09:15
10am on the 15th of every month         | FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=10;BYMINUTE=0 | 2026-12-15T10:00
Tuesdays at 3:15                        | FREQ=WEEKLY;BYDAY=TU;BYHOUR=15;BYMINUTE=15     | 2026-12-01T15:15
every Mon-Wed                           | FREQ=WEEKLY;BYDAY=MO,TU,WE                     | 2026-11-25
every year on the fourth Thursday in November | FREQ=YEARLY;BYMONTH=11;BYDAY=4TH         | 2026-11-26
2nd to last Friday of each month        | FREQ=MONTHLY;BYDAY=-2FR                        | 2026-12-18
end of each month                       | FREQ=MONTHLY;BYMONTHDAY=-1                     | 2026-11-30
every year on June 17                   | FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=17            | 2027-06-17
RRULE:FREQ=WEEKLY;WKST=MO;INTERVAL=2;BYDAY=TU | FREQ=WEEKLY;WKST=MO;INTERVAL=2;BYDAY=TU  | 2026-12-01
freq=monthly; bymonthday=15             | FREQ=MONTHLY;BYMONTHDAY=15                     | 2026-12-15
"""


@pytest.mark.parametrize("line", UNDERSTOOD.strip().splitlines())
def test_a_rule_is_understood_with_all_that_it_takes_from_its_first_date(line: str) -> None:
    text, rule, first = (part.strip() for part in line.split("|"))
    understood = understand_rule(text, WEDNESDAY, ZONE)
    assert (understood.rule, understood.first) == (rule, datetime.fromisoformat(first))


@pytest.mark.parametrize(
    "text",
    [
        "biweekly",
        "every odd week",
        "every day for 2 hours",
        "every friday and a bit",
        "in even weeks",
        "every odd week on the 3rd",
        "twice a week",
        "three times a day",
        "first Monday and third Friday of the month",
        "every Friday in week 12",
        "Fridays twice",
        "every last Friday",
        "every day at 8:30 and 20:00",
        "sometimes",
        "",
        "FREQ=SECONDLY",
        "FREQ=HOURLY;INTERVAL=8",
        "FREQ=WEEKLY;BYDAY=FR;BYDAY=MO",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=WEEKLY;BYDAY=1FR",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=1,2",
        "FREQ=DAILY;BYHOUR=25",
        "FREQ=DAILY;BYMINUTE=5",
        "FREQ=DAILY;BYHOUR=8,9;BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55,59",
        "FREQ=MONTHLY;BYMONTHDAY=0",
        "FREQ=DAILY;X-THING=1",
        "FREQ=DAILY;UNTIL=tomorrow",
        "FREQ=DAILY;UNTIL=20261301",
        "FREQ=DAILY;UNTIL=20200101",
        "FREQ=YEARLY;BYMONTH=4;BYDAY=MO;BYWEEKNO=1",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    ],
)
def test_what_is_no_rule_or_has_several_readings_is_refused_with_the_right_form(text: str) -> None:
    before = time.perf_counter()
    with pytest.raises(ToolError) as caught:
        understand_rule(text, WEDNESDAY, ZONE)
    assert "FREQ=WEEKLY;BYDAY=FR" in caught.value.hint
    assert time.perf_counter() - before < 5, "a rule without an occurrence is not looked through to the end of time"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("every friday", "every week on Friday"),
        ("every second tuesday", "every 2 weeks on Tuesday"),
        ("every odd week on Tuesday", "every odd ISO week on Tuesday"),
        ("in even weeks on friday at 8", "every even ISO week on Friday at 08:00"),
        ("daily at 8, 14 and 20", "every day at 08:00, 14:00, 20:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
        ("FREQ=MONTHLY;BYMONTHDAY=30", "every month on day 30 (or the last day)"),
        ("FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=MO,TU,WE,TH,FR,SA,SU", "every month on day 31 where there is one"),
        (
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO,TU,WE,TH,FR,SA,SU",
            "every year on day 29 of February where there is one",
        ),
        ("the first monday of the month", "every month on the first Monday"),
        ("every year on 29 February", "every year on day 29 of February (or the last day)"),
        ("FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1"),
    ],
)
def test_a_rule_is_told_in_words(text: str, words: str) -> None:
    assert understand_rule(text, WEDNESDAY, ZONE).words == words


def test_an_end_or_a_count_is_told_apart_from_the_rule() -> None:
    counted = understand_rule("FREQ=DAILY;COUNT=5", WEDNESDAY, ZONE)
    assert (counted.rule, counted.until) == ("FREQ=DAILY", datetime(2026, 11, 29))
    ended = understand_rule("FREQ=WEEKLY;UNTIL=20270101T000000Z", WEDNESDAY, ZONE)
    assert ended.until == datetime(2027, 1, 1, 1)


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("every friday for 5 times", "2026-12-25"),
        ("every day for 2 weeks", "2026-12-08T23:59:59.999999"),
        ("every friday for 2 months", "2027-01-24T23:59:59.999999"),
        ("every friday until 1 March", "2027-03-01T23:59:59.999999"),
        ("fridays from December to 5 March", "2027-03-05T23:59:59.999999"),
        ("daily 3x", "2026-11-27"),
    ],
)
def test_words_may_say_how_it_ends(text: str, until: str) -> None:
    assert understand_rule(text, WEDNESDAY, ZONE).until == datetime.fromisoformat(until)


@pytest.mark.parametrize("text", ["daily except on weekends", "every friday except 4 December"])
def test_words_that_leave_dates_out_are_refused_and_told_where_these_belong(text: str) -> None:
    with pytest.raises(ToolError) as caught:
        understand_rule(text, WEDNESDAY, ZONE)
    assert "except" in caught.value.hint


@pytest.mark.parametrize(("parity", "rest"), [("odd", 1), ("even", 0)])
def test_odd_and_even_weeks_are_those_of_the_calendar_after_a_year_of_53_weeks_too(parity: str, rest: int) -> None:
    understood = understand_rule(f"every {parity} week on Tuesday", WEDNESDAY, ZONE)
    rule, last = parse_rule(understood.rule, ZONE), WEDNESDAY + timedelta(days=3650)
    days = (WEDNESDAY + timedelta(days=n) for n in range(3650))
    expected = [day for day in days if day.weekday() == 1 and day.isocalendar().week % 2 == rest]
    assert [*iter_moments(rule, understood.first, WEDNESDAY, last)][: len(expected)] == expected
    assert understand_rule(f"Tuesdays in {parity} weeks", WEDNESDAY, ZONE) == understood


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("rent on the last day of every month", "FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("payday on the 25th of each month", "FREQ=MONTHLY;BYMONTHDAY=25"),
        ("team lunch first friday of every month at 12:30", "FREQ=MONTHLY;BYDAY=1FR;BYHOUR=12;BYMINUTE=30"),
        ("gym every monday and thursday", "FREQ=WEEKLY;BYDAY=MO,TH"),
        ("rent every month", None),
        ("pay tax each year", None),
        ("everything is fine", None),
        ("book club every other Tuesday at 5pm", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;BYHOUR=17;BYMINUTE=0"),
        ("water plants every 10 days", "FREQ=DAILY;INTERVAL=10"),
        ("pay Tom on the 1st and 15th of every month", "FREQ=MONTHLY;BYMONTHDAY=1,15"),
        ("meds at 8 and 20 every day", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0"),
        ("every weekday at 8 stretch", None),
        ("call every friday at 5pm and 7pm", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=17,19;BYMINUTE=0"),
        ("swim every friday until june", "FREQ=WEEKLY;BYDAY=FR;UNTIL=20270601"),
        ("swim every friday until the pool closes", None),
        ("gym mondays except 4 January", None),
        ("walk every day but sunday", None),
    ],
)
def test_a_text_has_a_rule_if_it_says_on_which_day(text: str, rule: str | None) -> None:
    said = read_words(find_rule(text), WEDNESDAY.date()) if find_rule(text) else None
    assert (said.rule if said else None) == rule
