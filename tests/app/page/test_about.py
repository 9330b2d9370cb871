"""What is known about the person, on the page."""

from pathlib import Path

import pytest

from app.server.app import build_app
from tests.app.page.conftest import Browser, browse, list_fields, use_model
from tests.openai_stub import Said, openai_stub


def test_a_line_is_added_changed_forgotten_and_brought_back(browser: Browser) -> None:
    browser.open("/app/about")
    browser.submit("Add", text="Likes tea")
    assert browser.one("[name=text]").get_text() == "Likes tea"
    browser.submit("Save", text="Likes green tea")
    assert "Likes green tea" in browser.text
    browser.submit("Forget")
    assert "Nothing yet" in browser.text
    browser.submit("Undo")
    assert browser.one("textarea").get_text() == "Likes green tea"


def test_a_line_that_was_learned_says_from_which_words(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learned = Said(calls=[("append_context", {"content": "Allergic to nuts"})])
    with openai_stub(learned, Said("I keep that in view.")) as stub:
        use_model(monkeypatch, stub)
        app = build_app()
        with browse(app) as client:
            browser = Browser(app, client)
            browser.open("/app")
            browser.say("Remember that I am allergic to nuts")
            browser.open("/app/about")
    assert "“Remember that I am allergic to nuts”" in browser.text


def test_a_line_that_changed_meanwhile_is_not_overwritten(browser: Browser) -> None:
    browser.open("/app/about")
    browser.submit("Add", text="Likes tea")
    form = browser.one("form.line")
    browser.submit("Save", text="Likes coffee")
    answer = browser.client.post(str(form["action"]), data=list_fields(form) | {"text": ["Likes juice"]})
    assert answer.status_code == 422
    assert "has changed since" in answer.text


def test_a_line_that_cannot_be_kept_is_refused_in_words(browser: Browser) -> None:
    browser.open("/app/about")
    for text in ("", "x" * 5000):
        with pytest.raises(AssertionError, match="That did not work"):
            browser.submit("Add", text=text)
