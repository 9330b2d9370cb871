"""Routines on the page: those that are offered are started there, asked at once, and ended."""

from pathlib import Path

import pytest

from ana.handles import open_data
from ana.workspace import load_workspace
from app.routines.running import list_routines
from app.server.app import build_app
from tests.app.page.conftest import Browser, browse, keep, use_model
from tests.openai_stub import Said, openai_stub

MORNING = "My day: appointments, what is due, what to prepare."


def test_none_is_on_by_itself_and_one_that_is_offered_is_started_at_a_time(browser: Browser) -> None:
    browser.open("/app/today")
    browser.follow("Routines: a brief each morning, a look back on Sunday")
    assert not browser.page.select("[name=run]")
    browser.submit("Start the routine morning", at="06:30")
    assert browser.page.select("[name=run]")
    assert " 06:30" in browser.text
    assert browser.text.count(MORNING) == 2, "the list and the notice: it is offered no more"
    browser.submit("Undo")
    with open_data(load_workspace(), "a test") as handles:
        assert list_routines(handles) == []


def test_one_is_asked_at_once_and_ended(browser: Browser) -> None:
    keep("Buy milk", "type: task\nstatus: open\ndue_date: '2020-01-01'")
    browser.open("/app/routines")
    browser.submit("Start the routine sunday")
    browser.submit("Ask now “My week: what did I get done, and what is stuck?”")
    assert "Buy milk" in browser.one("main .answer").get_text()
    browser.submit("End “My week: what did I get done, and what is stuck?”")
    assert not browser.page.select("[name=run]")


def test_the_answer_of_a_model_is_in_the_conversation_that_the_list_names(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_stub(Said("Two things are due.")) as stub:
        use_model(monkeypatch, stub)
        with browse(build_app()) as client:
            browser = Browser(client.app, client)  # type: ignore[arg-type]
            browser.open("/app/routines")
            browser.submit("Start the routine morning")
            browser.submit(f"Ask now “{MORNING}”")
            assert "Two things are due." in browser.one("main .answer").get_text()
            (last,) = [each for each in browser.page.select("main a") if each.get_text().startswith("last ")]
            browser.open(str(last["href"]))
            assert "Two things are due." in browser.text


def test_what_is_no_routine_is_neither_asked_nor_ended(browser: Browser) -> None:
    id = keep("Buy milk")
    browser.open("/app/routines")
    browser.submit("Start the routine morning")
    form = browser.one("form.row")
    for name in ("run", "end"):
        token = str(form.select_one("input")["value"])  # type: ignore[index]
        answer = browser.client.post("/app/routines", data={"form_token": token, name: id})
        assert answer.status_code == 404
    with open_data(load_workspace(), "a test") as handles:
        assert handles.memory.get(id).content == "Buy milk"
