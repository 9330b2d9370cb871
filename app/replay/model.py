"""A recorded turn in place of the model and the tools, and a model that gets another prompt."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langgraph.types import interrupt
from pydantic import PrivateAttr, SkipValidation

from ana.errors import ModelFailed, ToolError
from ana.models.base import PROMPT_DATA, ModelWrapper, StreamingModel, stream_chunks, to_chunk
from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import DraftCheck, Record
from app.replay.recorded import Result, get_fields, list_decisions, list_results, make_question
from nodes.attachments import explain_unread
from nodes.calls import answer_refused
from nodes.history import list_unanswered_calls


class RecordedEnd(ModelFailed):
    """The end of a turn that cannot happen again: a model that failed, a person who stopped it, a limit of time.

    Its hint is the only text that the person gets.
    """

    def sentence(self) -> str:
        return self.hint


class Recording(StreamingModel):
    """The model and the tools of a recorded turn: it decides, checks and answers as recorded, and ends in the recorded
    way.
    """

    record: SkipValidation[Record]
    _decisions: Iterator[AIMessage] = PrivateAttr()
    _checks: Iterator[DraftCheck] = PrivateAttr()
    _results: list[Result] = PrivateAttr()
    """Of the calls that were not made yet."""
    _refused: list[tuple[str, dict[str, Any]]] = PrivateAttr()
    _went_elsewhere: bool = PrivateAttr(default=False)

    def model_post_init(self, _: Any) -> None:
        self._decisions, self._checks = iter(list_decisions(self.record)), iter(self.record.get("checks", []))
        self._results = list_results(self.record)
        self._refused = [(each[0]["tool"], each[0]["args"]) for each in self._results if _is_undecided(each)]

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        decides = PROMPT_DATA in messages[0].additional_kwargs
        yield ChatGenerationChunk(message=to_chunk(self._decide() if decides else self._check()))

    def _decide(self) -> AIMessage:
        if self._went_elsewhere:
            raise ModelFailed("It went another way than the recorded turn.")
        if (decision := next(self._decisions, None)) is not None:
            return decision
        if error := self.record["error"]:
            raise RecordedEnd(error, self.record["answer"].removesuffix(explain_unread(make_question(self.record))))
        raise ModelFailed("No further decision is recorded.")

    def _check(self) -> AIMessage:
        check = next(self._checks, None)
        if check is None or check["error"]:
            raise ModelFailed(check["error"] if check else "No further check is recorded.")
        return AIMessage(json.dumps({"untrue": check["untrue"]}))

    def answer(self, call: ToolCall) -> ToolMessage:
        """Return the recorded answer to a call. The turn stops at a call that was never answered.

        Raises:
            ToolError: No result of the call is recorded.
        """
        for result in self._results:
            step, answer = result
            if (step["tool"], step["args"]) == (call["name"], call["args"]):
                self._results.remove(result)
                if step["observation"] == INTERRUPTED or _is_undecided(result):
                    interrupt(None)
                return answer.model_copy(update={"tool_call_id": str(call["id"])})
        self._went_elsewhere = True
        raise ToolError(f"{call['name']} is not run in a replay, and no result is recorded.", "Do without it.")

    def refuse(self, messages: Sequence[AnyMessage]) -> list[ToolMessage]:
        """Return the answers to the calls that have certainly not run, because nobody decided about them."""
        calls = list_unanswered_calls(messages)
        return [answer_refused(call) for call in calls if (call["name"], call["args"]) in self._refused]


def _is_undecided(result: Result) -> bool:
    """Return whether nobody decided about a call; a declined call has a description instead."""
    step, answer = result
    refused = answer_refused(ToolCall(name=step["tool"], args={}, id=""))
    return answer.artifact is None and get_fields(step) == json.loads(refused.text)


class OtherPrompt(ModelWrapper):
    """A model that gets another system prompt.

    Args:
        fill: Makes the prompt from the data for the system prompt.
    """

    fill: Callable[[Any], str]

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        system, *rest = messages
        if data := system.additional_kwargs.get(PROMPT_DATA):
            system = system.model_copy(update={"content": self.fill(data)})
        for chunk in stream_chunks(self.inner, [system, *rest], stop, **kwargs):
            yield ChatGenerationChunk(message=chunk)
