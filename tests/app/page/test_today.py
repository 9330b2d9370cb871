"""The day on the page."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.app.page.conftest import Browser, list_fields

TODAY = datetime.now(ZoneInfo("Europe/Berlin")).date()
TOMORROW = TODAY + timedelta(days=1)


def keep(browser: Browser, content: str, properties: str) -> str:
    """Keep an item with these properties, and return its id."""
    browser.open("/app/items")
    browser.submit("Keep", content=content)
    browser.submit("Save", properties=properties)
    return browser.url.rpartition("/")[2].partition("?")[0]


def test_a_task_is_added_done_and_brought_back(browser: Browser) -> None:
    browser.open("/app/today")
    assert f"Today {TODAY:%a} {TODAY.day} {TODAY:%b} " in browser.text
    assert "Today (0)" in browser.text
    browser.submit("Add", content="Buy milk")
    assert "Buy milk" in browser.one("ul.plain").get_text()
    browser.submit("○")
    assert not browser.page.select("ul.plain li")
    done = browser.url
    browser.submit("Undo")
    assert "Buy milk" in browser.one("ul.plain").get_text()
    assert "taken back" not in browser.text
    browser.open(done)
    assert "taken back" in browser.text, "who goes back is not told that it is done"


def test_an_empty_day_says_something_kind(browser: Browser) -> None:
    browser.open("/app/today")
    assert browser.one("p.kind").get_text()


def test_a_time_is_kept_when_its_day_is_moved(browser: Browser) -> None:
    keep(browser, "Dentist", f"due_date: {TODAY}T23:30\nstatus: active")
    browser.open("/app/today")
    browser.submit("Move", day=str(TOMORROW))
    browser.open(f"/app/today?day={TOMORROW}")
    assert "23:30 Dentist" in " ".join(browser.one("ul.plain").get_text(" ").split())


def test_what_ends_later_is_moved_whole(browser: Browser) -> None:
    later = TODAY + timedelta(days=2)
    id = keep(browser, "Fair", f"start_date: {TODAY}\nend_date: {later}")
    browser.open("/app/today")
    browser.submit("Move", day=str(TOMORROW))
    browser.open(f"/app/items/{id}")
    written = browser.one("[name=properties]").get_text()
    assert f"start_date: {TOMORROW}" in written
    assert f"end_date: {later + timedelta(days=1)}" in written


def test_of_what_repeats_one_time_is_done_and_one_is_moved(browser: Browser) -> None:
    id = keep(browser, "Water the fig tree", f"type: task\nstatus: active\ndue_date: {TODAY}\nrepeats: FREQ=DAILY")
    browser.open("/app/today")
    browser.submit("○")
    browser.open(f"/app/items/{id}")
    assert f"due_date: {TOMORROW}" in browser.one("[name=properties]").get_text()
    browser.open(f"/app/today?day={TOMORROW}")
    after = TODAY + timedelta(days=5)
    browser.submit("Move", day=str(after))
    browser.open(f"/app/items/{id}")
    assert "moved" in browser.one("[name=properties]").get_text()
    assert "FREQ=DAILY" in browser.one("[name=properties]").get_text()


def test_a_month_has_each_time_of_what_repeats(browser: Browser) -> None:
    keep(browser, "Choir", "type: event\nstart_date: 2027-02-02T19:00\nrepeats: FREQ=WEEKLY")
    keep(browser, "Rent", "type: task\nstatus: active\ndue_date: 2027-02-28")
    for n in range(5):
        keep(browser, f"Note {n}", "type: task\nstatus: active\ndue_date: 2027-02-10")
    browser.open("/app/today?month=2027-02")
    days = {str(cell["data-day"]): cell.get_text(" ", strip=True) for cell in browser.page.select("[data-day]")}
    choir = [day for day, told in days.items() if "19:00 Choir" in told]
    assert choir == ["2027-02-02", "2027-02-09", "2027-02-16", "2027-02-23"]
    assert "Rent" in days["2027-02-28"]
    assert "and 2 more" in days["2027-02-10"]
    browser.follow("and 2 more")
    assert len(browser.page.select("ul.plain li")) == 5


@pytest.mark.parametrize(
    "query", ["month=nine", "month=0001-01", "day=someday", "day=2026-02-30", "day=0001-01-01", "day=9999-12-31"]
)
def test_a_day_that_is_none_is_refused_in_words(browser: Browser, query: str) -> None:
    answer = browser.client.get(f"/app/today?{query}")
    assert answer.status_code == 422
    assert "That did not work" in answer.text


def test_a_month_in_december_and_one_before_it(browser: Browser) -> None:
    browser.open("/app/today?month=2026-12")
    browser.follow("The month after")
    assert browser.one("h1").get_text() == "January 2027"
    browser.follow("The month before")
    browser.follow("The month before")
    assert browser.one("h1").get_text() == "November 2026"
    assert date(2026, 11, 30).isoformat() in str(browser.page)


def test_what_lasts_several_days_stands_on_each_of_them(browser: Browser) -> None:
    keep(browser, "Fair", "type: event\nstart_date: 2027-01-30\nend_date: 2027-02-02")
    browser.open("/app/today?month=2027-02")
    assert [str(cell["data-day"])[8:] for cell in browser.page.select("[data-day]:has(.entry)")] == ["01", "02"]


def test_an_act_goes_on_where_it_was_done(browser: Browser) -> None:
    keep(browser, "Buy milk", "type: task\nstatus: active\ndue_date: 2027-02-10")
    browser.open("/app/today?day=2027-02-10")
    browser.submit("○")
    assert "day=2027-02-10" in browser.url
    assert "act=" in browser.url
    browser.submit("Undo")
    assert "day=2027-02-10" in browser.url


def test_moving_to_a_day_that_is_none_changes_nothing(browser: Browser) -> None:
    id = keep(browser, "Buy milk", f"type: task\nstatus: active\ndue_date: {TODAY}")
    browser.open("/app/today")
    sent = list_fields(browser.one("li form"))
    for day in ("soon", "9999-12-31"):
        assert browser.client.post(f"/app/items/{id}/move", data=sent | {"day": [day]}).status_code == 422
    browser.open("/app/today")
    assert "Buy milk" in browser.text


def test_several_dates_that_were_missed_are_marked_with_one_tap(browser: Browser) -> None:
    begin = TODAY - timedelta(days=3)
    keep(browser, "Antibiotic", f"type: medication\nmissed: waits\ndue_date: {begin}\nrepeats: FREQ=DAILY")
    keep(browser, "Renew the passport", f"type: task\nstatus: active\ndue_date: {begin}")
    browser.open("/app/today")
    headings = [each.get_text() for each in browser.page.select("h2")]
    assert headings[:3] == ["Overdue (1)", "Not marked (1)", "Today (1)"]
    browser.submit("All 3 done")
    marked = ", ".join(f"{day:%a} {day.day} {day:%b}" for day in (begin + timedelta(n) for n in range(3)))
    assert f"done for {marked}" in " ".join(browser.one("#notice").get_text(" ").split())
    assert "not marked" not in browser.one("#notice").get_text()
    headings = [each.get_text() for each in browser.page.select("h2")]
    assert headings[:2] == ["Overdue (1)", "Today (1)"]
    assert "Antibiotic" in browser.text
    browser.submit("Undo")
    assert "Not marked (1)" in browser.text


def travel(browser: Browser, zone: str) -> None:
    """Let the browser's script say where it is."""
    browser.client.cookies.set("ana-zone", zone.replace("/", "%2F"))


