"""A recorded turn in place of the model and the tools."""

import json
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langgraph.types import interrupt
from pydantic import PrivateAttr, SkipValidation

from ana.errors import ModelFailed, ToolError
from ana.models.base import PROMPT_DATA, StreamingModel, to_chunk
from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import DraftCheck, Record
from app.replay.recorded import Result, list_decisions, list_results, make_question
from nodes.attachments import explain_unread


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

    def model_post_init(self, _: Any) -> None:
        self._decisions, self._checks = iter(list_decisions(self.record)), iter(self.record.get("checks", []))
        self._results = list_results(self.record)

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        decides = PROMPT_DATA in messages[0].additional_kwargs
        yield ChatGenerationChunk(message=to_chunk(self._decide() if decides else self._check()))

    def _decide(self) -> AIMessage:
        if (decision := next(self._decisions, None)) is not None:
            return decision
        if error := self.record["error"]:
            raise RecordedEnd(error, self.record["answer"].removesuffix(explain_unread(make_question(self.record))))
        raise ModelFailed("It went another way than the recorded turn.")

    def _check(self) -> AIMessage:
        check = next(self._checks, None)
        if check is None or check["error"]:
            raise ModelFailed(check["error"] if check else "No further check is recorded.")
        return AIMessage(json.dumps({"untrue": check["untrue"]}))

    def answer(self, call: ToolCall) -> ToolMessage:
        """Return the recorded answer to a call. The turn stops at a call that was never answered, and nothing more is
        decided after one that was not made.

        Raises:
            ToolError: No result of the call is recorded.
        """
        for result in self._results:
            step, answer = result
            if (step["tool"], step["args"]) == (call["name"], call["args"]):
                if step["observation"] == INTERRUPTED:
                    interrupt(None)
                self._results.remove(result)
                return answer.model_copy(update={"tool_call_id": str(call["id"])})
        self._decisions = iter(())  # what was decided later, was decided after the recorded result
        raise ToolError(f"{call['name']} is not run in a replay, and no result is recorded.", "Do without it.")
