"""Native tool calls where the endpoint takes them, JSON decisions where it refuses them."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr

from ana.models.base import ModelWrapper, bind_options, stream_chunks
from ana.models.json_mode.adapter import JsonDecisions
from ana.models.json_mode.refusals import Refusals, refuses_tools

_WARNING = "the endpoint does not take tools (%s); asking for JSON decisions from now on"


class ToolCallFallback(ModelWrapper):
    """Starts with native calls and, where they were refused once, asks for JSON decisions as long as it lives.

    Args:
        inner: The model with tool calls.
        json_decisions: The same model, asked for decisions.
    """

    json_decisions: JsonDecisions
    _refusals: Refusals = PrivateAttr(default_factory=lambda: Refusals(refuses_tools, _WARNING))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        *,
        tools: Sequence[Any] = (),
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        def ask_natively() -> Iterator[ChatGenerationChunk]:
            for chunk in stream_chunks(self.inner, messages, stop, **bind_options(self.inner, tools, **kwargs)):
                yield ChatGenerationChunk(message=chunk)

        def ask_for_decision() -> Iterator[ChatGenerationChunk]:
            return self.json_decisions._stream(messages, stop, tools=tools, **kwargs)

        yield from self._refusals.stream(kwargs.get("model"), ask_natively, ask_for_decision)
