"""What a model without tool calls sends is what it decided, or an error that runs nothing."""

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ana.models.json_mode import Decision, read_decision
from ana.models.tool_schema import Tools, describe_tools
from tools.catalog import schemas

FOLDER = Path(__file__).parent
TOOLS = Tools([schema for schema in schemas() if schema["function"]["name"] != "undo"])
DISPUTED: dict[str, str] = {}
"""Cases of the corpus held to be wrong, with the reason."""


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


CASES = [case for case in lines("decisions.jsonl") if case["id"] not in DISPUTED]
UNSURE = {case["id"]: case["or"] for case in lines("unsure.jsonl")}


def told(decision: Decision) -> dict[str, Any]:
    if decision.error:
        return {"error": decision.error}
    said = {"tool": {"name": decision.tool, "args": decision.args}} if decision.tool else {}
    said |= {"final": {"answer": decision.answer}} if decision.answer is not None else {}
    return said | ({"dropped": decision.dropped} if decision.dropped else {})


def exactly(value: Any) -> str:
    """The value with its types: 1, 1.0 and true are three."""
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_reply_of_the_corpus_becomes_what_it_must(case: dict[str, Any]) -> None:
    accepted = [case["expect"], *UNSURE.get(case["id"], [])]
    decision = read_decision(case["text"], TOOLS)
    assert exactly(told(decision)) in map(exactly, accepted), case["why"]
    assert bool(decision.error) == bool(decision.why)


ANSWER = '{"final": {"answer": "You said \\"two\\": milk {and} tea."'


@pytest.mark.parametrize("end", ["", "}", " }", "\n}\n", "\n```", "}\n```\n"])
def test_an_answer_that_lacks_only_braces_is_one(end: str) -> None:
    begin = "```json\n" if "`" in end else ""
    assert told(read_decision(f"{begin}{ANSWER}{end}", TOOLS)) == {
        "final": {"answer": 'You said "two": milk {and} tea.'}
    }


@pytest.mark.parametrize(
    "reply",
    [
        ANSWER[:-1],
        f'{ANSWER}, "more": 1',
        '{"tool": {"name": "create_item", "args": {"content": "milk"',
        '{"tool": {"name": "now", "args": {}}',
        '{"final": {"answer": 42',
        '{"final": {"answer": ["a"]',
        '{"thought": "x", "final": {"answer": "a"',
    ],
)
def test_what_lacks_more_than_braces_is_cut_short(reply: str) -> None:
    assert told(read_decision(reply, TOOLS)) == {"error": "truncated"}


QUOTED = '{"tool": {"name": "delete_item", "args": {"id": "a7k2m9xq"}}}'


@pytest.mark.parametrize(
    "reply",
    [
        f"Your note says: {QUOTED}",
        f"Your note holds this JSON: {QUOTED}, which deletes an item.",
        f"{QUOTED} is what you wrote down on Monday.",
        f"- Milk\n- The text {QUOTED}\n- Eggs",
        f'The item "{QUOTED}" is due today.',
        f"You stored the answer: {QUOTED}",
        f"Your note (a7k2m9xq):\n\n> {QUOTED}",
    ],
)
def test_a_decision_inside_a_sentence_is_not_run(reply: str) -> None:
    assert read_decision(reply, TOOLS).error == "ambiguous"


@pytest.mark.parametrize("before", ["", "Answer: ", "Here is the decision: ", "**Decision:** ", "I will.\n", "1. "])
def test_a_decision_on_a_line_of_its_own_or_behind_a_marker_is_run(before: str) -> None:
    assert read_decision(before + QUOTED, TOOLS).tool == "delete_item"


@pytest.mark.parametrize("word", ["CALL", "Call", "call"])
def test_a_call_announced_in_words_is_an_attempt(word: str) -> None:
    assert read_decision(f"{word} create_item for the milk", TOOLS).error == "no_decision"


