"""The calendar on the page: its months, its weeks, and what is moved there."""

from datetime import date

from bs4 import Tag

from ana.values import Json
from tests.app.page.conftest import Browser, keep, list_fields, read_properties


def test_a_month_has_each_time_of_what_repeats(browser: Browser) -> None:
    keep("Choir", "type: event\nstart_date: 2027-02-02T19:00\nrepeats: FREQ=WEEKLY")
    keep("Rent", "type: task\nstatus: active\ndue_date: 2027-02-28")
    for n in range(5):
        keep(f"Note {n}", "type: task\nstatus: active\ndue_date: 2027-02-10")
    browser.open("/app/calendar?month=2027-02")
    days = {str(cell["data-day"]): cell.get_text(" ", strip=True) for cell in browser.page.select("[data-day]")}
    choir = [day for day, told in days.items() if "19:00 Choir" in told]
    assert choir == ["2027-02-02", "2027-02-09", "2027-02-16", "2027-02-23"]
    assert "Rent" in days["2027-02-28"]
    assert "and 2 more" in days["2027-02-10"]
    browser.follow("and 2 more")
    assert len(browser.page.select("ul.plain li")) == 5


def test_a_month_in_december_and_one_before_it(browser: Browser) -> None:
    browser.open("/app/calendar?month=2026-12")
    browser.follow("The month after")
    assert browser.one("h1").get_text() == "January 2027"
    browser.follow("The month before")
    browser.follow("The month before")
    assert browser.one("h1").get_text() == "November 2026"
    assert date(2026, 11, 30).isoformat() in str(browser.page)


def test_what_lasts_several_days_stands_on_each_of_them(browser: Browser) -> None:
    keep("Fair", "type: event\nstart_date: 2027-01-30\nend_date: 2027-02-02")
    browser.open("/app/calendar?month=2027-02")
    assert [str(cell["data-day"])[8:] for cell in browser.page.select("[data-day]:has(.entry)")] == ["01", "02"]


def find_entry(browser: Browser, content: str) -> Tag:
    return next(each for each in browser.page.select(".entry") if content in each.get_text())


def add_up(entry: Tag, name: str) -> int:
    """Return a number that an entry has as classes of this name."""
    classes = entry.get_attribute_list("class")
    return sum(int(str(each).removeprefix(name)) for each in classes if str(each).startswith(name))


def drag(browser: Browser, content: str, to: str) -> None:
    """Send what the page's script does when an entry is dropped."""
    entry = find_entry(browser, content)
    sent = list_fields(browser.one("form[data-drag]")) | {"date": [str(entry["data-date"])], "day": [to]}
    assert browser.client.post(f"/app/items/{entry['data-item']}/move", data=sent).status_code == 200
    browser.open(browser.url)


def test_a_week_has_what_has_an_hour_at_its_place_and_all_else_above(browser: Browser) -> None:
    keep("Choir", "type: event\nstart_date: 2027-02-02T19:15\nend_date: 2027-02-02T21:00\nrepeats: FREQ=WEEKLY")
    keep("Rent", "type: task\nstatus: active\ndue_date: 2027-02-10")
    keep("Night train", "type: travel\nstart_date: 2027-02-12T22:30\nend_date: 2027-02-13T06:00")
    browser.open("/app/calendar?week=2027-02-10")
    assert browser.one("h1").get_text() == "8 Feb – 14 Feb 2027"
    assert [str(day["data-day"]) for day in browser.page.select(".day")] == [f"2027-02-{n:02}" for n in range(8, 15)]
    choir = find_entry(browser, "Choir")
    assert "again" in choir.get_attribute_list("class")
    begin = int(str(browser.one(".hours")["data-from"]))
    assert begin == 7
    assert (add_up(choir, "at") / 4 + begin, add_up(choir, "long") / 4) == (19.25, 1.75)
    assert "Rent" in browser.one("[data-day='2027-02-10'] .whole").get_text()
    train = find_entry(browser, "Night train")
    assert (add_up(train, "at") / 4 + begin, add_up(train, "long") / 4) == (22.5, 1.5)
    assert "until 06:00" in browser.one("[data-day='2027-02-13'] .whole").get_text(" ")
    assert browser.one(".hours")["data-to"] == "24"


