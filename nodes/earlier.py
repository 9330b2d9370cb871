"""The conversation as a model is sent it: older turns in a few lines each, of the newest what they called as one call.

The messages that are kept stay as they are. A turn is shortened when it is over, and which turns stand as messages
changes only now and then: what is sent begins as the call before did, and a provider's cache holds.
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
from ana.translation import speaking
from ana.values import read_object
from nodes.history import FILL, call_ids, cut_message, cut_middle, estimate_all, map_texts, split_turns
from nodes.receipt import RECORDED, find_day
from tools.artifacts import Receipt, receipts_of
from tools.catalog import TOOLS, WRITERS

MOST_WHOLE = 1_000
"""Tokens of earlier turns that are sent as messages; the turn before this one always is."""

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

RECALL = "recall_conversation"
"""The call that stands for what was said and done earlier; no tool has this name."""

IDS = ("id", "line", "turn")
"""Arguments that name what a call changes, and hold no text."""

MOST_MESSAGE, MOST_ANSWERED = 4_000, 160
"""Characters that are told of a message and of an answer of an earlier day."""

MOST_HITS = 8
"""Items that are named of what an older turn looked up."""

_QUOTED = re.compile("“[^“”]*”")
"""Stored text in an error, whoever told it."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")

WHOLE_ABOVE = " [whole above]"
SAME_ERROR = '{"error": "The same as of the call before."}'


def divide_history(messages: Sequence[AnyMessage], today: str, budget: int) -> tuple[str, list[AnyMessage]]:
    """Return a text about older turns, a paragraph for each speaker, and the messages of the newest turns.

    Args:
        messages: A valid list: each call is answered.
        today: The day of this turn, ISO 8601. Of an earlier day only the last turn is sent as messages.
        budget: Of tokens; no text of an earlier turn takes more than half of it.
    """
    *earlier, this = split_turns(messages)
    first, named, paragraphs, longest = _find_first_whole(earlier, today), set[str](), list[str](), 2 * budget
    for turn in earlier[:first]:
        question_size, answered = (longest, longest) if find_day(turn) == today else (MOST_MESSAGE, MOST_ANSWERED)
        paragraphs.append(tell_turn(turn, named, question_size, answered))
    whole = [m for n, turn in enumerate(earlier[first:]) for m in _shorten_turn(turn, f"e{first + n}", named)]
    return "\n".join(paragraphs), [*(cut_message(message, longest) for message in whole), *_name_repeated(this)]


def tell_turn(turn: Sequence[AnyMessage], named: set[str], question_size: int, answered: int) -> str:
    """Return the messages of a turn with speaker and time, its first look-up, and its record.

    Args:
        named: The items that were named before, and are told by their ids; those of this turn are added.
        question_size: Characters of the person's message.
        answered: Characters of the answer.
    """
    hits = [pair for message in turn if isinstance(message, ToolMessage) for pair in _list_hits(message)]
    new = [(id, content) for id, content in dict(hits).items() if id not in named]
    lines = [f"Looked up: {_tell_items(new, named, MOST_HITS)}"] if new else []
    for message in turn:
        if isinstance(message, HumanMessage):
            lines.insert(0, f"{find_day(turn)} Person: {_indent(cut_middle(message.text, question_size))}".strip())
        elif isinstance(message, AIMessage) and not call_ids(message):
            lines.append(f"Assistant: {_indent(_shorten_answer(message.text, answered))}")
            if recorded := message.additional_kwargs.get(RECORDED):
                lines.append(f"Recorded: {_name_written(str(recorded), turn, named)}")
    return "\n".join(lines)


def _list_hits(message: ToolMessage) -> Iterator[tuple[str, str]]:
    return _list_items(read_object(message.text).get("items")) if message.name == "query_items" else iter(())


def _name_written(recorded: str, turn: Sequence[AnyMessage], named: set[str]) -> str:
    """Return what was recorded, with first words beside the ids of the items that were not named before."""
    for receipt in (receipt for message in turn for receipt in receipts_of(message)):
        id, record = str(receipt["id"]), receipt["after"] or receipt["before"]
        if receipt["kind"] == "item" and id not in named and not _is_of_others(receipt):
            recorded = recorded.replace(id, f"{id} {shorten(record['content'], FIRST_LINE)}", 1)
            named.add(id)
    return recorded


def _indent(text: str) -> str:
    """Return a text none of whose lines begins as one of ours does, whatever it quotes."""
    return "\n  ".join(text.strip().splitlines())


def _shorten_answer(text: str, longest: int) -> str:
    """Return a text; of one that is too long, how it begins and its last sentence, which may ask something."""
    if len(text) <= longest:
        return text
    last = _SENTENCE_END.split(text.strip())[-1]
    return f"{shorten(text, longest * 2 // 3)} … {shorten(last, longest // 3)}"


def _find_first_whole(turns: Sequence[Sequence[AnyMessage]], today: str) -> int:
    """Return the place of the first turn that is sent as messages.

    Where one more would be too much, several leave, so that what is sent begins alike for some turns.
    """
    first, size = 0, 0
    for last, turn in enumerate(turns):
        size += _estimate(turn)
        limit = MOST_WHOLE if size <= MOST_WHOLE else int(MOST_WHOLE * FILL)
        while first < last and (size > limit or find_day(turns[first]) != today):
            size -= _estimate(turns[first])
            first += 1
    return first


