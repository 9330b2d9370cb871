"""Models for a replay: one that decides as was recorded, and one that is shown another prompt."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr, SkipValidation

from ana.errors import ModelFailed
from ana.models.base import MARKS, PROMPT_DATA, ModelWrapper, StreamingModel, stream_chunks, to_chunk
from ana.models.call import REFUSED
from ana.tracing.schema import Record, RecordedDecision
from app.replay.history import make_invalid_call
from app.replay.results import RecordedResults, Result, list_decided


class RecordedEnd(ModelFailed):
    """The end of a turn that cannot happen again: a model that failed, a person who stopped it, a limit of time.

    Args:
        draft: What the person was told.
    """

    def __init__(self, record: Record, draft: str) -> None:
        super().__init__(str(record["error"]))
        self._draft = draft

    def sentence(self) -> str:
        return self._draft


class RecordedModel(StreamingModel):
    """Decides as was recorded, then ends as was recorded.

    Args:
        end: The draft that it ended with where no decision did.
        results: What the calls are answered; after one that was not recorded nothing more is decided.
    """

    record: SkipValidation[Record]
    end: str
    results: SkipValidation[RecordedResults]
    _next: int = PrivateAttr(default=0)
    _checked: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        decides = PROMPT_DATA in messages[0].additional_kwargs
        yield ChatGenerationChunk(message=to_chunk(self._decide() if decides else self._check()))

    def _decide(self) -> AIMessage:
        if self.results.is_other:
            raise ModelFailed("It went another way than the recorded turn.")
        decisions = list_decisions(self.record)
        if self._next == len(decisions):
            if self.record["error"]:
                raise RecordedEnd(self.record, self.end)
            raise ModelFailed("No further decision is recorded.")
        self._next += 1
        return decisions[self._next - 1]

    def _check(self) -> AIMessage:
        checks = self.record.get("checks", [])[self._checked :]
        self._checked += 1
        if not checks or checks[0]["error"]:
            raise ModelFailed(checks[0]["error"] if checks else "No further check is recorded.")
        return AIMessage(json.dumps({"untrue": checks[0]["untrue"]}))


class OtherPrompt(ModelWrapper):
    """A model that is shown another system prompt.

    Args:
        fill: Makes it from what the system prompt is rendered from.
    """

    fill: Callable[[Any], str]

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        rewritten = [self._exchange(message) for message in messages]
        for chunk in stream_chunks(self.inner, rewritten, stop, **kwargs):
            yield ChatGenerationChunk(message=chunk)

    def _exchange(self, message: BaseMessage) -> BaseMessage:
        data = message.additional_kwargs.get(PROMPT_DATA)
        return message.model_copy(update={"content": self.fill(data)}) if data else message


def list_decisions(record: Record) -> list[AIMessage]:
    """Return the replies of a turn's model, which say and mean what was recorded.

    Where the person decided about calls, these are as they let them run.
    """
    is_decided = "given" in record.get("replay", {})
    return [_make_reply(each, results if is_decided else []) for each, results in list_decided(record)]


def _make_reply(decision: RecordedDecision, results: Sequence[Result]) -> AIMessage:
    calls = []
    for number, call in enumerate(decision["tool_calls"]):
        ran = results[number][0] if number < len(results) else None
        args = ran["args"] if ran and ran["tool"] == call["name"] else call["args"]
        calls.append(ToolCall(name=call["name"], args=args, id=f"call-{number}"))
    broken = [make_invalid_call(call, f"broken-{n}") for n, call in enumerate(decision["invalid_tool_calls"])]
    metadata: dict[str, Any] = {mark: True for mark in MARKS if decision.get(mark)}
    if broken and not calls and broken[0]["error"]:  # a reader may have refused what JSON alone would take
        metadata[REFUSED] = broken[0]["error"]
    return AIMessage(decision["text"], tool_calls=calls, invalid_tool_calls=broken, response_metadata=metadata)
