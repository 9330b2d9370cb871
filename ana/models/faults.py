"""Errors of providers and their libraries, each translated into one sentence with the next step."""

import re
import sys

from langchain_core import exceptions

from ana.errors import ContextTooLong, ModelFailed
from ana.json_lines import iter_chain
from ana.models.complaints import Complaint, read_complaint
from ana.output import quote
from ana.translation import _, mark_text

LONGEST = 200
"""Most characters of a provider's own message to show."""

_SETTINGS = mark_text("Check the key and the model in .env.")
_LATER = mark_text("Say it again in a while.")
_WORDS = mark_text("Say it in other words.")
_ADDRESS = mark_text("Does OPENAI_BASE_URL end in /v1? Check it, or OLLAMA_HOST.")
_LATE = mark_text(("The model did not answer in time.", "Try again, or raise ANA_TURN_SECONDS."))

_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|prompt is too long|too many (?:input )?tokens", re.IGNORECASE
)
"""Phrases of servers that report this only in their message: vLLM, LM Studio, and proxies."""

_TOO_LONG_CODES = frozenset(("context_length_exceeded", "exceed_context_size_error"))
_CREDIT_CODES = frozenset(("insufficient_quota", "billing_hard_limit_reached", "payment_required"))
_FILTER_CODES = frozenset(("content_filter", "content_policy_violation"))
_BROKEN = ("RemoteProtocolError", "ReadError", "IncompleteRead", "ChunkedEncodingError")
"""Errors of a connection that breaks off, from whichever library reads it."""

_REFUSED = (mark_text("The model provider refused the request"), _SETTINGS)
_CREDIT = mark_text(
    ("There is no credit left at the model provider", "Add credit there, or choose another model: `ana setup`.")
)
_FILTERED = (mark_text("The model provider's filter stopped the request"), _WORDS)
_ERROR = mark_text("The model provider answered with an error")
_BY_STATUS = mark_text(
    {
        200: (_ERROR, _ADDRESS),
        400: _REFUSED,
        401: ("The model provider refused the key", _SETTINGS),
        402: _CREDIT,
        403: ("The model provider does not allow this", _SETTINGS),
        404: ("The model provider does not know this model", "`ana setup` lists the models that it has."),
        422: _REFUSED,
        429: ("The model provider is busy", _LATER),
    }
)
"""The sentence on what happened, and the next step."""

_UNREADABLE = mark_text("Try again, or choose another model in .env.")


def provider_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions, besides ana's, that a model call may raise.

    They include a library's classes once it is loaded; importing it here only to name them would take a second.
    """
    named = (("openai", "OpenAIError"), ("httpx", "HTTPError"), ("httpx2", "HTTPError"), ("httpcore", "NetworkError"))
    loaded = ((sys.modules.get(library), name) for library, name in named)
    known = tuple(getattr(module, name) for module, name in loaded if hasattr(module, name))
    plain = (ValueError, IndexError, KeyError, TypeError, AttributeError, ConnectionError, RecursionError)
    return (*plain, TimeoutError, exceptions.ModelError, *known)


def translate_error(exc: Exception) -> ModelFailed:
    """Return ana's error for a provider's error, with the provider's own message."""
    complaint = read_complaint(exc)
    if isinstance(exc, exceptions.ContextOverflowError) or _is_too_long(complaint):
        return ContextTooLong(
            "The conversation is longer than the model can read.", "Begin a new one; in a terminal, /reset does."
        )
    # before the others: it is also a connection error, but one in which something was already answered
    if any(name in _names(exc) for name in _BROKEN):
        return cut_off_error()
    if isinstance(exc, exceptions.ModelTimeoutError | TimeoutError):
        return ModelFailed(*_LATE)
    if isinstance(exc, exceptions.ModelConnectionError):
        address = _find_address(exc)
        at = _("The model at {address} could not be reached.").format(address=address)
        says = at if address else _("The model provider could not be reached.")
        hint = _("Check the network and the model's address (OPENAI_BASE_URL or OLLAMA_HOST).")
        return ModelFailed(says, hint)
    if complaint.is_foreign:
        says = _("What answers at {address} does not speak OpenAI's protocol.")
        return ModelFailed(says.format(address=_find_address(exc)), _(_ADDRESS))
    if complaint.status is not None or isinstance(exc, exceptions.ModelAPIError):
        return _translate_status(complaint)
    if "APIError" in _names(exc):
        says = _("The model provider reported an error in the middle of its answer.")
        return ModelFailed(says, _(_LATER), _quote(complaint))
    says = _("The model's reply could not be read ({error}).")
    return ModelFailed(says.format(error=type(exc).__name__), _(_UNREADABLE))


def cut_off_error() -> ModelFailed:
    """Return the error for an incomplete answer."""
    return ModelFailed("The model's answer broke off before its end.", "Say it again.")


def _is_too_long(complaint: Complaint) -> bool:
    if complaint.codes & _TOO_LONG_CODES:
        return True
    return complaint.status == 400 and _TOO_LONG.search(complaint.sentence) is not None


def _translate_status(complaint: Complaint) -> ModelFailed:
    message, hint = _BY_STATUS.get(complaint.status or 0, (_ERROR, _LATER))
    if complaint.codes & _CREDIT_CODES:
        message, hint = _CREDIT
    if complaint.codes & _FILTER_CODES:
        message, hint = _FILTERED
    about = f", {complaint.parameter}" if complaint.parameter else ""
    quoted = "" if complaint.status == 401 else _quote(complaint)  # of a key that is refused some quote a part
    return ModelFailed(f"{_(message)} ({complaint.status}{about}).", _(hint), quoted)


def _quote(complaint: Complaint) -> str:
    sentence = complaint.sentence.strip().rstrip(".")
    return quote(sentence, LONGEST) if sentence else ""


def _find_address(exc: BaseException) -> str:
    """Return host and port of the failed request, if the library stores them in its error; else empty."""
    url = getattr(vars(exc).get("request"), "url", None)
    return f"{url.host}:{url.port}" if url and url.port else getattr(url, "host", "")


def _names(exc: BaseException) -> set[str]:
    """Return the class names of an error and of its causes."""
    return {type(each).__name__ for each in iter_chain(exc)}
