"""Calendars that are followed: by a command, on the page, read while a program of ours runs, told in Today."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ana.errors import UserError
from ana.handles import open_data
from ana.workspace import load_workspace, open_workspace
from app import following
from app.following import Following, follow_meanwhile, list_calendars
from app.server.app import build_app
from tests.app.page.conftest import Browser
from tests.command_line import run
from tests.conftest import live_in
from tests.feeds import CHOIR, Feed, feeding, write_feed
from tests.waiting import wait_until


@pytest.fixture
def feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Feed]:
    """A calendar, and a folder of our own."""
    live_in(tmp_path, monkeypatch)
    with feeding() as feed:
        yield feed


def list_items() -> list[str]:
    with open_data(load_workspace(), "a test") as handles:
        return sorted(f"{item.content} {item.properties['start_date']}" for item in handles.memory.items())


def test_a_calendar_is_followed_and_followed_no_more(feed: Feed) -> None:
    code, told = run("import", feed.url, "--follow", "--name", "My choir")
    assert (code, told.splitlines()[0]) == (0, "My-choir is followed and read every hour: 2 entries imported.")
    assert [each.name for each in list_calendars(load_workspace())] == ["My-choir"]
    code, told = run("import", feed.url, "--follow")
    assert (code, told) == (1, "The calendar My-choir is followed already. Give another one its own name.\n")
    assert run("import", "Others", "--unfollow")[0] == 1
    code, told = run("import", "My-choir", "--unfollow")
    assert (code, told.splitlines()[0]) == (0, "My-choir is no longer followed: 2 entries removed.")
    assert (list_items(), list_calendars(load_workspace())) == ([], [])


def test_what_cannot_be_read_is_not_followed(feed: Feed) -> None:
    for data, status in ((b"<html>", 200), (feed.data, 404)):
        feed.data, feed.status = data, status
        code, told = run("import", feed.url, "--follow")
        assert code == 1
        assert "secret" not in told
    assert run("import", "/etc/passwd", "--follow")[0] == 1
    assert (list_items(), list_calendars(load_workspace())) == ([], [])


def test_at_most_ten_are_followed_and_nothing_is_lost(feed: Feed) -> None:
    with open_data(load_workspace(), "a test") as handles:
        for number in range(10):
            Following(handles).follow(f"{feed.url}?{'x' * 900}{number}", f"Calendar {number}")
        with pytest.raises(UserError, match="At most 10"):
            Following(handles).follow(f"{feed.url}?10", "Calendar 10")
        assert len(list_calendars(handles.workspace)) == 10


def test_an_address_is_brought_in_once(feed: Feed) -> None:
    assert run("import", feed.url, "--from-others")[1].startswith("2 new")
    assert len(list_items()) == 2
    feed.data = b"BEGIN:VCALENDAR"
    code, told = run("import", feed.url)
    assert code == 1
    assert told.startswith("What 127.0.0.1 sent is cut off or damaged")


def test_it_is_read_every_hour_and_today_tells_what_changed(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    feed.tag = '"1"'
    run("import", feed.url, "--follow", "--name", "Work")
    assert "From your calendars" not in run("today")[1]
    feed.data, feed.tag = write_feed(("1", "20301202T130000Z", "Choir")), '"2"'
    with open_data(load_workspace(), "a test") as handles:
        Following(handles).read_due()
        assert len(feed.asked) == 1
        monkeypatch.setattr(following, "EVERY", timedelta())
        Following(handles).read_due()
        Following(handles).read_due()
    assert [each.get("if-none-match") for each in feed.asked] == [None, '"1"', '"2"']
    told = run("today")[1]
    assert "Changed: “Choir” (start date Mon 2 Dec 2030 11:00 -> Mon 2 Dec 2030 14:00)" in told
    assert "Deleted: “Dentist”" in told


def test_whoever_travels_has_the_same_moments(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    run("import", feed.url, "--follow", "--name", "Work")
    monkeypatch.setattr(following, "EVERY", timedelta())
    monkeypatch.setenv("ANA_TIMEZONE", "America/New_York")
    run("remind", "--once")
    assert len(feed.asked) == 2
    assert "From your calendars" not in run("today")[1]
    assert list_items() == ["Choir 2030-12-02T11:00", "Dentist 2030-12-03T11:00"]


def test_what_fails_is_told_until_it_works_again(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    run("import", feed.url, "--follow", "--name", "Work")
    monkeypatch.setattr(following, "EVERY", timedelta())
    feed.status = 500
    run("remind", "--once")
    for command in ("due", "doctor"):
        assert "The calendar Work was not read: 127.0.0.1 answered 500." in run(command)[1]
    assert len(list_items()) == 2
    feed.status = 200
    run("remind", "--once")
    assert "was not read" not in run("due")[1]


def test_programs_that_run_read_it(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    run("import", feed.url, "--follow", "--name", "Work")
    monkeypatch.setattr(following, "EVERY", timedelta())
    feed.data = write_feed(CHOIR)
    with open_data(load_workspace(), "a test") as handles, follow_meanwhile(handles):
        wait_until(lambda: handles.memory.count() == 1)
    feed.data = write_feed(CHOIR, ("3", "20301204T100000Z", "Rehearsal"))
    before = len(feed.asked)
    with TestClient(build_app()):
        wait_until(lambda: len(feed.asked) > before)
        wait_until(lambda: len(list_items()) == 2)


def test_the_end_of_a_program_does_not_wait_for_a_slow_server(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    run("import", feed.url, "--follow", "--name", "Work")
    monkeypatch.setattr(following, "EVERY", timedelta())
    feed.is_slow = True
    before = len(feed.asked)
    with open_data(load_workspace(), "a test") as handles, follow_meanwhile(handles):
        wait_until(lambda: len(feed.asked) > before)
    assert len(list_items()) == 2


def test_others_reach_the_public_internet_alone(feed: Feed) -> None:
    settings = load_workspace().settings
    (settings.ana_data_dir / "people" / "zoe").mkdir(parents=True)
    with open_data(open_workspace(settings, "zoe"), "a test") as handles:
        with pytest.raises(UserError, match="cannot be reached"):
            Following(handles).follow(feed.url)
        assert feed.asked == []


def test_the_page_follows_and_tells(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    app = build_app()
    with TestClient(app, base_url="http://127.0.0.1:2024") as client:
        browser = Browser(app, client)
        browser.open("/app/settings")
        browser.submit("Follow", url=feed.url, called="Work")
        assert "Work is followed: 2 entries." in browser.text
        assert "a-secret-path" not in str(browser.page)
        monkeypatch.setattr(following, "EVERY", timedelta())
        feed.data = write_feed(CHOIR)
        with open_data(load_workspace(), "a test") as handles:
            Following(handles).read_due()
        browser.open("/app/today")
        assert "From your calendars" in browser.text
        browser.open("/app/settings")
        browser.submit("Follow no more")
        assert "taken out" in browser.text
    assert list_items() == []