def test_what_is_at_the_same_time_stands_side_by_side_and_more_than_three_are_counted(browser: Browser) -> None:
    for begin, end in (("09:00", "10:00"), ("09:30", "11:00"), ("10:00", "10:30"), ("12:00", "13:00")):
        keep(f"From {begin}", f"type: meeting\nstart_date: 2027-02-10T{begin}\nend_date: 2027-02-10T{end}")
    browser.open("/app/calendar?week=2027-02-10")
    lanes = {each: find_entry(browser, each).get_attribute_list("class") for each in ("From 09", "From 10", "From 12")}
    assert "lane0" in lanes["From 09"]
    assert "of2" in lanes["From 09"]
    assert "lane0" in lanes["From 10"], "the first has ended there"
    assert "of1" in lanes["From 12"]
    for n in range(5):
        keep(f"Call {n}", "type: call\nstart_date: 2027-02-11T09:00")
    browser.open("/app/calendar?week=2027-02-10")
    assert len(browser.page.select("[data-day='2027-02-11'] .hours .entry")) == 3
    browser.follow("and 2 more")
    assert len(browser.page.select("ul.plain li")) == 5


def test_one_goes_from_week_to_week_and_to_the_month_and_back(browser: Browser) -> None:
    browser.open("/app/calendar?week=2026-12-30")
    browser.follow("The week after")
    assert browser.one("h1").get_text() == "4 Jan – 10 Jan 2027"
    browser.follow("The week before")
    browser.follow("Month")
    assert browser.one("h1").get_text() == "December 2026"
    browser.follow("The month after")
    browser.follow("Week")
    assert browser.one("h1").get_text() == "28 Dec – 3 Jan 2027"
    browser.open("/app/calendar?week=today")
    assert len(browser.page.select("[aria-current=date]")) == 1


DRAGGED: list[tuple[str, str, dict[str, Json]]] = [
    ("due_date: 2027-02-10T09:30", "2027-02-11", {"due_date": "2027-02-11T09:30"}),
    ("due_date: 2027-02-10T09:30", "2027-02-11T10:15", {"due_date": "2027-02-11T10:15"}),
    ("due_date: 2027-02-10", "2027-02-10T10:15", {"due_date": "2027-02-10T10:15"}),
    (
        "start_date: 2027-02-10T09:30\nend_date: 2027-02-10T11:00",
        "2027-02-09T23:00",
        {"start_date": "2027-02-09T23:00", "end_date": "2027-02-10T00:30"},
    ),
    (
        "start_date: 2027-02-10\nend_date: 2027-02-11",
        "2027-02-12T08:00",
        {"start_date": "2027-02-12T08:00", "end_date": "2027-02-13"},
    ),
]


def test_what_is_dragged_has_the_day_and_the_time_where_it_was_dropped(browser: Browser) -> None:
    for place, (written, to, moved) in enumerate(DRAGGED):
        id = keep(f"Fair {place}", f"status: active\n{written}")
        browser.open("/app/calendar?week=2027-02-10")
        drag(browser, f"Fair {place}", to)
        assert {name: read_properties(id).get(name) for name in moved} == moved


def test_of_what_repeats_the_time_that_is_dragged_is_moved_also_if_it_was_moved_before(browser: Browser) -> None:
    id = keep("Pill", "type: medication\ndue_date: 2027-02-10T08:00\nrepeats: FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0")
    browser.open("/app/calendar?week=2027-02-10")
    entries = browser.page.select("[data-day='2027-02-11'] .hours .entry")
    assert [each.get_text() for each in entries] == ["08:00 Pill", "20:00 Pill"]
    for to in ("2027-02-11T21:00", "2027-02-11T21:30"):
        sent = list_fields(browser.one("form[data-drag]")) | {"date": [str(entries[1]["data-date"])], "day": [to]}
        browser.client.post(f"/app/items/{id}/move", data=sent)
        browser.open("/app/calendar?week=2027-02-10")
        entries = browser.page.select("[data-day='2027-02-11'] .hours .entry")
    assert [each.get_text() for each in entries] == ["08:00 Pill", "21:30 Pill"]


def test_what_repeats_by_the_day_is_moved_by_days_alone(browser: Browser) -> None:
    keep("Water the fig tree", "type: task\nstatus: active\ndue_date: 2027-02-10\nrepeats: FREQ=WEEKLY")
    browser.open("/app/calendar?week=2027-02-10")
    for to in ("2027-02-12T10:15", "2027-02-13"):
        drag(browser, "Water", to)
        assert "Water" in browser.one(f"[data-day='{to[:10]}'] .whole").get_text()
    assert len(browser.page.select(".entry")) == 1
