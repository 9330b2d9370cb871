"""The conversation in the form that a model is sent: older turns in a few lines each, and newer ones with their calls
joined into one call.

The kept messages do not change. A turn is shortened when it is over, and the turns that are sent as messages change
only now and then, so that a request begins like the one before it, and a provider's cache can be used.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from ana.memory.receipts import SIGNS, describe_change, quote_title
from ana.output import shorten
from ana.translation import speaking
from ana.values import read_object
from nodes.history import FILL, call_ids, cut_message, cut_middle, estimate_all, map_texts, split_turns
from nodes.receipt import RECORDED, find_day
from tools.artifacts import Receipt, receipts_of
from tools.catalog import WRITERS

MOST_WHOLE = 1_000
"""Tokens of earlier turns that are sent as messages; the turn before this one always is."""

FIRST_LINE = 40
"""Characters that are sent of an item which an earlier turn found."""

LINE = 100
"""Characters that are sent of any other result of an earlier turn."""

ARGUMENT = 60
"""Characters that are sent of each text in its call."""

LISTED = 10
"""Items that are named of one result of an earlier turn: as many as a query finds where it names no limit."""

CHANGES = ("created", "changed", "deleted")
"""Keys of what `history` tells of an item."""

RECALL = "recall_conversation"
"""The call that stands for what was said and done earlier; no tool has this name."""

MOST_MESSAGE, MOST_ANSWERED = 4_000, 160
"""Characters that are told of a message and of an answer of an earlier day."""

_QUOTED = re.compile("“[^“”]*”")
"""Stored text in an error, whoever told it."""


def divide_history(messages: Sequence[AnyMessage], today: str, budget: int) -> tuple[str, list[AnyMessage]]:
    """Return a text about older turns, a paragraph for each speaker, and the messages of the newest turns.

    Args:
        messages: A valid list, in which each call is answered.
        today: The day of this turn, ISO 8601. From an earlier day only the last turn is sent as messages.
        budget: The number of tokens; no text of an earlier turn takes more than half of it.
    """
    *earlier, this = split_turns(messages)
    first, named, paragraphs, longest = _find_first_whole(earlier, today), set[str](), list[str](), 2 * budget
    for turn in earlier[:first]:
        question_size, answered = (longest, longest) if find_day(turn) == today else (MOST_MESSAGE, MOST_ANSWERED)
        paragraphs.append(tell_turn(turn, named, question_size, answered))
    whole = [m for n, turn in enumerate(earlier[first:]) for m in _shorten_turn(turn, f"e{first + n}", named)]
    return "\n".join(paragraphs), [*(cut_message(message, longest) for message in whole), *this]


def tell_turn(turn: Sequence[AnyMessage], named: set[str], question_size: int, answered: int) -> str:
    """Return a turn's messages with speaker and time, its first look-up, and its record.

    Args:
        named: The items that were named before, and so appear only by id; those of this turn are added.
        question_size: The most characters of the person's message.
        answered: The most characters of the answer.
    """
    searches = (each for each in turn if isinstance(each, ToolMessage) and each.name == "query_items")
    hits = dict(pair for search in searches for pair in _list_items(read_object(search.text).get("items")))
    new = [(id, content) for id, content in hits.items() if id not in named]
    lines = [f"Looked up: {_tell_items(new, named)}"] if new else []
    for message in turn:
        if isinstance(message, HumanMessage):
            lines.insert(0, f"{find_day(turn)} Person: {_indent(cut_middle(message.text, question_size))}".strip())
        elif isinstance(message, AIMessage) and not call_ids(message):
            lines.append(f"Assistant: {_indent(cut_middle(message.text, answered))}")
            if recorded := message.additional_kwargs.get(RECORDED):
                lines.append(f"Recorded: {_name_written(str(recorded), turn, named)}")
    return "\n".join(lines)


def _name_written(recorded: str, turn: Sequence[AnyMessage], named: set[str]) -> str:
    """Return the record of writes, with the first words of items that were not named before beside their ids."""
    for receipt in (receipt for message in turn for receipt in receipts_of(message)):
        id, record = str(receipt["id"]), receipt["after"] or receipt["before"]
        if receipt["kind"] == "item" and id in recorded and id not in named:
            words = "" if _is_of_others(receipt) else shorten(record["content"], FIRST_LINE)
            recorded = recorded.replace(id, f"{id} {words}".strip(), 1)
            named.add(id)
    return recorded


def _indent(text: str) -> str:
    """Return a text in which no line begins like one of ana's own lines, whatever the text quotes."""
    return "\n  ".join(text.strip().splitlines())


def _find_first_whole(turns: Sequence[Sequence[AnyMessage]], today: str) -> int:
    """Return the place of the first turn that is sent as messages.

    If one more turn would be too much, several are left out, so that requests begin alike for some turns.
    """
    first, size = 0, 0
    sizes = [estimate_all([each for each in turn if not isinstance(each, ToolMessage)]) for turn in turns]
    for last, more in enumerate(sizes):
        size += more
        limit = MOST_WHOLE if size <= MOST_WHOLE else int(MOST_WHOLE * FILL)
        while first < last and (size > limit or find_day(turns[first]) != today):
            size -= sizes[first]
            first += 1
    return first


