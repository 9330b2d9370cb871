"""The offline reader: a sentence, and the call it must cause; an answer, and what it may say."""

import json
from datetime import date
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ana.models.offline import OfflineReader, plans
from ana.models.offline.reader import reply
from nodes.reason import system_message
from tools.catalog import TOOLS, schemas

TODAY = date(2026, 1, 7)
NAMES = frozenset(TOOLS)


def prompt(*lines: str) -> SystemMessage:
    now = "Wednesday 2026-01-07 09:00, Europe/Berlin\nComing days: Thu 2026-01-08"
    return system_message({"now": now, "vocabulary": "", "lines": dict(enumerate(lines))})


def say(text: str, *lines: str) -> AIMessage:
    return reply([prompt(*lines), HumanMessage(text)], NAMES)


def call_of(message: AIMessage) -> tuple[str, dict[str, Any]]:
    (call,) = message.tool_calls
    return call["name"], call["args"]


def then(text: str, *answers: dict[str, Any], lines: tuple[str, ...] = ()) -> AIMessage:
    """The message after tools have answered."""
    messages: list[BaseMessage] = [prompt(*lines), HumanMessage(text)]
    for n, answer in enumerate(answers):
        message = reply(messages, NAMES)
        message.tool_calls[0]["id"] = f"c{n}"
        messages += [message, ToolMessage(json.dumps(answer), tool_call_id=f"c{n}")]
    return reply(messages, NAMES)


def item(content: str, id: str = "aaaaaaaa", **properties: Any) -> dict[str, Any]:
    return {"id": id, "content": content, "properties": properties, "created_at": "x", "updated_at": "x"}


def found(*items: dict[str, Any]) -> dict[str, Any]:
    return {"items": list(items), "total": len(items), "truncated": False}


ACTIVE = {"type": "task", "status": "active"}
ADDED: list[tuple[str, str, dict[str, Any]]] = [
    (
        "Remind me to review the quarterly report on Friday",
        "Review the quarterly report",
        {"type": "reminder", "status": "active", "due_date": "2026-01-09"},
    ),
    ("I need to call the dentist by next Tuesday", "Call the dentist", ACTIVE | {"due_date": "2026-01-13"}),
    ("add buy milk tomorrow", "Buy milk", ACTIVE | {"due_date": "2026-01-08"}),
    ("Please add a task to water the plants", "Water the plants", ACTIVE),
    ("add oat milk to my shopping list", "Oat milk", ACTIVE | {"project": "shopping"}),
    ("buy milk tomorrow!!", "Buy milk", ACTIVE | {"due_date": "2026-01-08", "priority": "high"}),
    ("note: the wifi code is on the fridge", "the wifi code is on the fridge", {"type": "note"}),
    ("note: my locker code is 4711", "my locker code is 4711", {"type": "note"}),
    ("idea - a podcast about maps", "A podcast about maps", {"type": "idea"}),
    (
        "put dentist on Thursday at 14:30",
        "Dentist",
        {"type": "appointment", "status": "active", "due_date": "2026-01-08T14:30"},
    ),
    ("todo: send the invoice #acme", "Send the invoice", ACTIVE | {"project": "acme"}),
    (
        "I have to finish the slides for the Acme project, urgent",
        "Finish the slides",
        ACTIVE | {"priority": "high", "project": "Acme"},
    ),
    (
        "don't forget to call mum on January 13",
        "Call mum",
        {"type": "reminder", "status": "active", "due_date": "2026-01-13"},
    ),
    (
        "Remind me in 2 hours to call Bob",
        "Call Bob",
        {"type": "reminder", "status": "active", "due_date": "2026-01-07T11:00"},
    ),
    (
        "I have a meeting with Bob on Friday at 10",
        "Meeting with Bob",
        {"type": "appointment", "status": "active", "due_date": "2026-01-09T10:00"},
    ),
    ("jot down that Anna likes tulips", "Anna likes tulips", ACTIVE),
    (
        "remind me about the tax return in 3 days",
        "The tax return",
        {"type": "reminder", "status": "active", "due_date": "2026-01-10"},
    ),
]


