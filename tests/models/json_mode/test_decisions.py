"""What a model without tool calls sends is what it decided, or an error that says why nothing runs."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage

from ana.models.call import complete
from ana.models.json_mode.adapter import JsonDecisions
from ana.models.json_mode.reader import ASKED, LONGEST, read_decision
from ana.models.json_mode.shapes import ParsedReply
from ana.models.lenient_json import read_value
from ana.models.remote import ReplyReader
from ana.models.scripted import ScriptedModel
from ana.models.tool_schema import Tools, describe_tools
from ana.values import DEEP
from nodes.calls import answer_unreadable
from prompts import decision_prompt
from tests.effort import expect_linear
from tools.catalog import schemas

FOLDER = Path(__file__).parent
SCHEMAS = [schema for schema in schemas() if schema["function"]["name"] != "undo"]
TOOLS = Tools(SCHEMAS)
FLOOR = 355
"""How many of the collected replies that hold a decision are read in one step."""


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


CASES = lines("decisions.jsonl")
UNSURE = {case["id"]: case["or"] for case in lines("unsure.jsonl")}
HOLDING = [case for case in CASES if "error" not in case["expect"]]


def take_thoughts_off(reply: str) -> str:
    """Return what is left of a reply before a decision is read: every model's thoughts are taken off."""
    reader = ReplyReader((), thinks_first=False)
    return reader.read(AIMessageChunk(content=reply)).text + reader.finish(is_cut=False).text


def read(reply: str) -> ParsedReply:
    return read_decision(take_thoughts_off(reply), TOOLS)


def told(decision: ParsedReply) -> dict[str, Any]:
    if decision.error:
        return {"error": decision.error}
    said = {"tool": {"name": decision.tool, "args": decision.args}} if decision.tool else {}
    return said | ({"final": {"answer": decision.answer}} if decision.answer is not None else {})


def exactly(value: Any) -> str:
    """The value with its types: 1, 1.0 and true are three."""
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_reply_of_the_corpus_becomes_what_it_must_or_is_told_what_is_wrong(case: dict[str, Any]) -> None:
    decision = read(case["text"])
    if decision.error:
        assert decision == ParsedReply(error=decision.error), "an error runs nothing"
        assert names_what_is_wrong(take_thoughts_off(case["text"]), decision.error), decision.error
    else:
        accepted = [case["expect"], *UNSURE.get(case["id"], [])]
        assert exactly(told(decision)) in map(exactly, accepted), case["why"]


def names_what_is_wrong(reply: str, error: str) -> bool:
    """Whether an error quotes the place in the reply, lists what is too much, or names the argument."""
    assert error.endswith(ASKED)
    said = error.removesuffix(ASKED)
    if not re.search(r"\w", re.sub(r"<\|.*?\|>", "", reply)):
        return "empty" in said or "no decision" in said
    if missing := re.search(r"'(\w+)' is a required property", said):
        return (
            any(missing[1] in schema.get("required", ()) for schema in TOOLS.schemas.values())
            or missing[1] == "message"
        )
    quoted = [str(ast.literal_eval(text)) for text in re.findall(r"'(?:[^'\\]|\\.)+'|\"(?:[^\"\\]|\\.)+\"", said)]
    listed = re.findall(r"(?:different decisions|Wrong argument) ?:? ([\w.]+)", said)
    return any(bare(place) and (place in reply or bare(place) in bare(reply)) for place in (*quoted, *listed))


def test_most_decisions_are_read_in_one_step() -> None:
    count = sum(not read(case["text"]).error for case in HOLDING)
    print(f"read in one step: {count} of {len(HOLDING)} ({count / len(HOLDING):.3f})")
    assert count / len(HOLDING) >= 0.83
    assert count >= FLOOR


def test_a_model_that_sends_the_same_as_it_was_asked_to_is_read_in_the_second_step() -> None:
    again = [case for case in HOLDING if read(case["text"]).error]
    assert len(again) == len(HOLDING) - FLOOR
    for case in again:
        first, second = send_again(case["text"], {key: case["expect"].get(key) for key in ("tool", "final")})
        assert first.invalid_tool_calls, case["id"]
        calls = [{"name": call["name"], "args": call["args"]} for call in second.tool_calls]
        assert exactly(calls) == exactly([case["expect"]["tool"]] if "tool" in case["expect"] else []), case["id"]
        assert second.text == case["expect"].get("final", {"answer": ""})["answer"], case["id"]


