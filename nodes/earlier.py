"""Results as a model is sent them: all that an earlier turn called is one call, answered with ids and first lines.

The messages that are kept stay as they are. A turn is shortened when it is over, always in the same way, so that what
is sent begins as the call before did, up to that one's last question: a provider's cache holds.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from ana.memory.receipts import SIGNS, describe_change, quote_title
from ana.output import shorten
from ana.values import read_object
from nodes.history import call_ids, map_texts, split_turns
from tools.artifacts import Receipt, receipts_of
from tools.catalog import TOOLS, WRITERS

FIRST_LINE = 40
"""Characters that are sent of an item which an earlier turn found."""

LINE = 100
"""Characters that are sent of any other result of an earlier turn."""

ARGUMENT = 60
"""Characters that are sent of each text in its call."""

LISTED = 20
"""Items that are named of one result of an earlier turn."""

LONG = 200
"""From so many characters on, a content is sent whole only once in a turn."""

CHANGES = ("created", "changed", "deleted")
"""Keys of what `history` tells of an item."""

IDS = ("id", "line", "turn")
"""Arguments that name what a call changes, and hold no text."""

_QUOTED = re.compile("“[^“”]*”")
"""Stored text in an error, whoever told it."""

WHOLE_ABOVE = " [whole above]"
SAME_ERROR = '{"error": "The same as of the call before."}'


def shorten_results(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the messages with the results of earlier turns shortened, and what this turn shows again only named.

    Args:
        messages: A valid list: each call is answered.
    """
    *earlier, this = split_turns(messages)
    named: set[str] = set()
    shortened = [message for n, turn in enumerate(earlier) for message in _shorten_turn(turn, f"e{n}", named)]
    return [*shortened, *_name_repeated(this)]


def _shorten_turn(turn: list[AnyMessage], id: str, named: set[str]) -> list[AnyMessage]:
    """Return a turn with one of its calls, a write if there is one, whose result says what all of them came to.

    The items that it names are added to those that were named before.
    """
    asked = [call for message in turn if isinstance(message, AIMessage) for call in message.tool_calls]
    if not asked:
        return turn
    answers = {message.tool_call_id: message for message in turn if isinstance(message, ToolMessage)}
    shown = _find_shown(asked, answers)
    results = [(call["name"], _tell_result(call, answers[str(call["id"])], named, call is shown)) for call in asked]
    args = map_texts(shown["args"], partial(shorten, width=ARGUMENT))
    if _writes_others(answers[str(shown["id"])]):
        args = {name: id for name, id in args.items() if name in IDS}
    called = AIMessage("", tool_calls=[ToolCall(name=shown["name"], args=args, id=id)])
    # not under the mark of a result, which a text that was written since may hold
    record = ToolMessage("\n".join(_join_same(results)), name=shown["name"], tool_call_id=id)
    said = [m for m in turn if not isinstance(m, ToolMessage) and not call_ids(m)]
    begin = sum(isinstance(message, HumanMessage) for message in turn[:1])
    return [*said[:begin], called, record, *said[begin:]]


def _find_shown(asked: Sequence[ToolCall], answers: Mapping[str, ToolMessage]) -> ToolCall:
    """Return the call that stands for all: a write if there is one, and if it can be none of what others told."""
    own = [call for call in asked if not _writes_others(answers[str(call["id"])])] or asked
    return next((call for call in own if call["name"] in WRITERS), own[0])


def _writes_others(answer: ToolMessage) -> bool:
    return any(map(_is_of_others, receipts_of(answer)))


def _is_of_others(receipt: Receipt) -> bool:
    """Whether others told any of a record that was written."""
    return any("sources" in (receipt[when] or {}) for when in ("before", "after"))


