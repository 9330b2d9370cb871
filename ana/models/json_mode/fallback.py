"""Native tool calls where the endpoint takes them, JSON decisions where it refuses them."""

import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.outputs.chat_generation import merge_chat_generation_chunks
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from ana.models.faults import foreign
from ana.models.json_mode.adapter import JsonDecisions

STATUSES = frozenset((400, 404, 405, 422, 500, 501))
_NAMES_TOOLS = re.compile(
    r"support(?:s|ed|ing)? tool|tool (?:use|calling|calls?|choice)\b.{0,40}\bnot\b|not .{0,40}\btool (?:use|calling)"
    r"|\"auto\" tool choice requires|\btools\b|\btool_choice\b|\bfunction[ _]call(?:ing|s)?\b",
    re.IGNORECASE,
)
"""OpenRouter ("No endpoints found that support tool use"), Ollama ("does not support tools"), vLLM ('"auto" tool choice
requires --enable-auto-tool-choice'), llama.cpp ("tools param requires --jinja"), and what names the field itself."""
_NAMES_MESSAGES = re.compile(r"tool_calls\b|tool_call_id|tool message|role '?\"?tool", re.IGNORECASE)
"""What is wrong is the conversation: no reason to give up native calls."""

_log = logging.getLogger(__name__)


def refuses_tools(exc: BaseException) -> bool:
    """Whether an endpoint's error says that it takes no tools."""
    said = str(exc)
    named = bool(_NAMES_TOOLS.search(said)) and not _NAMES_MESSAGES.search(said)
    return getattr(exc, "status_code", None) in STATUSES and named


class EitherWay(BaseChatModel):
    """Starts with native calls and, once refused, asks for JSON decisions as long as it lives.

    Args:
        native: The model with tool calls.
        spoken: The same, asked for decisions.
    """

    native: BaseChatModel
    spoken: JsonDecisions
    _refused: bool = PrivateAttr(default=False)

    @property
    def _llm_type(self) -> str:
        return "either-way"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        whole = merge_chat_generation_chunks(list(self._stream(messages, stop, **kwargs)))
        return ChatResult(generations=[ChatGeneration(message=whole.message)] if whole else [])

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        begun = False
        if not self._refused:
            try:
                for chunk in self._natively(messages, stop, **kwargs):
                    begun = True
                    yield ChatGenerationChunk(message=chunk)
            except foreign() as exc:
                if begun or not refuses_tools(exc):
                    raise
                self._refused = True
                _log.warning("the endpoint takes no tools (%s); asking for JSON decisions from now on", exc)
        if self._refused:
            yield from self.spoken._stream(messages, stop, **kwargs)

    def _natively(self, messages: list[BaseMessage], stop: list[str] | None, **kwargs: Any) -> Iterator[AIMessageChunk]:
        bound = self.native.bind_tools(kwargs.pop("tools", []), **kwargs)
        for chunk in bound.stream(messages, config={"tags": ["nostream"]}, stop=stop):
            yield chunk if isinstance(chunk, AIMessageChunk) else AIMessageChunk(**chunk.model_dump(exclude={"type"}))