def _estimate(turn: Sequence[AnyMessage]) -> int:
    return estimate_all([message for message in turn if not isinstance(message, ToolMessage)])


def _shorten_turn(turn: Sequence[AnyMessage], id: str, named: set[str]) -> list[AnyMessage]:
    """Return a turn with one of its calls, a write if there is one, whose result says what all of them came to.

    Several writes stand as a call of RECALL: one of them would seem to have changed the records of all. The items that
    it names are added to those that were named before.
    """
    calls = [call for message in turn if isinstance(message, AIMessage) for call in message.tool_calls]
    if not calls:
        return [*turn]
    answers = {message.tool_call_id: message for message in turn if isinstance(message, ToolMessage)}
    chosen = _choose_call(calls, answers)
    results = [(call["name"], _tell_result(call, answers[str(call["id"])], named)) for call in calls]
    args = map_texts(chosen["args"], partial(shorten, width=ARGUMENT))
    if _writes_others(answers[str(chosen["id"])]):
        args = {name: id for name, id in args.items() if name in IDS}
    name = chosen["name"]
    if sum(bool(receipts_of(answers[str(call["id"])])) for call in calls) > 1:
        name, args = RECALL, {}
    called = AIMessage("", tool_calls=[ToolCall(name=name, args=args, id=id)])
    # not under the mark of a result, which a text that was written since may hold
    record = ToolMessage("\n".join(_join_same(results)), name=name, tool_call_id=id)
    talk = [m for m in turn if not isinstance(m, ToolMessage) and not call_ids(m)]
    begin = sum(isinstance(message, HumanMessage) for message in turn[:1])
    return [*talk[:begin], called, record, *talk[begin:]]


def _choose_call(calls: Sequence[ToolCall], answers: Mapping[str, ToolMessage]) -> ToolCall:
    """Return the call that stands for all: a write if there is one, and if it can be none of what others told."""
    own = [call for call in calls if not _writes_others(answers[str(call["id"])])] or calls
    return next((call for call in own if call["name"] in WRITERS), own[0])


def _writes_others(answer: ToolMessage) -> bool:
    return any(map(_is_of_others, receipts_of(answer)))


def _is_of_others(receipt: Receipt) -> bool:
    """Whether others told any of a record that was written."""
    return any("sources" in (receipt[when] or {}) for when in ("before", "after"))


def _tell_result(call: ToolCall, answer: ToolMessage, named: set[str]) -> str:
    """Return what a call came to, in a line for each record that it wrote."""
    value, receipts = read_object(answer.text), receipts_of(answer)
    if receipts:
        is_undo = call["name"] == "undo"
        undo = [str(value["undo"])] if "undo" in value else []
        # of no other call does the name say what became of a record
        signs = [f"{SIGNS[receipt['op']]} " if is_undo else "" for receipt in receipts]
        return "\n".join(
            [*undo, *(sign + _tell_write(each, named) for sign, each in zip(signs, receipts, strict=True))]
        )
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


def _tell_items(items: Sequence[tuple[str, str]], named: set[str], most: int = LISTED) -> str:
    texts = [id if id in named else f"{id} {shorten(content, FIRST_LINE)}".strip() for id, content in items[:most]]
    named.update(id for id, _ in items[:most])
    return "; ".join([*texts, *([f"and {len(items) - most} more"] if len(items) > most else [])])


def _join_same(results: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the results, the tool's name before the first of a row; the same one in a row, of a refused batch, once."""
    before = ("", "")
    for name, text in results:
        if text != before[1]:
            yield text if name == before[0] else f"{name}: {text}"
        before = (name, text)


def _name_repeated(turn: Sequence[AnyMessage]) -> Iterator[AnyMessage]:
    """Yield a turn's messages: a long content that was shown before only named, an error of a whole batch told once."""
    contents: dict[str, str] = {}
    before = ""
    for message in turn:
        text = message.text if isinstance(message, ToolMessage) else ""
        if isinstance(message, ToolMessage):
            if text == before and message.status == "error" and len(text) > len(SAME_ERROR):
                message = message.model_copy(update={"content": SAME_ERROR})
            elif message.name in TOOLS and (new := _cut_repeated(value := read_object(text), contents)) != value:
                message = message.model_copy(update={"content": json.dumps(new, ensure_ascii=False)})
        yield message
        before = text


def _cut_repeated(value: Any, contents: dict[str, str]) -> Any:
    """Return a result in which the long contents that were shown before are cut; what it shows is added to those."""
    if isinstance(value, list):
        return [_cut_repeated(each, contents) for each in value]
    if not isinstance(value, dict):
        return value
    id, content = value.get("id"), value.get("content")
    if not isinstance(id, str) or not isinstance(content, str):
        return {key: _cut_repeated(each, contents) for key, each in value.items()}
    if len(content) > LONG and contents.get(id) == content:
        return value | {"content": shorten(content, FIRST_LINE) + WHOLE_ABOVE}
    contents[id] = content
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
        elif id is not None and (changes := {key: text for key, text in value.items() if key in CHANGES}):
            yield from ((f"{id} {verb}", "" if "source" in value else str(text)) for verb, text in changes.items())
        else:
            yield from _list_items([*value.values()])