def _tell_result(call: ToolCall, answer: ToolMessage, named: set[str], is_shown: bool) -> str:
    """Return what a call came to, in a line for each record that it wrote; of what its own arguments show, the id."""
    value, receipts = read_object(answer.text), receipts_of(answer)
    is_undo = call["name"] == "undo"
    if is_shown and not is_undo and [receipt["op"] for receipt in receipts] == ["create"]:
        named.add(str(receipts[0]["id"]))
        return str(receipts[0]["id"])
    if receipts:
        undo = [str(value["undo"])] if "undo" in value else []
        # of no other call does the name say what became of a record
        signs = [f"{SIGNS[receipt['op']]} " if is_undo else "" for receipt in receipts]
        return "\n".join(
            [*undo, *(sign + _tell_write(each, named) for sign, each in zip(signs, receipts, strict=True))]
        )
    if "error" in value:  # the items beside it are only like the one that was meant
        return shorten(_QUOTED.sub("“…”", str(value["error"])), LINE)
    items: dict[str, str] = {}
    for id, told in _list_items(value):  # history tells of an item many times, first what came last
        items.setdefault(id, told)
    if items:
        sums = shorten(f"; sums {json.dumps(value['sums'])}", LINE) if "sums" in value else ""
        return _tell_items([*items.items()], named) + sums
    if call["name"] == "calculator" and "result" in value:
        return shorten(f"{call['args'].get('expression')} = {value['result']}", LINE)
    return shorten(str(value.get("note") or answer.text), LINE)


def _tell_write(receipt: Receipt, named: set[str]) -> str:
    id, told = str(receipt["id"]), describe_change(receipt)[2:]
    if receipt["kind"] == "line":  # the prompt shows it as it is
        return f"line {id}"
    if _is_of_others(receipt):
        return id
    if id in named:
        told = told.removeprefix(quote_title((receipt["after"] or receipt["before"])["content"])).strip()
    named.add(id)
    return f"{id} {shorten(told, LINE)}"


def _tell_items(items: Sequence[tuple[str, str]], named: set[str]) -> str:
    told = [id if id in named else f"{id} {shorten(content, FIRST_LINE)}".strip() for id, content in items[:LISTED]]
    named.update(id for id, _ in items[:LISTED])
    return "; ".join([*told, *([f"and {len(items) - LISTED} more"] if len(items) > LISTED else [])])


def _join_same(results: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the results, the tool's name before the first of a row; the same one in a row, of a refused batch, once."""
    before = ("", "")
    for name, told in results:
        if told != before[1]:
            yield told if name == before[0] else f"{name}: {told}"
        before = (name, told)


def _name_repeated(turn: Sequence[AnyMessage]) -> Iterator[AnyMessage]:
    """Yield a turn's messages: a long content that was shown before only named, an error of a whole batch told once."""
    shown: dict[str, str] = {}
    before = ""
    for message in turn:
        text = message.text if isinstance(message, ToolMessage) else ""
        if isinstance(message, ToolMessage):
            if text == before and message.status == "error" and len(text) > len(SAME_ERROR):
                message = message.model_copy(update={"content": SAME_ERROR})
            elif message.name in TOOLS and (new := _name_shown(value := read_object(text), shown)) != value:
                message = message.model_copy(update={"content": json.dumps(new, ensure_ascii=False)})
        yield message
        before = text


def _name_shown(value: Any, shown: dict[str, str]) -> Any:
    """Return a result in which the long contents that were shown before are cut; what it shows is added to those."""
    if isinstance(value, list):
        return [_name_shown(each, shown) for each in value]
    if not isinstance(value, dict):
        return value
    id, content = value.get("id"), value.get("content")
    if not isinstance(id, str) or not isinstance(content, str):
        return {key: _name_shown(each, shown) for key, each in value.items()}
    if len(content) > LONG and shown.get(id) == content:
        return value | {"content": shorten(content, FIRST_LINE) + WHOLE_ABOVE}
    shown[id] = content
    return value


def _list_items(value: Any) -> Iterator[tuple[str, str]]:
    """Yield id and content of each item in a result; of each change that `history` tells, id, verb and words.

    What others told has no words: of an earlier turn it is sent as its id alone.
    """
    if isinstance(value, list):
        for each in value:
            yield from _list_items(each)
    elif isinstance(value, Mapping):
        id, content = value.get("id"), value.get("content")
        if id is not None and content is not None:
            yield str(id), "" if "source" in value else str(content)
        elif id is not None and (told := {key: text for key, text in value.items() if key in CHANGES}):
            yield from ((f"{id} {verb}", "" if "source" in value else str(text)) for verb, text in told.items())
        else:
            yield from _list_items([*value.values()])
