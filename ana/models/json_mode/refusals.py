"""Refusals of an endpoint: of tools, or of a schema for its reply. They are found by asking once, and remembered."""

import logging
import re
from collections.abc import Callable, Iterator

from langchain_core.messages import AIMessageChunk

from ana.models.complaints import read_complaint
from ana.models.faults import provider_errors

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
_NAMES_STRUCTURE = re.compile(
    r"response[_ ]?format|json[_ ]?schema|structured[_ ]outputs?|\bgrammar\b|guided[_ ](?:json|decoding)|json mode",
    re.I,
)
"""OpenAI ("'response_format' of type 'json_schema' is not supported with this model"), OpenRouter ("support structured
outputs"), llama.cpp ("JSON schema conversion failed", "failed to parse grammar"), vLLM ("guided decoding")."""

Ask = Callable[[], Iterator[AIMessageChunk]]
_log = logging.getLogger(__name__)


def refuses_tools(exc: BaseException) -> bool:
    """Whether an endpoint's error says that it does not take tools."""
    return _says(exc, _NAMES_TOOLS) and not _says(exc, _NAMES_MESSAGES)


def refuses_structure(exc: BaseException) -> bool:
    """Whether an endpoint's error says that it does not take a schema for its reply."""
    return _says(exc, _NAMES_STRUCTURE)


def _says(exc: BaseException, names: re.Pattern[str]) -> bool:
    complaint = read_complaint(exc)
    return complaint.status in STATUSES and bool(names.search(f"{complaint.parameter} {complaint.sentence}"))


class Refusals:
    """Asks in one way; once that is refused, it asks in another way from then on.

    Args:
        is_refusal: Returns whether an error is such a refusal.
        warning: The warning to log then; "%s" is the error.
    """

    def __init__(self, is_refusal: Callable[[BaseException], bool], warning: str) -> None:
        self._is_refusal = is_refusal
        self._warning = warning
        self._refused: set[str | None] = set()
        """The models that were, by name; None is the endpoint's own."""

    def stream(self, model: str | None, ask: Ask, ask_otherwise: Ask) -> Iterator[AIMessageChunk]:
        """Yield the reply of a model, None for the endpoint's own, as it comes."""
        begun = False
        if model not in self._refused:
            try:
                for piece in ask():
                    begun = True
                    yield piece
            except provider_errors() as exc:
                # text that was already sent cannot be taken back, so what was begun is not begun again
                if begun or not self._is_refusal(exc):
                    raise
                self._refused.add(model)
                _log.warning(self._warning, exc)
        if model in self._refused:
            yield from ask_otherwise()
