"""The conversation before a turn, put together from the records of the earlier turns."""

from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, InvalidToolCall, ToolCall

from ana.errors import CannotReplay
from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import (
    CONTINUED,
    FOLLOWED,
    INVALID,
    BrokenCall,
    Inputs,
    Record,
    RecordedDecision,
    Step,
    find_fault,
)
from app.replay.results import Result, list_decided, make_message
from nodes.attachments import MARK
from nodes.reason import keep_progress
from nodes.receipt import make_answer, name_recorded


def rebuild_history(record: Record, inputs: Inputs, thread: Sequence[Record]) -> list[AnyMessage]:
    """Return the messages that a turn found in its conversation.

    Args:
        inputs: What its record keeps for a replay.

    Raises:
        CannotReplay: Records of earlier turns are gone, or damaged.
    """
    by_id = {each["id"]: each for each in thread}
    earlier: list[Record] = []
    previous = record.get("previous")
    while len(earlier) < inputs["turns"] and previous in by_id:
        if fault := find_fault(by_id[previous], CONTINUED, CONTINUED | FOLLOWED | {"changes", "replay"}):
            raise CannotReplay(f"The record of the earlier turn {previous} is damaged: {fault}.")
        earlier.insert(0, by_id.pop(previous))  # a turn that follows itself must not go on forever
        previous = earlier[0].get("previous")
    if len(earlier) < inputs["turns"]:
        raise CannotReplay("The conversation before this turn is no longer in the traces as it was.")
    return list_messages(earlier)


def list_messages(records: Sequence[Record]) -> list[AnyMessage]:
    """Return the messages of turns, in order."""
    return [message for record in records for message in _list_messages(record)]


def make_question(record: Record, kinds: Sequence[str] = ()) -> HumanMessage:
    """Return the user message of a turn, with the mark of what was taken out of it."""
    marks = {MARK: list(kinds)} if kinds else {}
    return HumanMessage(record["question"], id=record.get("message") or None, additional_kwargs=marks)


def _list_messages(record: Record) -> Iterator[AnyMessage]:
    yield make_question(record)
    for number, (decision, results) in enumerate(list_decided(record), 1):
        yield from _list_call_messages(decision, f"{record['id']}-{number}", results)
    is_known = "changes" in record and all(step["observation"] != INTERRUPTED for step in record["steps"])
    recorded = name_recorded(record["changes"]) if is_known else ""
    receipt, day = record.get("receipt", ""), record["ts"][:10]
    yield make_answer(record["answer"], receipt, recorded, f"{record['id']}-answer", day)


def _list_call_messages(decision: RecordedDecision, id: str, results: Sequence[Result]) -> Iterator[AnyMessage]:
    """Yield the message of a decision with calls, and their answers; nothing for one whose calls did not run."""
    if not results:
        return
    broken, count = decision["invalid_tool_calls"], len(decision["tool_calls"])
    calls = [_make_call(step, f"{id}-{n}") for n, (step, _) in enumerate(results[:count])]
    invalid = [make_invalid_call(call, f"{id}-{n}") for n, call in enumerate(broken, count)]
    text = keep_progress(decision["text"], decision["tool_calls"])
    yield AIMessage(text, id=id, tool_calls=calls, invalid_tool_calls=invalid)
    for n, result in enumerate(results):
        if result[0]["observation"] != INTERRUPTED:
            yield make_message(result, f"{id}-{n}")


def make_invalid_call(call: BrokenCall, id: str) -> InvalidToolCall:
    """Return a recorded call that could not be read."""
    error = call.get("error")
    return InvalidToolCall(type="invalid_tool_call", name=call["name"], args=call["args"], id=id, error=error)


def _make_call(step: Step, id: str) -> ToolCall:
    """Return a step's call as the person let it run."""
    if step["tool"] == INVALID and "raw" not in step["args"]:
        return ToolCall(name=step["args"]["tool"], args=step["args"]["args"], id=id)
    return ToolCall(name=step["tool"], args=step["args"], id=id)
