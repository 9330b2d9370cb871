"""The first start: three steps that can be left out, and examples that lead on where nothing is yet."""

from dataclasses import replace
from pathlib import Path

import pytest

from ana import settings as settings_module
from app.page.examples import EXAMPLES
from app.server.app import build_app
from tests.app.page.conftest import Browser, browse, keep, list_fields

PARTS = ("today", "calendar", "items", "turns")


def test_who_comes_first_is_led_in_three_steps(browser: Browser) -> None:
    browser.open("/app")
    assert [step.get_text() for step in browser.page.select(".steps h2")] == [
        "What answers you",
        "Who you are",
        "A first thing to say",
    ]
    assert browser.one(".steps a")["href"] == "/app/settings#model"
    browser.submit("Keep", name="Mira")
    assert "Learned: “Name: Mira”" in browser.text
    assert "Name: Mira" in browser.open("/app/about").get_text()


def test_the_steps_can_be_left_out_and_are_gone_once_something_was_said(browser: Browser) -> None:
    browser.open("/app")
    browser.say("Note: the spare key is in the blue tin")
    browser.open("/app/chat/new")
    assert not browser.page.select(".steps")
    assert browser.page.select(".examples")


def test_a_zone_is_set_where_the_environment_sets_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = replace(settings_module.find_places(), env_file=home / ".env")
    monkeypatch.setattr(settings_module, "find_places", lambda: places)
    with browse(app := build_app()) as client:
        browser = Browser(app, client)
        browser.open("/app")
        assert not browser.page.select("[name=ana_timezone]"), "the environment sets it"
        monkeypatch.delenv("ANA_TIMEZONE")
        browser.open("/app")
        browser.submit("Keep", ana_timezone="Asia/Tokyo")
        assert settings_module.load_settings().ana_timezone == "Asia/Tokyo"
        browser.open("/app")
        assert browser.one("[name=ana_timezone]")["value"] == "Asia/Tokyo"
        page = client.post("/app/welcome", data=list_fields(browser.one(".steps form")) | {"ana_timezone": "nowhere"})
        assert (page.status_code, "no IANA time zone is called" in page.text) == (422, True)


@pytest.mark.parametrize("part", PARTS)
def test_an_empty_part_leads_on_with_examples_that_stand_in_the_message(browser: Browser, part: str) -> None:
    browser.open(f"/app/{part}")
    assert [a.get_text() for a in browser.page.select(".examples a")] == [*EXAMPLES[part]]
    browser.follow(EXAMPLES[part][1])
    assert browser.one("#message").get_text().strip() == EXAMPLES[part][1]
    assert browser.one("[name=pasted]")["value"] == ""
    browser.submit("Send")
    assert EXAMPLES[part][1] in browser.wait().get_text()


def test_where_something_is_kept_no_example_stands_in_the_way(browser: Browser) -> None:
    keep("Buy milk")
    for part in ("today", "calendar", "items"):
        browser.open(f"/app/{part}")
        assert not browser.page.select(".examples"), part


def test_a_link_has_no_words_of_its_own(browser: Browser) -> None:
    for named in ("chat.9", "chat.-1", "chat.x", "nothing.0", "delete all", "chat.²"):
        browser.open(f"/app/chat/new?example={named}")
        assert browser.one("#message").get_text().strip() == "", named
