"""The day on the page."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from ana.handles import open_data
from ana.workspace import load_workspace
from tests.app.page.conftest import Browser, keep, list_fields, read_properties

TODAY = datetime.now(ZoneInfo("Europe/Berlin")).date()
TOMORROW = TODAY + timedelta(days=1)


def test_a_task_is_added_done_and_brought_back(browser: Browser) -> None:
    browser.open("/app/today")
    assert f"Today {TODAY:%a} {TODAY.day} {TODAY:%b} " in browser.text
    assert "Today (0)" in browser.text
    browser.submit("Add", content="Buy milk")
    assert "Buy milk" in browser.one("ul.plain").get_text()
    browser.submit("Done: “Buy milk”")
    assert not browser.page.select("ul.plain li")
    done = browser.url
    browser.submit("Undo")
    assert "Buy milk" in browser.one("ul.plain").get_text()
    assert "taken back" not in browser.text
    browser.open(done)
    assert "taken back" in browser.text, "who goes back is not told that it is done"


SAID = {
    "Call the bank tomorrow at 9:30": {"due_date": f"{TOMORROW}T09:30"},
    "Buy milk": {"due_date": "2027-02-10"},
    "Choir 10 March 2027": {"due_date": "2027-03-10"},
    "Water the fig tree every friday": {"repeats": "FREQ=WEEKLY;BYDAY=FR"},
}


def test_what_is_added_in_words_is_shown_before_and_has_the_day_that_they_name_or_that_is_shown(
    browser: Browser,
) -> None:
    for said, expected in SAID.items():
        told = browser.client.get("/app/understood", params={"content": said, "day": "2027-02-10"}).text
        assert told.startswith(f"“{said}”: a task, ")
        browser.open("/app/today?day=2027-02-10")
        browser.submit("Add", content=said)
        assert "day=2027-02-10" in browser.url
        with open_data(load_workspace(), "a test") as handles:
            (item,) = (each for each in handles.memory.items() if each.content == said)
        assert item.properties.items() >= expected.items()
        assert ("repeats" in item.properties) == ("repeats" in expected)


def test_something_is_moved_by_a_button_a_day_or_words(browser: Browser) -> None:
    id = keep("Buy milk", f"type: task\nstatus: active\ndue_date: {TODAY}")
    days = {"Tomorrow": TOMORROW, "Next week": TODAY + timedelta(7 - TODAY.weekday())}
    for name, day in days.items():
        browser.open(f"/app/items/{id}/move")
        button = next(each for each in browser.page.select("button[name=day]") if name in each.get_text())
        browser.submit(button.get_text(strip=True))
        assert read_properties(id)["due_date"] == str(day), name
    browser.open(f"/app/items/{id}/move")
    words = browser.one("form:has(#to-words)")
    browser.client.post(str(words["action"]), data=list_fields(words) | {"day": ["in two weeks"]})
    assert read_properties(id)["due_date"] == str(TODAY + timedelta(14))


def test_an_empty_day_says_something_kind(browser: Browser) -> None:
    browser.open("/app/today")
    assert browser.one("p.kind").get_text()


def test_a_time_is_kept_when_its_day_is_moved(browser: Browser) -> None:
    keep("Dentist", f"due_date: {TODAY}T23:30\nstatus: active")
    browser.open("/app/today")
    browser.follow("Move")
    browser.submit("Move there", day=str(TOMORROW))
    browser.open(f"/app/today?day={TOMORROW}")
    assert "Dentist 23:30" in " ".join(browser.one("ul.plain").get_text(" ").split())


def test_what_ends_later_is_moved_whole(browser: Browser) -> None:
    later = TODAY + timedelta(days=2)
    id = keep("Fair", f"start_date: {TODAY}\nend_date: {later}")
    browser.open("/app/today")
    browser.follow("Move")
    browser.submit("Move there", day=str(TOMORROW))
    written = read_properties(id)
    assert (written["start_date"], written["end_date"]) == (str(TOMORROW), str(later + timedelta(days=1)))


def test_of_what_repeats_one_time_is_done_and_one_is_moved(browser: Browser) -> None:
    id = keep("Water the fig tree", f"type: task\nstatus: active\ndue_date: {TODAY}\nrepeats: FREQ=DAILY")
    browser.open("/app/today")
    browser.submit("Done: “Water the fig tree”")
    assert read_properties(id)["due_date"] == str(TOMORROW)
    browser.open(f"/app/today?day={TOMORROW}")
    after = TODAY + timedelta(days=5)
    browser.follow("Move")
    browser.submit("Move there", day=str(after))
    assert f"day={TOMORROW}" in browser.url, "it goes on where it was chosen"
    written = read_properties(id)
    assert (written["moved"], written["repeats"]) == ({str(TOMORROW): str(after)}, "FREQ=DAILY")


def test_a_day_that_is_none_is_refused_in_words(browser: Browser) -> None:
    days = ("someday", "2026-02-30", "0001-01-01", "9999-12-31")
    for place in ("calendar?month=nine", "calendar?month=0001-01", *(f"today?day={day}" for day in days)):
        answer = browser.client.get(f"/app/{place}")
        assert (answer.status_code, "That did not work" in answer.text) == (422, True), place


def test_an_act_goes_on_where_it_was_done(browser: Browser) -> None:
    keep("Buy milk", "type: task\nstatus: active\ndue_date: 2027-02-10")
    browser.open("/app/today?day=2027-02-10")
    browser.submit("Done: “Buy milk”")
    assert "day=2027-02-10" in browser.url
    assert "act=" in browser.url
    browser.submit("Undo")
    assert "day=2027-02-10" in browser.url


def test_moving_to_a_day_that_is_none_changes_nothing(browser: Browser) -> None:
    id = keep("Buy milk", f"type: task\nstatus: active\ndue_date: {TODAY}")
    browser.open("/app/today")
    sent = list_fields(browser.one("form:has(li)"))
    for day in ("soon", "9999-12-31"):
        assert browser.client.post(f"/app/items/{id}/move", data=sent | {"day": [day]}).status_code == 422
    browser.open("/app/today")
    assert "Buy milk" in browser.text


def test_several_dates_that_were_missed_are_marked_with_one_tap(browser: Browser) -> None:
    begin = TODAY - timedelta(days=3)
    keep("Antibiotic", f"type: medication\nmissed: waits\ndue_date: {begin}\nrepeats: FREQ=DAILY")
    keep("Renew the passport", f"type: task\nstatus: active\ndue_date: {begin}")
    browser.open("/app/today")
    headings = [each.get_text() for each in browser.page.select("h2")]
    assert headings[:3] == ["Today (1)", "Overdue (1)", "Not marked (1)"]
    browser.submit("All 3 done")
    marked = ", ".join(f"{day:%a} {day.day} {day:%b}" for day in (begin + timedelta(n) for n in range(3)))
    assert f"done for {marked}" in " ".join(browser.one("#notice").get_text(" ").split())
    assert "not marked" not in browser.one("#notice").get_text()
    headings = [each.get_text() for each in browser.page.select("h2")]
    assert headings[:2] == ["Today (1)", "Overdue (1)"]
    assert "Antibiotic" in browser.text
    browser.submit("Undo")
    assert "Not marked (1)" in browser.text


def travel(browser: Browser, zone: str) -> None:
    """Let the browser's script say where it is."""
    browser.client.cookies.set("ana-zone", zone.replace("/", "%2F"))


