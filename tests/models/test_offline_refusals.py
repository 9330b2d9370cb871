"""What the offline reader refuses, asks or keeps as it is, where a guess would change what was not meant."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ana.handles import open_handles
from ana.memory.memory import Memory
from ana.memory.status import DONE
from ana.models.offline import OfflineReader
from ana.models.offline.reader import reply
from ana.models.offline.sums import find_expression
from ana.settings import Settings
from ana.time.clock import Clock
from app.outcome import Done, expect_done
from app.turn import Assistant, open_assistant
from tests.conftest import BERLIN
from tests.models.test_offline import NAMES, OPEN, call_of, found, item, prompt, say, then
from tools.calculator import calculate
from tools.catalog import WRITERS

THREAD = "00000000-0000-4000-8000-000000000000"

FOR_MANY = """
complete everything
complete all tasks
clear overdue
clear all overdue
clear everything
mark all acme tasks as done
tick them all off
delete every note
empty the list
sort by date
sort my tasks by priority
order everything by due date
swap A and B
swap the dentist and the yoga class
postpone everything to Monday
do everything tomorrow
clean up my list
"""


@pytest.mark.parametrize("text", FOR_MANY.strip().splitlines())
def test_an_order_for_many_things_is_refused_with_what_works(text: str) -> None:
    message = say(text)
    assert message.tool_calls == []
    assert message.text.startswith("I change one thing at a time, named by its words: “delete the milk”.")


NOT_STORED = """
water the plants and delete the dentist
start over
add note
remind me about that thing
buy buy buy
move meeting tomorrow
change the date
add urgent to passport
lunch with Lisa on Friday ok?
reply to peter: ok
call the plumber tomorrow am
Dear Sir, your invoice 4711 over 238.00 EUR is due on 2026-01-20.
buy milk tomorrow p2
flight to Rome 2026-12-24T06:45
take the cat to the vet off
"""


@pytest.mark.parametrize("text", NOT_STORED.strip().splitlines())
def test_what_only_looks_like_a_task_is_not_stored(text: str) -> None:
    assert [call["name"] for call in say(text).tool_calls if call["name"] in WRITERS] == []


BOTH = item("Call grandma and book the plumber", "bbbbbbbb", type="task", status="active")
PARTS = ("call grandma is done", "I called grandma", "done with grandma", "delete the plumber", "I booked the plumber")


@pytest.mark.parametrize("text", PARTS)
def test_a_deed_about_a_part_of_an_item_asks(text: str) -> None:
    asked = then(text, found(BOTH))
    assert asked.tool_calls == []
    assert asked.text.startswith("Which one do you mean? You named a part of this, and “the first” means all of it:")
    assert call_of(answer(text, asked, "the first", found(BOTH)))[1]["id"] == "bbbbbbbb"


def test_a_list_with_commas_has_parts_too() -> None:
    shopping = found(item("Buy oat milk, eggs & bread", type="task", status="active"))
    for text in ("I bought eggs", "I bought the oat milk", "I bought oat milk and eggs"):
        assert then(text, shopping).tool_calls == []
    assert call_of(then("I bought oat milk, eggs and bread", shopping))[1]["properties"] == {"status": "done"}


def answer(first: str, asked: AIMessage, said: str, items: dict[str, Any]) -> AIMessage:
    """What follows the answer to a question back, when the items were looked up again."""
    messages: list[BaseMessage] = [prompt(), HumanMessage(first), asked, HumanMessage(said)]
    query = reply(messages, NAMES)
    if not query.tool_calls:
        return query
    query.tool_calls[0]["id"] = "c0"
    return reply([*messages, query, ToolMessage(json.dumps(items), tool_call_id="c0")], NAMES)


DINNERS = found(item("Dinner with Ann", "bbbbbbbb"), item("Dinner with Bob", "cccccccc"))


@pytest.mark.parametrize(
    "said", ["the second", "2", "2.", "the 2nd one", "number 2", "#2", "the last one", "Bob", "with bob"]
)
def test_which_one_is_answered_by_place_or_words(said: str) -> None:
    asked = then("delete the dinner", DINNERS)
    assert call_of(answer("delete the dinner", asked, said, DINNERS)) == ("delete_item", {"id": "cccccccc"})


@pytest.mark.parametrize("said", ["not Bob", "Bob cancelled", "the 2nd of January", "neither", "both", "Bob?", "7"])
def test_what_is_no_answer_to_which_one_changes_nothing(said: str) -> None:
    asked = then("delete the dinner", DINNERS)
    after = answer("delete the dinner", asked, said, DINNERS)
    assert after.tool_calls == []
    assert after.text


@pytest.mark.parametrize("said", ["I bought oat milk, eggs are out", "7", "not really", "the second"])
def test_what_does_not_name_the_only_one_listed_changes_nothing(said: str) -> None:
    asked = then("I bought the oat milk", found(item("Buy oat milk and eggs")))
    assert asked.text.startswith("Which one")
    assert answer("I bought the oat milk", asked, said, found(item("Buy oat milk and eggs"))).tool_calls == []


def test_a_told_deed_is_narrowed_as_an_order_is() -> None:
    calls = found(item("Call mum about Sunday", "bbbbbbbb"), item("Call mum about the car", "dddddddd"))
    asked = then("I called mum", calls)
    assert asked.text.startswith("Which one")
    assert call_of(answer("I called mum", asked, "the second", calls))[1]["id"] == "dddddddd"


def test_a_question_that_cannot_be_answered_shortly_asks_for_the_whole_sentence() -> None:
    assert say("call Anna at 2:30").text.endswith("Say it again with am or pm.")
    assert say("water the plants every day").text.endswith("Say it again with the next time.")


KEPT = [
    ("note: The WiFi is Blue-Fox, call me Ishmael", "The WiFi is Blue-Fox, call me Ishmael"),
    ("note: iPads for u, gotta go!", "iPads for u, gotta go!"),
    ("Note to self: please call me, thanks", "please call me, thanks"),
    ('idea: "eBay" shop; 2nd-hand', '"eBay" shop; 2nd-hand'),
    ("note for Acme: THE iOS build", "THE iOS build"),
    ("note that the train leaves at 10:15", "The train leaves at 10:15"),
]


@pytest.mark.parametrize(("text", "content"), KEPT)
def test_words_after_note_are_kept_as_they_were_typed(text: str, content: str) -> None:
    assert call_of(say(text))[1]["content"] == content


def test_a_note_that_another_wish_follows_is_sent_back() -> None:
    message = say("note: the wifi is foo. Remind me to call Anna tomorrow")
    assert message.tool_calls == []
    assert "two messages" in message.text


DUE = [
    ("flight to Rome 2026-12-24 06:45", "2026-12-24T06:45"),
    ("buy a present by Christmas", "2026-12-25"),
    ("buy a present before Christmas", "2026-12-24"),
    ("post the letter before Friday", "2026-01-08"),
    ("pay the rent before Friday at 12:00", "2026-01-09T12:00"),
]


@pytest.mark.parametrize(("text", "due"), DUE)
def test_no_time_is_dropped_and_before_a_day_is_the_day_before(text: str, due: str) -> None:
    assert call_of(then(text, found()) if "flight" in text else say(text))[1]["properties"]["due_date"] == due


def test_p1_is_a_priority_and_no_part_of_the_title() -> None:
    args = call_of(say("pay the rent p1"))[1]
    assert (args["content"], args["properties"]["priority"]) == ("Pay the rent", "high")


SUMS = [
    ("200 + 19% VAT", 238.0),
    ("100 - 20%", 80.0),
    ("what's 200 plus 19%", 238.0),
    ("50% of 80 plus 10", 50.0),
    ("10 + 50% of 80", 50.0),
    ("Compute 19//4 (floor division).", 4.0),
    ("1,200 + 5%", 1260.0),
]


@pytest.mark.parametrize(("text", "result"), SUMS)
def test_a_sum_has_every_amount(text: str, result: float) -> None:
    assert calculate(find_expression(text) or "") == pytest.approx(result)


NO_SUM = """
If a coffee costs 3.20 and I buy 5 a week for 4 weeks, what do I pay?
0x1F
what is 0x1F + 1
200 - 10% - 5%
how much is 90 with 10% tip split between 3 people
what is 2 + 2 * 2 and 3 * 3
"""


@pytest.mark.parametrize("text", NO_SUM.strip().splitlines())
def test_a_sum_that_would_leave_an_amount_out_is_refused(text: str) -> None:
    assert find_expression(text) is None
    assert [call["name"] for call in say(text).tool_calls] in ([], ["query_items"])


@pytest.mark.parametrize(
    "text", ["current timestamp in UTC (ISO)", "what's the timestamp in UTC?", "the current utc time"]
)
def test_a_timestamp_is_the_time(text: str) -> None:
    assert call_of(say(text)) == ("now", {"timezone": "utc"})


@pytest.mark.parametrize("text", ["what's the most urgent thing for Acme?", "what should I focus on for Acme"])
def test_the_most_urgent_thing_of_a_project_is_of_that_project(text: str) -> None:
    other = item("Pay the rent", "bbbbbbbb", priority="high", due_date="2026-01-01 (Thursday)")
    acme = item("Send the invoice to Acme", "cccccccc", priority="high", project="Acme")
    assert "Acme" in then(text, found(other, acme)).text
    assert "rent" not in then(text, found(other, acme)).text
    none = [item("Pay the rent", "bbbbbbbb", priority="high")]
    assert "nothing with the words" in then("what's the most urgent thing for Umbrella?", found(*none)).text


UNREAD = """
tasks before December
everything before December
tasks older than a week
tasks except Acme
my tasks sorted by name
the last 5 tasks
"""


@pytest.mark.parametrize("text", UNREAD.strip().splitlines())
def test_a_filter_that_was_not_understood_is_said(text: str) -> None:
    message = say(text)
    assert message.tool_calls == []
    assert message.text.startswith("I did not understand ") or "rule-based" in message.text


def test_everything_completed_is_done() -> None:
    for text in ("everything I completed", "show everything I finished"):
        assert call_of(say(text))[1]["where"] == {"status": {"$in": [*DONE]}}
    assert call_of(say("list my tasks"))[1]["where"] == {"type": "task", "status": OPEN}


@pytest.fixture
def assistant(settings: Settings) -> Iterator[Assistant]:
    handles = open_handles(settings, model=OfflineReader())
    with open_assistant(handles) as opened:
        yield opened


def ask(assistant: Assistant, text: str) -> Done:
    return expect_done(assistant.ask(text, THREAD))


def test_the_long_explanation_comes_once_in_a_conversation(assistant: Assistant) -> None:
    first, second = (ask(assistant, text).answer for text in ("asdf qwer", "qwer asdf"))
    assert "ana setup" in first
    assert second == "I am a small rule-based reader of English and did not understand that."
    assert "ana setup" in ask(assistant, "help").answer


def test_what_was_finished_today_is_answered_from_the_journal(settings: Settings) -> None:
    now = [datetime(2026, 1, 6, 9, tzinfo=BERLIN)]
    handles, clock = open_handles(settings, model=OfflineReader()), Clock(BERLIN, lambda: now[0])
    memory = Memory(handles.memory.backend, clock)
    yesterday = memory.create("Done yesterday", {"status": "active", "due_date": "2026-01-07"})
    today = memory.create("Done today", {"status": "active", "due_date": "2025-12-01"})
    memory.create("Open", {"status": "active", "due_date": "2026-01-07"})
    memory.update(yesterday.id, properties={"status": "done"})
    now[0] = datetime(2026, 1, 7, 9, tzinfo=BERLIN)
    memory.update(yesterday.id, "Done yesterday, renamed today")
    memory.update(today.id, properties={"status": "done"})
    with open_assistant(replace(handles, clock=clock, memory=memory)) as opened:
        for text in ("what did I do or finish today?", "what did I finish today", "what have I done today"):
            answer = ask(opened, text).answer
            assert "Done today" in answer
            assert "yesterday" not in answer
            assert "Open" not in answer
        assert "renamed" in ask(opened, "what did I finish yesterday?").answer