def test_a_browser_that_is_elsewhere_is_told_once_and_times_that_were_said_stay(browser: Browser) -> None:
    browser.open("/app/settings")
    browser.submit("Save", ana_timezone="Europe/Berlin")
    keep(browser, "Call Anna", f"status: active\ndue_date: {TOMORROW}T12:00")
    keep(browser, "Pill", f"status: active\ndue_date: {TOMORROW}T12:00\nrepeats: FREQ=DAILY")
    travel(browser, "Asia/Dubai")
    browser.open(f"/app/today?day={TOMORROW}")
    assert "Your time zone is Asia/Dubai now; it was Europe/Berlin." in browser.page.get_text()
    browser.open(f"/app/today?day={TOMORROW}")
    assert "Your time zone" not in browser.page.get_text()
    lines = [" ".join(each.get_text(" ").split()) for each in browser.page.select("li.line")]
    noon = datetime(TOMORROW.year, TOMORROW.month, TOMORROW.day, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    here = f"{noon.astimezone(ZoneInfo('Asia/Dubai')):%H:%M}"
    assert lines[0].startswith("○ 12:00 Pill")
    assert lines[1].startswith(f"○ {here} (12:00 in Berlin) Call Anna")
    browser.open(f"/app/today?day={TOMORROW}")
    form = browser.page.select("li form")[1]
    after = TODAY + timedelta(days=5)
    browser.client.post(str(form["action"]), data=list_fields(form) | {"day": [str(after)]})
    browser.open(f"/app/today?day={after}")
    assert f"{here} Call Anna" in " ".join(browser.text.split()), "it was moved here, so its time is the local one"