@pytest.mark.parametrize(("text", "content", "properties"), ADDED)
def test_adding(text: str, content: str, properties: dict[str, Any]) -> None:
    name, args = call_of(say(text) if properties["type"] != "appointment" else then(text, found()))
    assert name == "create_item"
    assert args["content"] == content
    expected = {"type": "note"} if "jot" in text else properties
    assert args["properties"] == expected


LEARNED = [
    ("I prefer deep work in the mornings", "Prefers deep work in the mornings"),
    ("I'm allergic to nuts", "Is allergic to nuts"),
    ("I usually run on Sundays", "Usually runs on Sundays"),
    ("remember that I work from Berlin", "Works from Berlin"),
    ("I have two cats", "Has two cats"),
    ("I don't like phone calls", "Does not like phone calls"),
    ("My sister is called Anna", "Their sister is called Anna"),
]


@pytest.mark.parametrize(("text", "line"), LEARNED)
def test_learning(text: str, line: str) -> None:
    assert call_of(say(text)) == ("append_context", {"content": line})


CALCULATED = [
    ("What's 9! / (3!*3!*3!)? Just the integer.", "9! / (3!*3!*3!)"),
    ("Compute 7//2", "7//2"),
    ("If I spend $12.50 daily for 9 days, what's the total?", "12.50 * 9"),
    ("What is 15% of 240?", "15% of 240"),
    ("split 84.60 between 3 people", "84.60 / 3"),
    ("how much is 12 times 8", "12 * 8"),
    ("2+2", "2+2"),
    ("What's (3+4)*2?", "(3+4)*2"),
]


@pytest.mark.parametrize(("text", "expression"), CALCULATED)
def test_calculating(text: str, expression: str) -> None:
    name, args = call_of(say(text))
    assert name == "calculator"
    assert "".join(args["expression"].split()) == "".join(expression.split())


CLOCK = [
    ("What time is it right now? Use UTC.", "utc"),
    ("what time is it", "local"),
    ("what time is it in Asia/Tokyo?", "Asia/Tokyo"),
    ("what's today's date?", "local"),
    ("What day is it today?", "local"),
]


@pytest.mark.parametrize(("text", "zone"), CLOCK)
def test_clock(text: str, zone: str) -> None:
    assert call_of(say(text)) == ("now", {"timezone": zone})


OPEN, TO_DO = plans.OPEN["status"], plans.TO_DO
FOUND: list[tuple[str, dict[str, Any]]] = [
    (
        "what's due Friday?",
        {"where": {"due_date": {"$gte": "2026-01-09", "$lte": "2026-01-09"}, "status": OPEN}, "limit": 50},
    ),
    (
        "What's due tomorrow",
        {"where": {"due_date": {"$gte": "2026-01-08", "$lte": "2026-01-08"}, "status": OPEN}, "limit": 50},
    ),
    (
        "what do I have this week",
        {"where": {"due_date": {"$gte": "2026-01-05", "$lte": "2026-01-11"}, "status": OPEN}, "limit": 50},
    ),
    ("anything overdue?", {"where": {"due_date": {"$lt": "2026-01-07T09:00"}, "status": OPEN}, "limit": 50}),
    ("list my tasks", {"where": {"status": OPEN, "type": "task"}, "limit": 50}),
    (
        "show me all high priority tasks",
        {"where": {"status": OPEN, "type": "task", "priority": {"$in": ["high", 1]}}, "limit": 50},
    ),
    ("what do you have on the garden?", {"text": "what do you have on the garden?", "limit": 50}),
    ("notes about the garden", {"where": {"type": "note"}, "text": "notes about the garden", "limit": 50}),
    ("did I plan to ring mom?", {"text": "did I plan to ring mom?", "limit": 50}),
    ("What should I focus on today?", {"where": TO_DO, "limit": 50}),
    ("done with the dentist", {"text": "dentist", "where": {"status": OPEN}, "limit": 50}),
    ("delete the milk task", {"text": "milk task", "limit": 50}),
]


@pytest.mark.parametrize(("text", "args"), FOUND)
def test_finding(text: str, args: dict[str, Any]) -> None:
    assert call_of(say(text)) == ("query_items", args)


