"""Forgetting on the page: from a message and from an item, after a question."""

from pathlib import Path

from tests.app.page.conftest import Browser
from tests.traces_of import find_traces

WORDS = ("quokka", "47119932")


def test_a_message_and_what_it_stored_are_forgotten_once_that_is_asked(browser: Browser, home: Path) -> None:
    browser.open("/app")
    browser.say("Note: the pin of the quokka card is 47119932")
    browser.follow("Forget")
    assert "Forget this? It goes permanently" in browser.text
    assert "This was stored with it, and stays: the item " in browser.text
    browser.follow("Leave it")
    assert "quokka" in browser.text
    browser.follow("Forget")
    browser.client.post(browser.url, data={"with_items": "1"})
    assert find_traces(home, WORDS), "nothing is forgotten without the token of the form"
    field = browser.one("main form input[type=checkbox]")
    field["checked"] = ""
    browser.submit("Forget it", with_items="1")
    assert "(forgotten on " in browser.text
    assert find_traces(home, WORDS) == []


def test_an_item_is_forgotten_with_the_message_that_it_came_from(browser: Browser, home: Path) -> None:
    browser.open("/app")
    browser.say("Note: the pin of the quokka card is 47119932")
    browser.open("/app/items")
    browser.follow("the pin of the quokka card is 47119932")
    browser.follow("Forget this item")
    assert "the message “Note: the pin of the quokka card" in browser.text
    browser.submit("Forget it")
    assert browser.url.endswith("/app/items")
    assert find_traces(home, WORDS) == []
