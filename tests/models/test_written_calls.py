"""A call that is written as text is read where the reply is nothing else; all other text is text."""

import json

import pytest

from ana.models.tool_schema import Tools
from ana.models.written_calls import may_be_calls, read_calls
from tests.effort import expect_linear
from tools.catalog import schemas

TOOLS = Tools(schemas())
MILK = '{"name": "create_item", "arguments": {"content": "Buy milk"}}'
NOW = '{"name": "now", "arguments": {}}'

CALLS = {
    MILK: ["create_item"],
    f"<tool_call>\n{MILK}\n</tool_call>": ["create_item"],
    f"<tool_call>{MILK}</tool_call>\n<tool_call>{NOW}</tool_call>": ["create_item", "now"],
    f"```json\n{MILK}\n```": ["create_item"],
    f"<|tool_call|>{MILK}<|im_end|>": ["create_item"],
    f"[{MILK}, {NOW}]": ["create_item", "now"],
    f"{MILK}\n{NOW}": ["create_item", "now"],
    MILK.replace("arguments", "parameters"): ["create_item"],
    MILK.replace("create_item", "createItem"): ["create_item"],
    '{"type": "function", "function": {"name": "now", "arguments": "{}"}}': ["now"],
    '{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "now", "arguments": {}}}]}': ["now"],
    '{"tool": {"name": "now", "args": {}}}': ["now"],
}

TEXTS = (
    "",
    "Buy milk",
    f"Here it is: {MILK}",
    f"{MILK}\nDone.",
    f"{MILK} and {NOW}",
    f"`{MILK}`",
    MILK[:-1],
    f"[{MILK}, {{}}] for you",
    MILK.replace("create_item", "make_coffee"),
    f"{MILK}\n{NOW.replace('now', 'make_coffee')}",
    '{"name": "history", "content": "a course"}',
    '{"history": {"content": "a course"}}',
    '{"name": "now", "arguments": {}, "note": "of yours"}',
    '{"name": "now", "arguments": {}, "parameters": {}}',
    '{"name": "now", "arguments": []}',
    '{"name": "now", "arguments": "x"}',
    '{"name": 5, "arguments": {}}',
    '{"tool_calls": []}',
    "[]",
    "null",
    "```\n```",
    '{"a": ' * 5000,
    f"{MILK}{' ' * 300_000}",
)


@pytest.mark.parametrize("reply", CALLS)
def test_a_reply_that_is_nothing_but_calls_is_read(reply: str) -> None:
    calls = read_calls(reply, TOOLS)
    assert [call["name"] for call in calls] == CALLS[reply]
    assert [call["args"] for call in calls] == [
        {"content": "Buy milk"} if c == "create_item" else {} for c in CALLS[reply]
    ]
    assert all(may_be_calls(reply[:length]) for length in range(1, len(reply) + 1)), "it is held back from the start"


@pytest.mark.parametrize("reply", TEXTS)
def test_any_other_text_is_none(reply: str) -> None:
    assert read_calls(reply, TOOLS) == []


def test_no_call_is_read_of_a_tool_that_was_not_offered() -> None:
    assert (
        read_calls(MILK, Tools([schema for schema in schemas() if schema["function"]["name"] != "create_item"])) == []
    )


@pytest.mark.parametrize(
    "reply", ["Buy milk", "- milk", "[Dentist](x)", "[ ] milk", "```python\nx", "< 5", "<b>x", "~5", "`a`"]
)
def test_what_cannot_become_a_call_is_known_at_once(reply: str) -> None:
    assert not may_be_calls(reply)
    assert not may_be_calls(reply + " " + json.dumps(MILK))


SEEDS = (
    '{"a":',
    "[",
    "<a>",
    "```",
    "{",
    f"{NOW}\n",
    f"[{NOW},",
    f"<tool_call>{NOW}</tool_call>",
    " ",
    '"',
    "\\",
    "<a",
    "1",
)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_long_reply_is_read_in_linear_time(seed: str) -> None:
    expect_linear(lambda reply: read_calls(reply, TOOLS), seed)
    expect_linear(lambda reply: read_calls(f'{{"name": "now", "arguments": {{"a": {reply}', TOOLS), seed)
