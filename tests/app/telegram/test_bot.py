"""A person talks to the bot: what it answers, whom, in which words, and with which buttons."""

import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ana.handles import Handles
from ana.models.scripted import calls
from ana.people import People
from ana.workspace import Workspace
from app.telegram.bot import LINKED, STRANGER
from app.telegram.links import TRIES, Links, make_code, unlink
from app.telegram.updates import Update
from tests.app.telegram.home import Home
from tests.telegram_stub import ME, TelegramStub

OTHER = 99


def make_note(content: str) -> tuple[str, dict[str, object]]:
    return "create_item", {"content": content, "properties": {"type": "note"}}


def test_an_answer_has_its_receipt_below(home: Home) -> None:
    told = home.say("the key is in the tin", calls(make_note("The key is in the tin")), "Kept **it** & more.")
    assert told == "Kept it & more.\n\n+ “The key is in the tin” (note)"
    assert [item.content for item in home.memory.items()] == ["The key is in the tin"]


def test_a_placeholder_is_sent_and_then_changed(home: Home) -> None:
    home.say("hello", "Hello.")
    sent = [(method, given["text"]) for method, given in home.stub.calls if "Message" in method]
    assert sent == [("sendMessage", "…"), ("editMessageText", "Hello.\n\n<i>no changes</i>")]


def test_a_long_answer_is_split_at_its_paragraphs(home: Home) -> None:
    home.model.replies.append("\n\n".join(f"{n} {'word ' * 300}" for n in range(5)))
    home.stub.say("tell me")
    shown = home.read()
    assert [text[0] for text in shown] == ["0", "2", "4"]
    assert "1 word" in shown[0]
    assert all(len(text) <= 4096 for text in shown)


def test_strangers_get_one_sentence_and_reach_nothing(home: Home) -> None:
    for text in ("hello", "/today", "hello again"):
        home.stub.say(text, chat=OTHER)
    home.read()
    assert [given["text"] for method, given in home.stub.calls if method == "sendMessage"] == [STRANGER]
    assert home.model.seen == []


def test_nothing_of_a_group_is_read(home: Home) -> None:
    home.stub.say("hello", chat=-ME)
    assert home.read() == []


def test_a_code_links_a_chat_once(home: Home) -> None:
    digits = make_code(home.workspace)
    home.stub.say(f"/start {digits}", chat=OTHER)
    home.stub.say(digits, chat=98)
    home.read()
    assert [(given["chat_id"], given["text"]) for method, given in home.stub.calls if method == "sendMessage"] == [
        (OTHER, LINKED),
        (98, STRANGER),
    ]
    assert home.chat.id == OTHER, "the chat from before is nobody's any more"


def test_a_code_ends_after_ten_minutes_and_after_five_tries(home: Home) -> None:
    digits = make_code(home.workspace, lambda: 1000.0)

    def guess(text: str, at: float) -> str | None:
        return Links(home.settings, lambda: at).take_code(Update(5, OTHER, "text", text=text))

    assert guess(digits, 1601.0) is None
    wrong = f"{(int(digits) + 1) % 10**8:08}"
    assert [guess(wrong, 1001.0) for _ in range(TRIES)] == [None] * TRIES
    assert guess(digits, 1001.0) is None


def test_a_chat_can_be_unlinked(home: Home) -> None:
    assert unlink(home.workspace)
    home.stub.say("hello")
    assert home.read() == [STRANGER]
    assert not unlink(home.workspace)


def test_the_chat_of_another_person_reaches_their_things_alone(home: Home) -> None:
    People(home.settings).add("anna")
    made = make_code(Workspace(home.settings, "anna"))
    seen = []
    hold = home.hold
    home.hold = lambda person: seen.append(person) or hold(person)  # type: ignore[method-assign, func-returns-value]
    home.stub.say(made, chat=OTHER)
    home.stub.say("hello", chat=OTHER)
    home.model.replies.append("Hello Anna.")
    home.read()
    assert seen == ["anna"]
    assert [each["text"] for each in home.stub.messages.values()] == [LINKED, "Hello Anna.\n\n<i>no changes</i>"]


def test_a_person_who_was_removed_is_a_stranger(home: Home) -> None:
    people = People(home.settings)
    people.add("anna")
    home.stub.say(make_code(Workspace(home.settings, "anna")), chat=OTHER)
    home.read()
    people.remove("anna")
    people.add("anna")
    assert Links(home.settings).find(OTHER) is None


def test_new_begins_a_conversation_and_today_shows_the_day(home: Home) -> None:
    home.say("my name is Ann", "Hello Ann.")
    before = home.chat.thread
    assert home.say("/new").startswith("A new conversation.")
    assert home.chat.thread != before
    assert home.say("/today") == "Nothing is due in the next seven days."
    home.memory.create("Pay rent", {"type": "task", "status": "active", "due_date": f"{datetime.now():%Y-%m-%d}"})
    assert "Pay rent" in home.say("/today")


@pytest.mark.parametrize("word", ["/undo", "Undo"])
def test_undo_takes_back_the_last_change_of_the_conversation(home: Home, word: str) -> None:
    home.say("the key is in the tin", calls(make_note("The key")), "Kept.")
    assert home.say(word) == "Taken back:\n- “The key” (note)"
    assert home.memory.count() == 0
    assert home.say(word).startswith("There is nothing to take back")