SAID: list[str] = [
    "hello",
    "Thanks!",
    "What is the capital of France?",
    "who won the world cup in 1998?",
    "asdf qwer",
    "I'm tired",
    "I don't know",
    "I have to",
    "call",
    "Was ist morgen fällig?",
    "Ich muss morgen Milch kaufen",
    "Recuérdame llamar a mamá el viernes",
    "明日は何がありますか",
    "",
    "!!!",
    "is buying milk tomorrow a good idea?",
]


@pytest.mark.parametrize("text", SAID)
def test_what_is_not_understood_writes_nothing(text: str) -> None:
    message = say(text)
    assert message.text or [call["name"] for call in message.tool_calls] == ["query_items"]


def test_what_is_not_understood_names_the_way_to_a_real_model() -> None:
    for text in (say("asdf qwer").text, then("What is the capital of France?", found(item("Buy milk"))).text):
        assert "ana setup" in text
        assert "rule-based" in text
        assert "milk" not in text


def test_a_reminder_is_told_the_truth() -> None:
    text = then(
        "Remind me to stretch tomorrow", item("Stretch", type="reminder", due_date="2026-01-08 (Thursday)")
    ).text
    assert (
        text
        == "Saved: Stretch, due Thursday 8 January. I cannot ring: it shows when I am opened then, and in `ana due`."
    )


def test_completing_the_one_that_fits() -> None:
    two = found(item("Call the dentist", "bbbbbbbb"), item("Buy milk"))
    assert call_of(then("done with the dentist", two)) == (
        "update_item",
        {"id": "bbbbbbbb", "properties": {"status": "done"}},
    )


def test_asking_back_when_two_fit_and_saying_so_when_none_does() -> None:
    two = found(item("Call the dentist", "bbbbbbbb"), item("Pay the dentist", "cccccccc"))
    asked = then("done with the dentist", two)
    assert asked.tool_calls == []
    assert asked.text.startswith("Which one")
    none = then("delete the piano task", found(item("Buy milk")))
    assert none.tool_calls == []
    assert "nothing" in none.text


def test_focus_gives_the_reason_and_what_is_known() -> None:
    items = found(item("Later", due_date="2026-02-01 (Sunday)"), item("Report", due_date="2026-01-05 (Monday)"))
    text = then("What should I focus on today?", items, lines=("Prefers deep work in the mornings",)).text
    assert text.startswith("Report, because it was due Monday 5 January.")
    assert "Prefers deep work" in text


def test_priorities_as_numbers_are_ordered_with_the_words() -> None:
    three, one, high, none = (item(name, priority=p) for name, p in (("3", 3), ("1", 1), ("h", "high"), ("-", None)))
    text = then("What should I focus on today?", found(three, none, high, one)).text
    assert text.startswith("h, because it has high priority.")
    assert text.index("- 1 (priority 1)") < text.index("\n- -") < text.index("- 3 (priority 3)")


def test_a_place_that_nothing_has_is_named() -> None:
    work = {"$in": ["work", "office"]}
    assert call_of(say("what do I have to do at work?"))[1]["where"] == {"context": work, "status": OPEN}
    assert then("what do I have to do at work?", found()).text == "Nothing with that place."


def test_not_beside_plain_words_is_said_to_be_unread() -> None:
    assert call_of(say("find the nuts I must not eat"))[1]["text"] == "find the nuts I must not eat"
    answer = then("find the nuts I must not eat", found(item("Nuts not to eat: cashews"))).text
    assert answer == "I do not read “not”; by the other words:\n- Nuts not to eat: cashews"
    for text in ("find tasks not at home", "find tasks that are not finished", "find notes not about Acme"):
        assert say(text).text.startswith("I did not understand 'not"), text


def test_what_repeats_is_not_done_for_good() -> None:
    fig = item("Water the fig tree", status="active", recurrence="weekly")
    answer = then("I watered the fig tree", found(fig))
    assert answer.text.startswith("Water the fig tree repeats (weekly). Say when it is due next")


def test_an_error_is_told() -> None:
    assert (
        then("Compute 7//0", {"error": "Division by zero.", "hint": "x"}).text == "That did not work: Division by zero."
    )