def test_a_browser_that_is_elsewhere_is_told_once_and_times_that_were_said_stay(browser: Browser) -> None:
    browser.open("/app/settings")
    browser.submit("Save", ana_timezone="Europe/Berlin")
    call = keep("Call Anna", f"status: active\ndue_date: {TOMORROW}T12:00")
    keep("Pill", f"status: active\ndue_date: {TOMORROW}T12:00\nrepeats: FREQ=DAILY")
    travel(browser, "Asia/Dubai")
    browser.open(f"/app/today?day={TOMORROW}")
    assert "Your time zone is Asia/Dubai now; it was Europe/Berlin." in browser.page.get_text()
    browser.open(f"/app/today?day={TOMORROW}")
    assert "Your time zone" not in browser.page.get_text()
    lines = [" ".join(each.get_text(" ").split()) for each in browser.page.select("li.line")]
    noon = datetime(TOMORROW.year, TOMORROW.month, TOMORROW.day, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    here = f"{noon.astimezone(ZoneInfo('Asia/Dubai')):%H:%M}"
    assert lines[0].startswith("Pill 12:00")
    assert lines[1].startswith(f"Call Anna {here} (12:00 in Berlin)")
    for part in (f"month={TOMORROW:%Y-%m}", f"week={TOMORROW}"):
        browser.open(f"/app/calendar?{part}")
        entry = browser.one(f"[data-day='{TOMORROW}'] [data-item='{call}']")
        assert entry.get_text(" ", strip=True) == f"{here} Call Anna (12:00 in Berlin)", "its own time, then what it is"
        assert entry["title"] == f"{here} Call Anna (12:00 in Berlin)", "also where there is no room for all of it"
    browser.open(f"/app/today?day={TOMORROW}")
    after = TODAY + timedelta(days=5)
    sent = list_fields(browser.one("form:has(li)")) | {"day": [str(after)]}
    browser.client.post(f"/app/items/{call}/move", data=sent)
    browser.open(f"/app/today?day={after}")
    assert f"Call Anna {here}" in " ".join(browser.text.split()), "it was moved here, so its time is the local one"
