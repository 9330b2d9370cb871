"""What the calls of a recorded turn were answered, as messages; and these in the place of tools."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from langchain_core.messages import AnyMessage, ToolCall, ToolMessage
from langgraph.types import interrupt

from ana.errors import ToolError
from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import INVALID, Record, RecordedDecision, Step, is_call
from nodes.calls import answer_refused
from nodes.history import list_unanswered_calls
from tools.artifacts import Artifact, decline, refuse_copy

Result: TypeAlias = tuple[Step, Artifact | None]
"""A call with its observation, and what its message carried besides."""


def list_results(record: Record) -> list[Result]:
    """Return the calls of a turn with what they were answered, without the drafts that were sent back."""
    steps = [step for step in record["steps"] if step["tool"] == INVALID or is_call(step)]
    return [*zip(steps, _iter_artifacts(record, steps), strict=True)]


def list_decided(record: Record) -> list[tuple[RecordedDecision, list[Result]]]:
    """Return the decisions of a turn, each with the results of its calls; none of those that did not run."""
    results = iter(list_results(record))
    counts = ((each, len(each["tool_calls"]) + len(each["invalid_tool_calls"])) for each in record["decisions"])
    return [(decision, [*islice(results, count)]) for decision, count in counts]


def _iter_artifacts(record: Record, steps: Sequence[Step]) -> Iterator[Artifact | None]:
    changes, inputs = iter(record.get("changes", [])), record.get("replay")
    wrote = dict(enumerate(inputs.get("wrote", []))) if inputs else {}
    declined = inputs.get("declined", {}) if inputs else {}
    for number, step in enumerate(steps):
        own = [change for _, change in zip(range(wrote.get(number, 0)), changes, strict=False)]
        if own:
            yield {"changes": own}
        elif str(number) in declined:
            yield decline(declined[str(number)])
        else:
            yield {"why": step["why"]} if "why" in step else _find_refused_copy(step)


def _find_refused_copy(step: Step) -> Artifact | None:
    """Return the mark of a copy that was not stored: whether it may be stored in the next turn depends on it."""
    observation = _dict_of(step)
    existing = observation.get("existing")
    if step["tool"] == "append_context" and "note" in observation:
        return refuse_copy(str(observation.get("line")), str(observation.get("content")))
    if step["tool"] != "create_item" or not isinstance(existing, dict):
        return None
    return refuse_copy(str(existing.get("id")), str(existing.get("content")))


def make_message(result: Result, id: str) -> ToolMessage:
    """Return the message that answers a call."""
    step, artifact = result
    observation = step["observation"]
    text = observation if isinstance(observation, str) else json.dumps(observation, ensure_ascii=False)
    status = "error" if "error" in _dict_of(step) and "hint" in _dict_of(step) else "success"
    return ToolMessage(text, name=step["tool"], tool_call_id=id, artifact=artifact, status=status)


def _dict_of(step: Step) -> dict[str, Any]:
    """Return a step's observation if it is an object, else an empty one."""
    observation = step["observation"]
    return observation if isinstance(observation, dict) else {}


class RecordedResults:
    """Answers calls as they were answered in a recorded turn; no tool runs.

    Args:
        record: The turn.
    """

    def __init__(self, record: Record) -> None:
        self.is_other = False
        """Whether there was a call that no result is recorded of."""
        self._results = results = list_results(record)
        self._refused = [(step["tool"], step["args"]) for step, artifact in results if _is_undecided(step, artifact)]

    def answer(self, call: ToolCall) -> ToolMessage:
        """Return the recorded answer to a call. The turn stops at a call that was never answered.

        Raises:
            ToolError: No result of the call is recorded.
        """
        same = ((s, a) for s, a in self._results if (s["tool"], s["args"]) == (call["name"], call["args"]))
        result = next(same, None)
        if result is None:
            self.is_other = True
            raise ToolError(f"{call['name']} is not run in a replay, and no result is recorded.", "Do without it.")
        self._results.remove(result)
        if result[0]["observation"] == INTERRUPTED or _is_undecided(*result):
            interrupt(None)
        return make_message(result, str(call["id"]))

    def refuse(self, messages: Sequence[AnyMessage]) -> list[ToolMessage]:
        """Return the answers to the calls that have certainly not run, because nobody decided about them."""
        calls = list_unanswered_calls(messages)
        return [answer_refused(call) for call in calls if (call["name"], call["args"]) in self._refused]


def _is_undecided(step: Step, artifact: Artifact | None) -> bool:
    """Return whether nobody decided about a call; one that the person declined says what it would have done."""
    refused = answer_refused(ToolCall(name=step["tool"], args={}, id=""))
    return artifact is None and _dict_of(step) == json.loads(refused.text)