def _shorten_turn(turn: Sequence[AnyMessage], id: str, named: set[str]) -> list[AnyMessage]:
    """Return a turn with one of its calls, a write if it has one; the result of this call tells the results of all.

    Several writes are replaced by a call of RECALL, because one of them would seem to have changed the records of all.
    So is a write of text by others, of which no word is sent. The items in the result are added to those that were
    named before.
    """
    calls = [call for message in turn if isinstance(message, AIMessage) for call in message.tool_calls]
    if not calls:
        return [*turn]
    answers = {message.tool_call_id: message for message in turn if isinstance(message, ToolMessage)}
    results = [(call["name"], _tell_result(call, answers[str(call["id"])], named)) for call in calls]
    chosen = next((call for call in calls if call["name"] in WRITERS), calls[0])
    name, args = chosen["name"], map_texts(chosen["args"], partial(shorten, width=ARGUMENT))
    writes = [receipts for answer in answers.values() if (receipts := receipts_of(answer))]
    if len(writes) > 1 or any(_is_of_others(receipt) for receipts in writes for receipt in receipts):
        name, args = RECALL, {}
    called = AIMessage("", tool_calls=[ToolCall(name=name, args=args, id=id)])
    # not under the mark of a result, which a text that was written since may hold
    record = ToolMessage("\n".join(_join_same(results)), name=name, tool_call_id=id)
    talk = [m for m in turn if not isinstance(m, ToolMessage) and not call_ids(m)]
    begin = int(isinstance(turn[0], HumanMessage))
    return [*talk[:begin], called, record, *talk[begin:]]


def _is_of_others(receipt: Receipt) -> bool:
    """Whether any part of a written record is text by others."""
    return any("sources" in (receipt[when] or {}) for when in ("before", "after"))


def _tell_result(call: ToolCall, answer: ToolMessage, named: set[str]) -> str:
    """Return the result of a call, in a line for each record that it wrote."""
    value, receipts = read_object(answer.text), receipts_of(answer)
    if receipts:
        lines = [_tell_write(each, named) for each in receipts]
        if call["name"] == "undo":  # of no other call does the name say what became of a record
            lines = [f"{SIGNS[each['op']]} {line}" for each, line in zip(receipts, lines, strict=True)]
        return "\n".join([*([str(value["undo"])] if "undo" in value else []), *lines])
    if "error" in value:  # the items beside it are only like the one that was meant
        return shorten(_QUOTED.sub("“…”", str(value["error"])), LINE)
    items: dict[str, str] = {}
    for id, content in _list_items(value):  # history tells of an item many times, first what came last
        items.setdefault(id, content)
    if items:
        sums = shorten(f"; sums {json.dumps(value['sums'])}", LINE) if "sums" in value else ""
        return _tell_items([*items.items()], named) + sums
    if call["name"] == "calculator" and "result" in value:
        return shorten(f"{call['args'].get('expression')} = {value['result']}", LINE)
    return shorten(str(value.get("note") or answer.text), LINE)


def _tell_write(receipt: Receipt, named: set[str]) -> str:
    with speaking("en"):  # which a model reads
        id, text = str(receipt["id"]), describe_change(receipt)[2:]
    if receipt["kind"] == "line":  # the prompt shows it as it is
        return f"line {id}"
    if _is_of_others(receipt):
        return id
    if id in named:
        text = text.removeprefix(quote_title((receipt["after"] or receipt["before"])["content"])).strip()
    named.add(id)
    return f"{id} {shorten(text, LINE)}"


def _tell_items(items: Sequence[tuple[str, str]], named: set[str]) -> str:
    texts = [id if id in named else f"{id} {shorten(content, FIRST_LINE)}".strip() for id, content in items[:LISTED]]
    named.update(id for id, _ in items[:LISTED])
    return "; ".join([*texts, *([f"and {len(items) - LISTED} more"] if len(items) > LISTED else [])])


def _join_same(results: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the results, with the tool's name before the first in a row; equal results in a row appear once."""
    before = ""
    for (name, text), _ in groupby(results):
        yield text if name == before else f"{name}: {text}"
        before = name


def _list_items(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the id and content of each item in a result; for each change in a result of `history`, its id, verb and
    words.

    Text by others is left out: from an earlier turn only its id is sent.
    """
    if isinstance(value, list):
        for each in value:
            yield from _list_items(each)
    elif isinstance(value, Mapping):
        id, content = value.get("id"), value.get("content")
        if id is not None and content is not None:
            yield str(id), "" if "source" in value else str(content)
        elif id is not None and (changes := {key: text for key, text in value.items() if key in CHANGES}):
            yield from ((f"{id} {verb}", "" if "source" in value else str(text)) for verb, text in changes.items())
        else:
            yield from _list_items([*value.values()])
