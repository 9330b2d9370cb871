"""A recorded turn as messages: its decisions, the answers to its calls, and the conversation before it."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, InvalidToolCall, ToolCall, ToolMessage

from ana.errors import CannotReplay
from ana.models.base import MARKS
from ana.models.call import REFUSED
from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import (
    CONTINUED,
    FOLLOWED,
    INVALID,
    Record,
    RecordedDecision,
    Step,
    find_fault,
    is_call,
)
from nodes.attachments import MARK
from nodes.history import call_ids
from nodes.reason import make_message
from nodes.receipt import make_answer, name_recorded
from tools.artifacts import Artifact

Result: TypeAlias = tuple[Step, ToolMessage]
"""A call, and the message that answers it."""


def list_results(record: Record) -> list[Result]:
    """Return the calls of a turn with their answers, without the drafts that were sent back."""
    inputs, changes = record.get("replay"), iter(record.get("changes", []))
    artifacts = inputs.get("artifacts", {}) if inputs else {}
    results: list[Result] = []
    for step in (step for step in record["steps"] if step["tool"] == INVALID or is_call(step)):
        artifact = artifacts.get(str(len(results)))
        mark: Artifact | None = {"changes": [*islice(changes, artifact)]} if isinstance(artifact, int) else artifact
        results.append((step, _make_answer(step, mark)))
    return results


def _make_answer(step: Step, artifact: Artifact | None) -> ToolMessage:
    result = step["observation"]
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    status = "error" if isinstance(result, dict) and {"error", "hint"} <= result.keys() else "success"
    return ToolMessage(text, name=step["tool"], tool_call_id="", artifact=artifact, status=status)


def list_decisions(record: Record) -> list[AIMessage]:
    """Return the replies of a turn's model as they were recorded.

    If the person decided about calls, the calls are in the form in which they ran.
    """
    is_decided = "given" in record.get("replay", {})
    return [_make_decision(each, results if is_decided else [], "") for each, results in _list_decided(record)]


def _list_decided(record: Record) -> list[tuple[RecordedDecision, list[Result]]]:
    """Return the decisions of a turn, each with the results of those calls that ran."""
    results = iter(list_results(record))
    counts = ((each, len(each["tool_calls"]) + len(each["invalid_tool_calls"])) for each in record["decisions"])
    return [(decision, [*islice(results, count)]) for decision, count in counts]


def _make_decision(decision: RecordedDecision, results: Sequence[Result], id: str) -> AIMessage:
    """Return a decision as the model made it, but with the calls from the results if these differ."""
    called = enumerate(decision["tool_calls"])
    calls = [ToolCall(name=call["name"], args=call["args"], id=f"{id}-{number}") for number, call in called]
    for call, (step, _) in zip(calls, results, strict=False):
        if step["tool"] != INVALID:
            call |= {"name": step["tool"], "args": step["args"]}
    broken: list[InvalidToolCall] = []
    for number, unread in enumerate(decision["invalid_tool_calls"], len(calls)):
        name, args, error = unread["name"], unread["args"], unread.get("error")
        broken.append(InvalidToolCall(type="invalid_tool_call", name=name, args=args, id=f"{id}-{number}", error=error))
    metadata: dict[str, Any] = {mark: True for mark in MARKS if decision.get(mark)}
    if broken and not calls and broken[0]["error"]:  # a reader may have refused what JSON alone would take
        metadata[REFUSED] = broken[0]["error"]
    return AIMessage(decision["text"], id=id, tool_calls=calls, invalid_tool_calls=broken, response_metadata=metadata)


def make_question(record: Record) -> HumanMessage:
    """Return the user message of a turn, with the mark of removed attachments."""
    inputs = record.get("replay")
    marks = {MARK: inputs["left_out"]} if inputs and inputs["left_out"] else {}
    return HumanMessage(record["question"], id=record.get("message") or None, additional_kwargs=marks)


def rebuild_history(record: Record, thread: Sequence[Record]) -> list[AnyMessage]:
    """Return the messages that were in the conversation before a turn.

    Raises:
        CannotReplay: Records of earlier turns are gone, or damaged.
    """
    by_id = {each["id"]: each for each in thread}
    earlier: list[Record] = []
    previous = record.get("previous")
    while len(earlier) < record["replay"]["turns"]:
        found = by_id.pop(previous or "", None)  # a turn that follows itself must not go on forever
        if found is None:
            raise CannotReplay("The conversation before this turn is no longer in the traces as it was.")
        if fault := find_fault(found, CONTINUED, CONTINUED | FOLLOWED | {"changes", "replay"}):
            raise CannotReplay(f"The record of the earlier turn {previous} is damaged: {fault}.")
        earlier.insert(0, found)
        previous = found.get("previous")
    return list_messages(earlier)


def list_messages(records: Sequence[Record]) -> list[AnyMessage]:
    """Return the messages of turns, in order."""
    return [message for record in records for message in _list_messages(record)]


def _list_messages(record: Record) -> Iterator[AnyMessage]:
    yield make_question(record)
    for number, (decision, results) in enumerate(_list_decided(record), 1):
        if results:  # else it has no calls, or they did not run
            message = make_message(_make_decision(decision, results, f"{record['id']}-{number}"))
            yield message
            for id, (step, answer) in zip(call_ids(message), results, strict=False):
                if step["observation"] != INTERRUPTED:
                    yield answer.model_copy(update={"tool_call_id": id})
    is_known = "changes" in record and all(step["observation"] != INTERRUPTED for step in record["steps"])
    recorded = name_recorded(record["changes"]) if is_known else ""
    receipt, day = record.get("receipt", ""), record["ts"][:10]
    yield make_answer(record["answer"], receipt, recorded, f"{record['id']}-answer", day)