def test_just_the_integer() -> None:
    assert then("What's 9! / (3!*3!*3!)? Just the integer.", {"result": 1680}).text == "1680"


def test_recall_and_forget_use_the_lines_of_the_prompt() -> None:
    lines = ("Prefers tea", "Runs on Sundays")
    assert "- Runs on Sundays" in say("what do you know about me?", *lines).text
    assert call_of(say("forget that I prefer tea", *lines)) == ("delete_context", {"line": 0})
    assert say("forget that I fly planes", *lines).tool_calls == []


def test_a_tool_that_is_not_bound_is_not_called() -> None:
    assert reply([prompt(), HumanMessage("Compute 7//2")], frozenset()).tool_calls == []


def test_it_is_a_chat_model_that_streams_and_binds() -> None:
    bound = OfflineReader().bind_tools(schemas())
    message = bound.invoke([prompt(), HumanMessage("Compute 7//2")])
    assert message.tool_calls[0]["name"] == "calculator"
    chunks = list(bound.stream([prompt(), HumanMessage("hello")]))
    assert "".join(c.text for c in chunks).startswith("Hello")


def test_what_is_pasted_as_a_note_is_kept_as_it_is() -> None:
    text = "first line\n\n- second\n- third, tomorrow at 5"
    assert call_of(say(f"note: {text}")) == ("create_item", {"content": text, "properties": {"type": "note"}})
    long = "words " * 5000
    assert call_of(say(f"Idea for the summer: {long}"))[1]["content"] == long.strip()


def test_lines_are_wishes_of_their_own() -> None:
    lines = "buy milk tomorrow\ncall Bob on Friday"
    assert call_of(say(lines))[1]["content"] == "Buy milk"
    assert call_of(then(lines, item("Buy milk")))[1]["content"] == "Call Bob"


def test_a_long_text_that_says_nothing_of_itself_is_not_read() -> None:
    assert "rule-based" in say("what is due " + "1/13 " * 20000).text


def test_the_answer_to_which_one_narrows_the_wish() -> None:
    two = found(item("Call the dentist", "bbbbbbbb"), item("Pay the dentist", "cccccccc"))
    asked = then("done with the dentist", two)
    messages: list[BaseMessage] = [prompt(), HumanMessage("done with the dentist"), asked, HumanMessage("the call")]
    query = reply(messages, NAMES)
    assert call_of(query)[0] == "query_items"
    query.tool_calls[0]["id"] = "c0"
    messages += [query, ToolMessage(json.dumps(two), tool_call_id="c0")]
    assert call_of(reply(messages, NAMES))[1]["id"] == "bbbbbbbb"


def test_which_one_is_answered_by_an_id_or_a_place_in_the_list() -> None:
    two = found(item("Dinner", "bbbbbbbb"), item("Dinner", "cccccccc"))
    asked = then("delete the dinner", two)
    assert asked.text.startswith("Which one")
    for answer, id in (("the second one", "cccccccc"), ("1", "bbbbbbbb"), ("the last one", "cccccccc")):
        messages: list[BaseMessage] = [prompt(), HumanMessage("delete the dinner"), asked, HumanMessage(answer)]
        query = reply(messages, NAMES)
        query.tool_calls[0]["id"] = "c0"
        messages += [query, ToolMessage(json.dumps(two), tool_call_id="c0")]
        assert call_of(reply(messages, NAMES)) == ("delete_item", {"id": id})
    assert call_of(then("delete cccccccc", two)) == ("delete_item", {"id": "cccccccc"})


def test_a_promise_to_show_is_made_only_for_what_has_a_date() -> None:
    assert "ring" not in then("remind me to stretch", item("Stretch", type="reminder")).text


def test_a_time_that_has_passed_today_is_tomorrows() -> None:
    assert call_of(say("remind me to call Bo at 8am"))[1]["properties"]["due_date"] == "2026-01-08T08:00"
    assert call_of(say("remind me to call Bo at 8am today"))[1]["properties"]["due_date"] == "2026-01-07T08:00"
    assert call_of(say("remind me to call Bo at 6pm"))[1]["properties"]["due_date"] == "2026-01-07T18:00"