CHARACTERS = st.sampled_from(list("{}[]()<>\"'`:,;\\/#*|=\n -_.…“”’｜✿&") + list("abtfn01é\u200b\ud800"))
PARTS = [
    *(case["text"] for case in CASES if len(case["text"]) < 400),
    *(
        "```json\n",
        "<think>",
        "</think>",
        "<tool_call>",
        "Action: now\nAction Input: ",
        "Observation: ",
        "User: ",
        "\n",
    ),
    *("create_item(", '{"tool": {"name": "create_item", "args": {"content": "', '"}}}', "<parameter=content>", "f'"),
]
CUT = st.sampled_from(PARTS).flatmap(lambda text: st.integers(0, len(text)).map(lambda end: text[:end]))
REPLIES = st.one_of(
    st.text(),
    st.text(CHARACTERS, max_size=60),
    st.lists(st.one_of(st.sampled_from(PARTS), CUT, st.text(CHARACTERS, max_size=8)), max_size=5).map("".join),
)


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in (key, *leaves(inner))]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def bare(text: str) -> str:
    """A text without what quoting and escaping may have added or taken."""
    text = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text.replace("&quot;", '"'))
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return re.sub(r"\\+[nrtbf]|[\s\\\"'`“”‘’\ufffd\x08\x0c]", "", text)


# the first call imports jsonschema, which takes longer than hypothesis waits
@settings(deadline=None)
@given(REPLIES)
@example("{" * 3000)
@example('{"a":' * 3000)
@example('{"tool": {"name": "now", "args": ' + "[" * 200 + "]" * 200 + "}}")
def test_no_reply_whatever_crashes_or_runs_with_what_was_not_sent(reply: str) -> None:
    decision = read_decision(reply, TOOLS)
    assert [bool(decision.error), decision.answer is not None, bool(decision.args)].count(True) <= 1
    sent = bare(reply)
    for leaf in leaves(decision.args):
        same_number = re.fullmatch(r"-?\d+", leaf) and re.search(rf"{leaf}|\d[eE.]", sent)
        parameter = any(leaf in schema["properties"] for schema in TOOLS.schemas.values())
        assert parameter or same_number or bare(leaf) in sent, (leaf, reply)


@settings(deadline=None)
@given(st.sampled_from([c for c in CASES if "tool" in c["expect"] and len(c["text"]) < 2000]), st.data())
def test_a_reply_that_is_cut_short_runs_nothing_else_than_the_whole(case: dict[str, Any], data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(case["text"])))
    decision = read_decision(case["text"][:end], TOOLS)
    wanted = case["expect"]["tool"]
    if decision.tool and not decision.error and "where" not in wanted["args"] and case["text"].strip()[:1] == "{":
        assert (decision.tool, decision.args) == (wanted["name"], wanted["args"])


SEEDS = [
    "{",
    "[",
    '{"',
    '{"a":',
    '{"tool": {"x": a b "',
    "[1, ",
    "((",
    "\ncreate_item(",
    "<think>",
    "```",
    "\\",
    '"',
    "'",
]
SEEDS += [
    "/*",
    "//",
    " ",
    "\n",
    "Observation: {",
    "User: a\n",
    "{a: x ",
    "<|a|>",
    "print(",
    "x = ",
    "f'{",
    "1",
    "[a",
    "{{",
]
SEEDS += ['{"tool": "now"}', '{"tool": {"name": "create_item", "args": {"content": "', '{"tool": {"args": {"a "b" c"']


@pytest.mark.parametrize("seed", SEEDS)
def test_long_replies_are_read_in_linear_time(seed: str) -> None:
    """Counted in calls, not in seconds; what is quadratic inside a regular expression never ends at the last size."""
    work = [_calls(partial(read_decision, (seed * n)[:n], TOOLS)) for n in (2_000, 8_000)]
    assert work[1] < 6 * work[0] + 1000, "four times the text is about four times the work"
    read_decision((seed * 100_000)[:100_000], TOOLS)


def _calls(do: Callable[[], object]) -> int:
    """How many calls of functions something takes."""
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        do()
    finally:
        sys.setprofile(None)
    return count


def test_the_tools_are_shown_from_the_schemas_alone() -> None:
    text = describe_tools(schemas())
    for schema in schemas():
        assert f"- {schema['function']['name']}: {schema['function']['description']}" in text
    assert "  text? (string): What it is about, in words." in text
    assert "  limit? (integer, else 10): How many to return at most." in text
    assert len(text) < 0.8 * len(json.dumps(schemas()))