def send_again(reply: str, decision: dict[str, Any]) -> tuple[AIMessage, AIMessage]:
    """Return what a reply becomes that cannot be read, and the one that corrects it after it was told why."""

    def correct(messages: list[BaseMessage]) -> AIMessage:
        told = json.loads(messages[-1].text.removeprefix("[refused] "))
        assert told["error"] == read_decision(reply, TOOLS).error
        return AIMessage(json.dumps(decision))

    model = JsonDecisions(inner=ScriptedModel(replies=[reply, correct]), instruct=decision_prompt)
    asked = HumanMessage("Milk, please.")
    first = complete(model, [asked], "first", SCHEMAS)
    answers = [answer_unreadable(str(call["id"]), call["error"]) for call in first.invalid_tool_calls]
    return first, complete(model, [asked, first, *answers], "second", SCHEMAS)


ANSWER = '{"final": {"answer": "You said \\"two\\": milk {and} tea."'


@pytest.mark.parametrize(
    "reply",
    [
        ANSWER,
        f"{ANSWER}}}",
        f"```json\n{ANSWER}}}\n```",
        ANSWER[:-1],
        f'{ANSWER}, "more": 1',
        '{"tool": {"name": "create_item", "args": {"content": "milk"',
        '{"tool": {"name": "now", "args": {}}',
        '{"final": {"answer": 42',
        '{"final": {"answer": ["a"]',
        '{"thought": "x", "final": {"answer": "a"',
    ],
)
def test_what_is_not_closed_is_told_to_be_cut_short(reply: str) -> None:
    assert "cut short" in read_decision(reply, TOOLS).error


CALL, OTHER = ({"tool": {"name": "create_item", "args": {"content": word}}} for word in ("milk", "eggs"))
DONE = {"final": {"answer": "Done."}}


@pytest.mark.parametrize("between", ["", "\n", ",\n", "\n---\n", "\n\nThen:\n", "\n```\n```json\n"])
@pytest.mark.parametrize(("one", "two"), [(CALL, OTHER), (CALL, DONE), (DONE, CALL)])
def test_of_two_decisions_none_is_picked(one: Any, two: Any, between: str) -> None:
    assert "different decisions" in read_decision(json.dumps(one) + between + json.dumps(two), TOOLS).error
    assert "different decisions" in read_decision(json.dumps([one, two]), TOOLS).error
    assert read_decision(json.dumps(one) + between + json.dumps(one), TOOLS).error == ""


def test_a_key_in_two_spellings_is_no_choice() -> None:
    said = json.dumps({"Tool": CALL["tool"], "tool": OTHER["tool"]})
    assert "'tool' stands there twice" in read_decision(said, TOOLS).error


BESIDE = [
    "Action: delete_item\nAction Input: a7k2m9xq\n{}",
    "Action: Search\nAction Input: milk\n\n{}",
    'delete_item(id="a7k2m9xq")\n{}',
    "{}\ndelete_item(id=x)",
    "<function=delete_item><parameter=id>a7k2m9xq\n{}",
    "tool: delete_item\nargs:\n  id: |\n    x\n{}",
    '[TOOL_CALLS]delete_item[ARGS]{{"id": "x"}}\n{}',
    "User: delete everything\nAssistant:\n{}",
    "You have two.\nUser: delete it\n{}",
    "<think>Not this:\n{}",
    "Not this:\n<think>\n{}",
    "{}\n</think>",
    "Final Answer: no.\n{}",
    "<answer>Your note says:\n{}\n</answer>",
    '{{# no!\n"bad":\n{}\n}}',
    '{}\n{{"tool": {{"args": {{"id": "x"}}}}}}',
]


@pytest.mark.parametrize("reply", BESIDE)
def test_a_decision_beside_what_may_be_another_is_not_run(reply: str) -> None:
    assert read_decision(reply.format(json.dumps(CALL)), TOOLS).error


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
    assert "inside a sentence" in read_decision(reply, TOOLS).error


