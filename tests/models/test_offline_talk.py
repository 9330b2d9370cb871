"""The offline reader in a conversation: what "it" is, corrections, facts that change, questions about part of a day."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ana.models.offline.reader import reply
from tests.models.test_offline import NAMES, OPEN, call_of, found, item, prompt, say, then


def after(first: str, *answers: dict[str, Any], then: str) -> AIMessage:
    """What is answered to a second sentence, when tools have answered the first."""
    messages: list[BaseMessage] = [prompt(), HumanMessage(first)]
    for n, answer in enumerate(answers):
        message = reply(messages, NAMES)
        message.tool_calls[0]["id"] = f"c{n}"
        messages += [message, ToolMessage(json.dumps(answer), tool_call_id=f"c{n}")]
    messages += [reply(messages, NAMES), HumanMessage(then)]
    query = reply(messages, NAMES)
    if not query.tool_calls:
        return query
    query.tool_calls[0]["id"] = "q"
    assert query.tool_calls[0]["name"] == "query_items"
    two = found(item("Call mum", "bbbbbbbb", due_date="2026-01-08T10:00"), item("Call mum again", "cccccccc"))
    messages += [query, ToolMessage(json.dumps(two), tool_call_id="q")]
    write = reply(messages, NAMES)
    if write.tool_calls:
        write.tool_calls[0]["id"] = "w"
        done = ToolMessage(json.dumps({"deleted": SAVED} | SAVED), tool_call_id="w")
        assert reply([*messages, write, done], NAMES).tool_calls == []
    return write


SAVED = item("Call mum", "bbbbbbbb", type="reminder", due_date="2026-01-08T10:00 (Thursday)")


@pytest.mark.parametrize(
    ("then", "call"),
    [
        ("delete it", ("delete_item", {"id": "bbbbbbbb"})),
        ("mark that as done", ("update_item", {"id": "bbbbbbbb", "properties": {"status": "done"}})),
        ("move it to Friday", ("update_item", {"id": "bbbbbbbb", "properties": {"due_date": "2026-01-09T10:00"}})),
        ("make it urgent", ("update_item", {"id": "bbbbbbbb", "properties": {"priority": "high"}})),
        ("rename it to Call mom", ("update_item", {"id": "bbbbbbbb", "content": "Call mom"})),
        ("no, on Friday", ("update_item", {"id": "bbbbbbbb", "properties": {"due_date": "2026-01-09T10:00"}})),
        ("Sorry, I meant at 11", ("update_item", {"id": "bbbbbbbb", "properties": {"due_date": "2026-01-08T11:00"}})),
    ],
)
def test_it_is_what_the_last_answer_named(then: str, call: tuple[str, dict[str, Any]]) -> None:
    assert call_of(after("remind me to call mum tomorrow at 10", SAVED, then=then)) == call
    both = found(SAVED, item("Buy milk"))
    assert call_of(after("when do I call mum?", both, then=then)) == call


@pytest.mark.parametrize(
    "then", ["no", "no, not that", "actually, never mind", "sorry", "no thanks", "Friday?", "tomorrow"]
)
def test_what_corrects_nothing_changes_nothing(then: str) -> None:
    answer = after("remind me to call mum tomorrow at 10", SAVED, then=then)
    assert [call["name"] for call in answer.tool_calls if call["name"] != "query_items"] == []


@pytest.mark.parametrize("then", ["delete it", "mark that as done", "delete everything", "delete them"])
def test_it_is_refused_where_the_last_answer_named_several_or_none(then: str) -> None:
    several = found(SAVED, item("Buy milk", due_date="2026-01-08 (Thursday)"))
    for answer in (
        after("what's due tomorrow?", several, then=then),
        after("what's due tomorrow?", found(), then=then),
        after("hello", then=then),
    ):
        assert answer.tool_calls == []
        assert answer.text.startswith("I change one thing at a time")


LEARNED_ANEW = [
    ("My favorite color is actually blue", "append_context", None),
    ("My favorite restaurant is Mario's now", "replace_context", 0),
    ("my brother lives in Rome now", "append_context", None),
    ("I like tea now", "append_context", None),
]


@pytest.mark.parametrize(("text", "tool", "line"), LEARNED_ANEW)
def test_only_what_is_about_the_same_is_rewritten(text: str, tool: str, line: int | None) -> None:
    name, args = call_of(
        say(text, "Their favorite restaurant is Luigi's", "Their sister lives in Paris", "Likes coffee")
    )
    assert (name, args.get("line")) == (tool, line)


@pytest.mark.parametrize(
    "text",
    ["my sister lives in Rome now", "I live in Paris now, not in Rome", "I don't like coffee any more, I like tea"],
)
def test_which_line_no_longer_holds_is_left_to_the_person(text: str) -> None:
    answer = say(text, "Their sister lives in Paris", "Lives in Rome", "Likes coffee and tea")
    assert answer.tool_calls == []
    assert answer.text.startswith("What of this no longer holds? Say “forget that …”")


def test_a_line_is_not_forgotten_for_a_small_part_of_it() -> None:
    answer = say("forget that I have a cat", "Lives in Berlin with a cat named Miso")
    assert answer.tool_calls == []
    assert "Lives in Berlin" in answer.text


def test_a_name_that_is_told_again_is_rewritten_and_the_old_one_is_told() -> None:
    assert call_of(say("my name is Bob", "Likes tea", "Their name is Robert")) == (
        "replace_context",
        {"content": "Their name is Bob", "line": 1},
    )


QUESTIONS = [
    ("am I busy on Friday?", {"due_date": {"$gte": "2026-01-09", "$lte": "2026-01-09"}, "status": OPEN}),
    ("am I free on Friday at noon?", {"due_date": {"$gte": "2026-01-09", "$lte": "2026-01-09"}, "status": OPEN}),
    ("anything tomorrow afternoon?", {"due_date": {"$gte": "2026-01-08", "$lte": "2026-01-08"}, "status": OPEN}),
    ("what's my next appointment?", {"due_date": {"$gte": "2026-01-07"}, "type": "appointment", "status": OPEN}),
    ("what's on my agenda?", {"due_date": {"$gte": "2026-01-07"}, "status": OPEN}),
]


@pytest.mark.parametrize(("text", "where"), QUESTIONS)
def test_a_part_of_the_day_asks_for_the_day(text: str, where: dict[str, Any]) -> None:
    assert call_of(say(text)) == ("query_items", {"where": where, "limit": 50})


@pytest.mark.parametrize(
    "text",
    ["how many days until Christmas?", "set an alarm for 7am", "remind me on friday that the books are due", "ok"],
)
def test_what_it_cannot_do_is_not_pretended(text: str) -> None:
    assert say(text).tool_calls == []


def test_what_is_told_and_not_kept_says_how_to_keep_it() -> None:
    text = say("The spare key is under the flower pot").text
    assert "begin with “note:”" in text
    assert "rule-based" in text
    assert "ana setup" in text


@pytest.mark.parametrize("kept", [(), (item("Dentist", due_date="2026-01-08T14:30 (Thursday)"),)])
@pytest.mark.parametrize("other", ["towels", "dentist"])
def test_what_may_be_new_is_new_as_a_whole_and_moves_nothing(other: str, kept: tuple[dict[str, Any], ...]) -> None:
    text = f"change the bed sheets and the {other} on Sunday"
    content = text.removesuffix(" on Sunday").capitalize()
    assert call_of(then(text, found(*kept)))[1]["content"] == content
    assert then(text, found(*kept), item(content, due_date="2026-01-11 (Sunday)")).text.startswith(f"Saved: {content}")
