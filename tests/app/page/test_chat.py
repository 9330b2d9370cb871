"""Conversations on the page, without JavaScript."""

import asyncio
import itertools
import re
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from bs4 import Tag

from ana.errors import StoreBroken
from ana.runs.local import LocalRuns
from ana.runs.port import Event
from ana.workspace import load_workspace
from app.page import progress, shell
from app.page.lines import draw_text
from app.server.app import build_app
from tests.app.page.conftest import Browser, browse, list_fields, use_model
from tests.openai_stub import Said, openai_stub
from tests.waiting import PATIENCE, wait_until


def test_the_first_visit_is_a_conversation_and_a_message_is_answered_in_it(browser: Browser) -> None:
    browser.open("/app")
    assert "nothing leaves the machine" in browser.text
    browser.say("Note: the spare key is in the blue tin")
    assert "nothing leaves the machine" not in browser.text
    assert "Stored: “the spare key is in the blue tin” (note)" in browser.text
    place = browser.url
    browser.open("/app")
    assert browser.url == place


def test_a_turn_that_can_be_followed_no_more_is_shown_as_it_is(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def follow(*_: object) -> AsyncIterator[Event]:
        yield Event(1, "custom", b'{"draft": "Hello"}')
        raise StoreBroken("The database cannot be used.", "Look after it.")

    browser.open("/app")
    browser.say("hello")
    thread = browser.url.rsplit("/", 1)[1]
    run = browser.client.get(f"/threads/{thread}/runs").json()[0]["run_id"]
    monkeypatch.setattr(LocalRuns, "follow", follow)
    told = browser.client.get(f"/app/chat/{thread}/runs/{run}").text
    assert told.endswith("event: ended\r\ndata: ended\r\n\r\n")


def test_what_a_turn_did_is_taken_back_and_brought_back_again(browser: Browser) -> None:
    browser.open("/app")
    browser.say("Note: the spare key is in the blue tin")
    browser.submit("Undo")
    assert "taken back" in browser.text
    browser.submit("Undo")  # of the undo, which the notice tells
    assert "taken back" not in browser.text


def test_what_changed_since_is_shown_before_it_is_taken_back(browser: Browser) -> None:
    browser.open("/app")
    browser.say("Buy milk tomorrow")
    browser.say("Done: buy milk tomorrow")
    sent = list_fields(browser.one("article form")) | {"next": ["//[evil.example"]}
    answer = browser.client.post("/app/undo", data=sent)
    assert "This was changed since" in answer.text
    assert "evil.example" not in str(answer.url)


@pytest.fixture
def cautious(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("ANA_AUTONOMY", "advise")


@pytest.mark.usefixtures("cautious")
class TestDecisions:
    def ask(self, browser: Browser) -> None:
        browser.open("/app")
        browser.say("Note: the spare key is in the blue tin")
        assert "Not done yet; may I?" in browser.text

    def test_nothing_is_done_before_it_is_approved(self, browser: Browser) -> None:
        self.ask(browser)
        browser.submit("Approve")
        browser.wait()
        assert "Stored: “the spare key is in the blue tin” (note)" in browser.text
        assert "may I?" not in browser.text

    def test_what_is_edited_is_done_as_it_was_edited(self, browser: Browser) -> None:
        self.ask(browser)
        fields = {"edited-0-content": "the spare key is in the red tin", "edited-0-properties.type": "idea"}
        browser.submit("Approve", **fields)
        browser.wait()
        assert "Stored: “the spare key is in the red tin” (idea)" in browser.text

    def test_an_edit_that_cannot_be_read_does_nothing_and_waits(self, browser: Browser) -> None:
        browser.open("/app")
        browser.say("Dentist on Friday at 14:30")
        with pytest.raises(AssertionError, match=r"(?s)422: .*is no day.*it still waits"):
            browser.submit("Approve", **{"edited-0-properties.due_date": "soon"})
        browser.open(browser.url)
        browser.submit("Approve", **{"edited-0-properties.due_date": "10 February 2027"})
        browser.wait()
        assert "due Wed 10 Feb 2027" in browser.text

    def test_what_is_rejected_is_not_done_whatever_is_decided_later(self, browser: Browser) -> None:
        self.ask(browser)
        form = browser.one(".waiting form")
        sent = list_fields(form) | {"all": ["approve"]}
        browser.submit("Reject")
        browser.wait()
        assert "Stored: “the spare" not in browser.text
        answer = browser.client.post(str(form["action"]), data=sent)
        assert answer.status_code == 200
        assert "Stored: “the spare" not in answer.text

    def test_nothing_is_chosen_beforehand_and_enter_decides_nothing(self, browser: Browser) -> None:
        self.ask(browser)
        form = browser.one(".waiting form")
        assert not form.select("[checked], [autofocus]")
        first = form.find("button")
        assert isinstance(first, Tag)
        assert first.has_attr("disabled"), "the one that Enter would press"
        for pressed in ([], [""]):
            answer = browser.client.post(str(form["action"]), data=list_fields(form) | {"all": pressed})
            assert answer.status_code == 422
            assert "it still waits" in answer.text
        browser.open(browser.url)
        assert "may I?" in browser.text

    def test_another_message_stands_above_what_waits_and_a_yes_as_a_message_decides(self, browser: Browser) -> None:
        self.ask(browser)
        asked = browser.one("legend").get_text()
        browser.say("what is due today?")
        assert browser.one("legend").get_text() == asked
        assert "“what is due today?” was not carried out" in browser.text
        browser.say("yes")
        assert "Stored: “the spare key is in the blue tin” (note)" in browser.text


@pytest.fixture
def two_changes(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A model that wants to keep two things at once."""
    both = [("create_item", {"content": each, "properties": {"type": "note"}}) for each in ("tea", "oats")]
    with openai_stub(Said(calls=both), Said("Done.")) as stub:
        use_model(monkeypatch, stub)
        yield


@pytest.mark.usefixtures("cautious", "two_changes")
def test_of_several_changes_those_are_made_that_are_ticked(browser: Browser) -> None:
    browser.open("/app")
    browser.say("keep tea and oats")
    form = browser.one(".waiting form")
    ticks = form.select("[type=checkbox]")
    assert [each["name"] for each in ticks] == ["tick-0", "tick-1"]
    assert not form.select("[checked]")
    answer = browser.client.post(str(form["action"]), data=list_fields(form) | {"all": ["ticked"]})
    assert (answer.status_code, "it still waits" in answer.text) == (422, True)
    browser.client.post(str(form["action"]), data=list_fields(form) | {"all": ["ticked"], "tick-0": ["1"]})
    browser.open(browser.url)
    browser.wait()
    assert "Stored: “tea”" in browser.text
    assert "Stored: “oats”" not in browser.text


@pytest.fixture
def go_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """What a model waits for in the middle of its answer."""
    event = threading.Event()
    with openai_stub(Said("Rest well.", pause=lambda: event.wait(PATIENCE))) as stub:
        use_model(monkeypatch, stub)
        yield event
        event.set()


def test_without_javascript_the_page_of_a_turn_asks_again_by_itself(go_on: threading.Event, browser: Browser) -> None:
    browser.open("/app")
    browser.submit("Send", message="good night")
    assert browser.one("noscript > [http-equiv=refresh]")
    go_on.set()
    browser.wait()
    assert "Rest well." in browser.text


def test_a_message_in_markup_is_shown_as_it_was_written(browser: Browser) -> None:
    browser.open("/app")
    browser.say('Note: <script>alert(1)</script><a href="javascript:x">y</a> ‮abc')
    assert not browser.page.select("main script, main a[href^=javascript]")
    assert "<script>alert(1)</script>" in browser.text


@pytest.mark.parametrize(
    "text",
    [
        "[click](javascript:alert(1))",
        "[click](https://evil.example)",
        "![pixel](https://evil.example/p.png)",
        "<https://evil.example>",
        "<img src=x onerror=alert(1)>",
        "[a]: https://evil.example\n\n[a]",
        "| a |\n|--:|\n| <b>1</b> |",
        "# head\n\n<!-- --> &lt;",
    ],
)
def test_an_answer_has_no_link_no_picture_no_markup_and_no_style_of_its_own(text: str) -> None:
    drawn = draw_text(text)
    assert not re.search(r"<(a|img|script|style|h\d)\b|style=|<b>|<!--", drawn)


def test_conversations_are_listed_by_day_and_found_by_what_was_said(browser: Browser) -> None:
    for said in ("Note: the spare key is in the blue tin", "Note: Robin likes tea"):
        browser.open("/app/chat/new")
        browser.say(said)
    assert len(browser.page.select(".talks li")) == 2, "beside every part"
    browser.open("/app/chat/all")
    assert [each.get_text() for each in browser.page.select("main h2")] == ["Today"]
    assert len(browser.page.select("main li")) == 2
    for words, count in (("KEY tin", 1), ("kept", 2), ("walnut", 0)):
        browser.open(f"/app/chat/all?q={words}")
        assert len(browser.page.select("main li")) == count, words


def test_what_was_looked_up_is_one_line_and_what_was_written_has_its_receipt(browser: Browser) -> None:
    browser.open("/app")
    browser.say("Note: the spare key is in the blue tin")
    assert not browser.page.select(".call, .unchanged")
    assert "Undo" in browser.text
    browser.say("where is the spare key?")
    assert browser.one(".call").get_text().startswith("Looked for “")
    assert [each.get_text() for each in browser.page.select(".unchanged .receipt")] == ["no changes"]
    sources = [str(script["src"]).partition("?")[0] for script in browser.page.find_all("script")]
    assert sources
    assert all((shell.FILES / each.removeprefix("/app/static/")).is_file() for each in sources)


def test_earlier_turns_are_on_the_page_before(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.page.conversations.TURNS", 2)
    browser.open("/app")
    for n in range(3):
        browser.say(f"Note: number {n}")
    assert "number 0" not in browser.one("article").get_text()
    browser.follow("Earlier")
    assert "Stored: “number 0”" in browser.text


def test_a_conversation_is_named_deleted_and_brought_back(browser: Browser) -> None:
    browser.open("/app")
    browser.say("Note: the spare key is in the blue tin")
    place = browser.url
    browser.submit("Rename", name="Keys")
    assert browser.one("h1").get_text() == "Keys"
    assert load_workspace().open_threads().resolve("Keys") == place.rpartition("/")[2]
    browser.submit("Delete this conversation")
    assert "Keys" in browser.text
    browser.submit("Restore")
    assert browser.url == place
    assert "spare key" in browser.text


def test_a_name_that_is_none_or_anothers_is_refused(browser: Browser) -> None:
    for name in ("Keys", "Boxes"):
        browser.open("/app/chat/new")
        browser.say("Note: the spare key is in the blue tin")
        browser.submit("Rename", name=name)
    for name, why in (("Keys", "Another conversation is called Keys"), (str(uuid.uuid4()), "the form of an id")):
        with pytest.raises(AssertionError, match=f"422: (?s:.*){why}"):
            browser.submit("Rename", name=name)


def test_a_message_that_is_sent_twice_is_answered_once(browser: Browser) -> None:
    browser.open("/app")
    form = browser.one("#composer")
    sent = list_fields(form) | {"message": ["Note: the spare key is in the blue tin"]}
    for _ in range(2):
        browser.client.post(str(form["action"]), data=sent)
    browser.open(str(form["action"]))
    browser.wait()
    assert len(browser.page.select("article.turn")) == 1


def test_a_message_that_is_no_text_is_refused_with_the_reason(browser: Browser) -> None:
    browser.open("/app/chat/new")
    form = browser.one("form#composer")
    sent = {**list_fields(form), "message": ["cake \0 for Ana"]}
    answer = browser.client.post(str(form["action"]), data=sent)
    assert answer.status_code == 422
    assert "character 6 is NUL (\\u0000). Send it again without that." in answer.text
    assert "cake" not in browser.open(browser.url).get_text()


def test_a_wait_for_a_model_is_told_with_how_long_and_how_to_stop_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_stub(Said(hang="silent")) as stub:
        use_model(monkeypatch, stub)
        monkeypatch.setenv("OPENAI_MODEL", "slow-one")
        app = build_app()
        with browse(app) as client:
            browser = Browser(app, client)
            browser.open("/app/chat/new")
            browser.submit("Send", message="hello")
            wait_until(lambda: "Waiting for slow-one, " in browser.open(browser.url).get_text())
            assert re.search(r"Waiting for slow-one, \d+ s so far\. Stop ends it\.", browser.text)
            browser.submit("Stop")
            assert "This was stopped before it was answered." in browser.text


def test_a_stream_in_which_nothing_is_told_says_how_long_the_model_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "TICK", 0.001)
    seconds = itertools.count(1)

    class Silent(LocalRuns):
        def __init__(self) -> None: ...

        async def follow(self, id: str, after: int = 0) -> AsyncIterator[Event]:
            await asyncio.Event().wait()
            yield Event(1, "custom", b"{}")

    async def look() -> list[str]:
        shown = progress.Progress(2026, lambda: f"Waiting, {next(seconds)} s so far.")
        following = progress.follow(Silent(), "run", shown)
        return [f"{await anext(following)}: {shown.doing}" for _ in range(2)]

    assert asyncio.run(look()) == ["0: Waiting, 1 s so far.", "0: Waiting, 2 s so far."]
