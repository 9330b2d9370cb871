"""Native tool calls where the endpoint takes them, JSON decisions where it refuses them."""

import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr

from ana.models.base import ModelWrapper, bind_options, stream_chunks
from ana.models.faults import provider_errors
from ana.models.json_mode.adapter import JsonDecisions

STATUSES = frozenset((400, 404, 405, 422, 500, 501))
_NAMES_TOOLS = re.compile(
    r"support(?:s|ed|ing)? tool|tool (?:use|calling|calls?|choice)\b.{0,40}\bnot\b|not .{0,40}\btool (?:use|calling)"
    r"|\"auto\" tool choice requires|\btools\b|\btool_choice\b|\bfunction[ _]call(?:ing|s)?\b",
    re.IGNORECASE,
)
"""OpenRouter ("No endpoints found that support tool use"), Ollama ("does not support tools"), vLLM ('"auto" tool choice
requires --enable-auto-tool-choice'), llama.cpp ("tools param requires --jinja"), and errors that name the field."""
_NAMES_MESSAGES = re.compile(r"tool_calls\b|tool_call_id|tool message|role '?\"?tool", re.IGNORECASE)
"""Errors about tools in the conversation, not about the field: no reason to give up native calls."""

_log = logging.getLogger(__name__)


def refuses_tools(exc: BaseException) -> bool:
    """Whether an endpoint's error says that it does not take tools."""
    said = str(exc)
    named = bool(_NAMES_TOOLS.search(said)) and not _NAMES_MESSAGES.search(said)
    return getattr(exc, "status_code", None) in STATUSES and named


class ToolCallFallback(ModelWrapper):
    """Starts with native calls and, where they were refused once, asks for JSON decisions as long as it lives.

    Args:
        inner: The model with tool calls.
        json_decisions: The same model, asked for decisions.
    """

    json_decisions: JsonDecisions
    _refused: set[str | None] = PrivateAttr(default_factory=set)
    """The models that were, by name; None is the endpoint's own."""

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        *,
        tools: Sequence[Any] = (),
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        begun, name = False, kwargs.get("model")
        if name not in self._refused:
            try:
                native = bind_options(self.inner, tools, **kwargs)
                for chunk in stream_chunks(self.inner, messages, stop, **native):
                    begun = True
                    yield ChatGenerationChunk(message=chunk)
            except provider_errors() as exc:
                # text that was already sent cannot be taken back, so what was begun is not begun again
                if begun or not refuses_tools(exc):
                    raise
                self._refused.add(name)
                _log.warning("the endpoint does not take tools (%s); asking for JSON decisions from now on", exc)
        if name in self._refused:
            yield from self.json_decisions._stream(messages, stop, tools=tools, **kwargs)