def test_a_command_that_is_none_is_told_so(home: Home) -> None:
    assert home.say("/dance").startswith("There is no such command.")
    assert "/undo" in home.say("/help")


def test_a_forwarded_message_is_text_of_others(home: Home) -> None:
    home.say(
        "The party is on Friday", calls(make_note("The party is on Friday")), "Kept.", forward_origin={"type": "user"}
    )
    home.say("I like tea", calls(make_note("I like tea")), "Kept.")
    assert {item.content: item.sources.content for item in home.memory.items()} == {
        "The party is on Friday": "paste",
        "I like tea": "person",
    }


def test_a_forwarded_command_is_none(home: Home) -> None:
    home.say("keep it", calls(make_note("The key")), "Kept.")
    home.say("/undo", "That is a command of somebody.", forward_date=1)
    assert home.memory.count() == 1


def test_what_came_while_nothing_ran_is_answered_and_said_to_be_late(home: Home) -> None:
    home.model.replies += ["One.", "Two."]
    home.stub.say("first", at=time.time() - 3600)
    home.stub.say("second")
    first, second = home.read()
    assert first.startswith("Late: you wrote this ")
    assert "One." in first
    assert second.startswith("Two.")


def fail(_: object) -> Handles:
    raise ZeroDivisionError("oh")


NOT_READ = "I can only read text and voice messages here"
HOLDING_UP: dict[str, tuple[dict[str, Any], str]] = {
    "a picture": ({"photo": [{"file_id": "a"}]}, NOT_READ),
    "a document": ({"document": {"file_id": "a"}}, NOT_READ),
    "a place": ({"location": {}}, NOT_READ),
    "a model that fails": ({"text": "hello"}, "no further reply"),
    "what was not foreseen": ({"text": "hello"}, "ZeroDivisionError"),
    "a person who has blocked the bot": ({"text": "hello"}, ""),
    "a chat that is gone": ({"text": "hello"}, ""),
}


@pytest.mark.parametrize("name", HOLDING_UP)
def test_what_cannot_be_answered_gets_a_sentence_and_holds_up_nothing(home: Home, name: str) -> None:
    message, told = HOLDING_UP[name]
    refusals = {
        "a person who has blocked the bot": "Forbidden: bot was blocked by the user",
        "a chat that is gone": "Bad Request: chat not found",
    }
    home.stub.faults["sendMessage"] += [refusals[name]] if name in refusals else []
    home.model.replies += [fail] if name == "what was not foreseen" else []
    home.stub.say(**{"text": "", **message})
    home.read()
    assert not told or told in home.stub.texts[0]
    assert home.say("hello", "Hello.").startswith("Hello.")


@pytest.mark.parametrize(
    "broken", [{"message": {}}, {"callback_query": {}}, {"message": {"chat": 5}}, {"edited_message": {}}]
)
def test_what_is_no_update_holds_up_nothing(home: Home, broken: dict[str, Any]) -> None:
    home.stub._add(**broken)
    assert home.say("hello", "Hello.").startswith("Hello.")
    assert home.chat.id == ME


def ask_to_delete(careful: Home, count: int = 1) -> list[str]:
    """Have the model want to delete items; return their ids."""
    ids = [careful.memory.create(f"Thing {n + 1}").id for n in range(count)]
    careful.say("tidy up", calls(*(("delete_item", {"id": each}) for each in ids)))
    return ids


def test_a_request_is_shown_with_all_that_it_would_do_and_survives_a_restart(careful: Home) -> None:
    ask_to_delete(careful)
    assert "Thing 1" in careful.stub.texts[-1]
    assert [each["text"] for each in careful.stub.buttons(max(careful.stub.messages))] == ["Yes", "No"]
    assert careful.memory.count() == 1
    careful.model.replies.append("Done.")
    careful.stub.press("Yes")
    assert "Done." in careful.read()[-1]
    assert careful.memory.count() == 0
    assert not any(each["buttons"] for each in careful.stub.messages.values()), "what is decided has no buttons"


def test_a_button_of_what_was_decided_does_nothing_more(careful: Home) -> None:
    ask_to_delete(careful)
    data = careful.stub.press("Yes")["callback_query"]
    careful.model.replies.append("Done.")
    careful.read()
    careful.stub._add(callback_query=data)
    assert careful.read()[-1].startswith("Nothing")
    assert len(careful.model.seen) == 2


def test_a_button_that_somebody_else_presses_does_nothing(careful: Home) -> None:
    ask_to_delete(careful)
    told = careful.stub.press("Yes")
    told["callback_query"]["from"]["id"] = OTHER
    careful.read()
    assert careful.memory.count() == 1


def test_a_draft_is_shown_while_it_is_written(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.telegram.screen.EDIT_SECONDS", 0.01)

    def wait(_: object) -> object:
        from tests.waiting import wait_until

        wait_until(lambda: any("looked for" in each for each in home.stub.list_edits()))
        return calls(text="Nothing.")

    home.say("what is there?", calls(("query_items", {"text": "keys"})), wait)
    assert home.stub.texts[-1].startswith("Nothing.")


def test_the_bot_is_not_asked_for_where_there_is_none(tmp_path: Path, stub: TelegramStub) -> None:
    home = Home(tmp_path, stub, TELEGRAM_BOT_TOKEN="")
    from app.telegram.bot import answer_telegram

    with answer_telegram(home.settings, home.hold):
        assert stub.calls == []
