"""The conversation before a turn, put together from the records of the earlier turns."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, InvalidToolCall, ToolCall, ToolMessage

from ana.errors import CannotReplay
from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import CONTINUED, FOLLOWED, INVALID, Inputs, Record, Step, find_fault, is_call
from graph.recording import digest_messages
from nodes.attachments import MARK
from nodes.reason import keep_progress
from nodes.receipt import make_answer, name_recorded
from tools.artifacts import Artifact, refuse_copy


def rebuild_history(record: Record, inputs: Inputs, thread: Sequence[Record]) -> list[AnyMessage]:
    """Return the messages that a turn found in its conversation.

    Args:
        inputs: What its record keeps for a replay.

    Raises:
        CannotReplay: They cannot be put together as they were.
    """
    left = {each["id"]: each for each in thread}
    earlier: list[Record] = []
    previous = record.get("previous")
    while len(earlier) < inputs["turns"] and previous in left:
        if fault := find_fault(left[previous], CONTINUED, CONTINUED | FOLLOWED | {"changes"}):
            raise CannotReplay(f"The record of the earlier turn {previous} is damaged: {fault}.")
        earlier.insert(0, left.pop(previous))  # a turn that follows itself must not go on for ever
        previous = earlier[0].get("previous")
    messages = list_messages(earlier)
    if digest_messages(messages) != inputs["history"]:
        raise CannotReplay("The conversation before this turn is no longer in the traces as it was.")
    return messages


def list_messages(records: Sequence[Record]) -> list[AnyMessage]:
    """Return the messages of turns, in order."""
    return [message for record in records for message in _list_messages(record)]


def make_question(record: Record, left_out: Sequence[str] = ()) -> HumanMessage:
    """Return the user message of a turn, with the mark of what was taken out of it."""
    marks = {MARK: list(left_out)} if left_out else {}
    return HumanMessage(record["question"], id=record.get("message") or None, additional_kwargs=marks)


def own_steps(record: Record) -> list[Step]:
    """Return the steps that are calls, without the drafts that were sent back."""
    return [step for step in record["steps"] if step["tool"] == INVALID or is_call(step)]


def _list_messages(record: Record) -> Iterator[AnyMessage]:
    yield make_question(record)
    steps = iter(own_steps(record))
    for number, decision in enumerate(record["decisions"], 1):
        yield from _list_call_messages(record, decision, f"{record['id']}-{number}", steps)
    is_known = "changes" in record and all(step["observation"] != INTERRUPTED for step in record["steps"])
    recorded = name_recorded(record["changes"]) if is_known else ""
    yield make_answer(record["answer"], record.get("receipt", ""), recorded, f"{record['id']}-answer")


def _list_call_messages(
    record: Record, decision: Mapping[str, Any], id: str, steps: Iterator[Step]
) -> Iterator[AnyMessage]:
    """Yield the message of a decision with calls, and their answers; nothing for one whose calls did not run."""
    broken = decision["invalid_tool_calls"]
    count = len(decision["tool_calls"])
    taken = list(islice(steps, count + len(broken)))
    if not taken:
        return
    calls = [_make_call(step, f"{id}-{n}") for n, step in enumerate(taken[:count])]
    invalid = [make_invalid_call(call, f"{id}-{n}") for n, call in enumerate(broken, count)]
    text = keep_progress(decision["text"], decision["tool_calls"])
    yield AIMessage(text, id=id, tool_calls=calls, invalid_tool_calls=invalid)
    for n, step in enumerate(taken):
        if step["observation"] != INTERRUPTED:
            yield _make_answer(step, f"{id}-{n}")


def make_invalid_call(call: Mapping[str, Any], id: str) -> InvalidToolCall:
    """Return a recorded call that could not be read."""
    error = call.get("error")
    return InvalidToolCall(type="invalid_tool_call", name=call["name"], args=call["args"], id=id, error=error)


def _make_call(step: Step, id: str) -> ToolCall:
    """Return a step's call as the person let it run."""
    if step["tool"] == INVALID and "raw" not in step["args"]:
        return ToolCall(name=step["args"]["tool"], args=step["args"]["args"], id=id)
    return ToolCall(name=step["tool"], args=step["args"], id=id)


def _make_answer(step: Step, id: str) -> ToolMessage:
    status = "error" if failed(step) else "success"
    return ToolMessage(
        text_of(step), name=step["tool"], tool_call_id=id, artifact=_find_refused_copy(step), status=status
    )


def text_of(step: Step) -> str:
    """Return an observation as the model was told it."""
    seen = step["observation"]
    return seen if isinstance(seen, str) else json.dumps(seen, ensure_ascii=False)


def failed(step: Step) -> bool:
    """Return whether a call was answered with an error."""
    return dict_of(step).keys() == {"error", "hint"}


def dict_of(step: Step) -> dict[str, Any]:
    """Return a step's observation if it is an object, else an empty one."""
    seen = step["observation"]
    return seen if isinstance(seen, dict) else {}


def _find_refused_copy(step: Step) -> Artifact | None:
    """Return the mark of a copy that was not stored: whether it may be stored in the next turn depends on it."""
    existing = dict_of(step).get("existing")
    if step["tool"] != "create_item" or not isinstance(existing, dict):
        return None
    return refuse_copy(str(existing.get("id")), str(existing.get("content")))
