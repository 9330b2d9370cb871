"""The offline reader writes only what it clearly understood, with the day that was meant."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from ana.models.offline.reader import reply
from tests.models.test_offline import NAMES, call_of, found, item, say, then

NO_CALL = """
Remind me every Monday to water the plants
Don't remind me to call Bob
Should I add buy milk tomorrow?
Add milk tomorrow. Actually no, don't.
I need to know what the capital of France is
I should have called mum
I have a headache
I prefer deep work in the mornings. Remind me to call Bob tomorrow.
I always thought you were smart
I never said that
I love you
I like that idea
I work on the report today
I'm not hungry
I'm a bit tired
I don't care
My wife is angry
My car is broken
keep it
clear my list
can you email Lou?
I have 3 meetings tomorrow
meeting moved from 2 to 4
remind me in 10 min to check the oven and in 20 min to take it out
change the wifi password to moose-78
theatre with Nina on New Year's Eve 8pm in 3 weeks, on Monday
buy a Sunday newspaper
watch Friday Night Lights
delete everything
delete it
mark it as done
move the dentist to Friday or Monday
I need to meet Bob by Monday and Anna by Friday
I have a meeting with Bob
what time is it in Atlantis?
Erinnere mich morgen an Milch
todo está bien
"""


@pytest.mark.parametrize("text", NO_CALL.strip().splitlines())
def test_it_does_not_guess(text: str) -> None:
    message = say(text, "Prefers tea")
    assert message.tool_calls == []
    assert message.text


DUE: list[tuple[str, str, str | None]] = [
    ("Remind me tomorrow to book flights", "Book flights", "2026-01-08"),
    ("Remind me on Friday to call the plumber", "Call the plumber", "2026-01-09"),
    ("Remind me on Monday to prepare for Friday's demo", "Prepare for Friday's demo", "2026-01-12"),
    ("Remind me to prepare for Friday's demo", "Prepare for Friday's demo", None),
    ("Hi! Please remind me to call mum tomorrow.", "Call mum", "2026-01-08"),
    ("I need to file taxes next week", "File taxes", "2026-01-12"),
    ("I need to file taxes this week", "File taxes", "2026-01-11"),
]


@pytest.mark.parametrize(("text", "content", "due"), DUE)
def test_the_day_that_is_meant(text: str, content: str, due: str | None) -> None:
    name, args = call_of(say(text))
    assert name == "create_item"
    assert (args["content"], args["properties"].get("due_date")) == (content, due)


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("15% off 80", {"expression": "80 * (1 - 15/100)"}),
        ("If I spend $5 daily for 2 weeks, what's the total?", {"expression": "5 * 2 * 7"}),
        ("How much is 12 squared?", {"expression": "12**2"}),
        ("what time is it in Tokyo?", {"timezone": "Asia/Tokyo"}),
    ],
)
def test_figures_and_places(text: str, args: dict[str, Any]) -> None:
    assert call_of(say(text))[1] == args


DENTIST = item("Dentist", due_date="2026-01-08T14:30 (Thursday)")


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("move the dentist to Friday", "2026-01-09T14:30"),
        ("move the dentist to Friday at 15:00", "2026-01-09T15:00"),
    ],
)
def test_moving_keeps_the_time_or_takes_the_new_one(text: str, due: str) -> None:
    assert call_of(then(text, found(DENTIST)))[1]["properties"] == {"due_date": due}


def test_half_a_fit_is_none() -> None:
    message = then("I finished the report for Bob", found(item("Email Bob")))
    assert message.tool_calls == []
    assert "no open item that this is about" in message.text


def test_without_a_clock_in_the_prompt_nothing_is_done() -> None:
    message = reply([HumanMessage("add buy milk tomorrow")], NAMES)
    assert message.tool_calls == []
    assert "what day it is" in message.text