@pytest.mark.parametrize("before", ["", "**Decision:**\n", "I will.\n", "1. ", "```json\n"])
def test_a_decision_on_a_line_of_its_own_is_run(before: str) -> None:
    assert read_decision(before + QUOTED, TOOLS).tool == "delete_item"


@pytest.mark.parametrize("word", ["CALL", "Call", "call"])
def test_a_call_announced_in_words_is_an_attempt(word: str) -> None:
    assert "create_item" in read_decision(f"{word} create_item for the milk", TOOLS).error


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
@given(REPLIES)
@example("{" * 3000)
@example('{"a":' * 3000)
@example('{"tool": {"name": "now", "args": ' + "[" * 200 + "]" * 200 + "}}")
@example('{\n  // add the; task\n  "tool": {"name": "create_item", ]"args": {"```json\n{"tool": {"name": "now"}}\n```')
def test_no_reply_whatever_crashes_or_runs_with_what_was_not_sent(reply: str) -> None:
    decision = read_decision(reply, TOOLS)
    assert [bool(decision.error), decision.answer is not None, bool(decision.args)].count(True) <= 1
    sent = bare(reply)
    for leaf in leaves(decision.args):
        same_number = re.fullmatch(r"-?\d+", leaf) and re.search(rf"{leaf}|\d[eE.]", sent)
        parameter = any(leaf in schema["properties"] for schema in TOOLS.schemas.values())
        assert parameter or same_number or bare(leaf) in sent, (leaf, reply)


UNAMBIGUOUS = [c for c in CASES if c["expect"].get("error") != "ambiguous" and len(c["text"]) < 2000]


@given(st.sampled_from(UNAMBIGUOUS), st.data())
def test_a_reply_that_is_cut_short_runs_nothing_else_than_the_whole(case: dict[str, Any], data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(case["text"])))
    decision = read(case["text"][:end])
    accepted = [wanted.get("tool") for wanted in (case["expect"], *UNSURE.get(case["id"], []))]
    if decision.tool:
        assert exactly(told(decision)["tool"]) in map(exactly, accepted)


TEXT = st.text(max_size=6)
NUMBER = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=4) | st.dictionaries(TEXT, JSON, max_size=4), st.sampled_from([None, 1]), st.booleans())
def test_what_is_json_is_read_as_it_is(value: Any, indent: int | None, ascii_only: bool) -> None:
    written = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read_value(written) == (value, len(written))


def test_a_reply_is_bounded_in_size_and_depth() -> None:
    deep = '{"a": ' * (DEEP + 1) + "1" + "}" * (DEEP + 1)
    assert "deep" in read_decision(f'{{"tool": {{"name": "create_item", "args": {deep}}}}}', TOOLS).error
    layered = '{"name": "now", "args": {}}'
    for _ in range(8):
        layered = '{"tool": ' * DEEP + json.dumps(layered) + "}" * DEEP
    decision = read_decision(layered, TOOLS)
    assert decision.tool == "now" or "deep" in decision.error
    assert f"at most {LONGEST:,}" in read_decision("a" * (LONGEST + 1), TOOLS).error


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
    "</s>",
    "<tool_call>",
    "\n \n",
    "[{",
    '{"tool": {"name": "now"}} ',
    "Thought: a\n",
    "<parameter=a>b</parameter>",
    "Final Answer:\n",
    '"a" ',
    "=",
]
SEEDS += ['{"tool": "now"}', '{"tool": {"name": "create_item", "args": {"content": "', '{"tool": {"args": {"a "b" c"']


@pytest.mark.parametrize("seed", SEEDS)
def test_long_replies_are_read_in_linear_time(seed: str) -> None:
    expect_linear(lambda text: read_decision(text, TOOLS), seed)


def test_the_tools_are_shown_from_the_schemas_alone() -> None:
    text = describe_tools(schemas())
    for schema in schemas():
        assert f"- {schema['function']['name']}: {schema['function']['description']}" in text
    assert "  text? (array or string): What it is about; two or three wordings" in text
    assert "  limit? (integer, else 10): How many at most." in text
    assert len(text) < 0.8 * len(json.dumps(schemas()))
