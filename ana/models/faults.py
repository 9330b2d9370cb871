"""Errors of providers and their libraries, each translated into one sentence of ours with the next step."""

import re
import sys

from langchain_core import exceptions

from ana.errors import ContextTooLong, ModelFailed

_SETTINGS = "Check the key and the model in .env."
_LATER = "Say it again in a while."
_SHORTER = "/reset begins a new one."
_LATE = ("The model did not answer in time.", "Say it again, or raise ANA_TURN_SECONDS.")

_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|prompt is too long|too many (?:input )?tokens", re.IGNORECASE
)
_QUOTA = re.compile(r"quota|insufficient|billing|credits", re.I)
_BROKEN = ("RemoteProtocolError", "ReadError", "IncompleteRead", "ChunkedEncodingError")
"""The errors of a connection that ends in the middle, in whichever library reads it."""

_FAULTS = (
    (exceptions.ModelAuthenticationError, "The model provider refused the key (401).", _SETTINGS),
    (exceptions.ModelPermissionDeniedError, "The model provider does not allow this (403).", _SETTINGS),
    (exceptions.ModelNotFoundError, "The model provider does not know this model (404).", _SETTINGS),
    (exceptions.ModelInvalidRequestError, "The model provider refused the request (400).", _SETTINGS),
    (exceptions.ModelRateLimitError, "The model provider is busy (429).", _LATER),
    (exceptions.ModelTimeoutError, *_LATE),
    (TimeoutError, *_LATE),
    (
        exceptions.ModelConnectionError,
        "The model provider could not be reached.",
        "Check the network and OPENAI_BASE_URL or OLLAMA_HOST.",
    ),
)
"""What happened and the next step, by langchain's neutral class for it."""

UNREADABLE = "Say it again, or choose another model in .env."


def provider_errors() -> tuple[type[Exception], ...]:
    """The exceptions, other than ours, that a call of a model may raise.

    A library's own classes are among them once it is loaded; importing it here only to name them would take a second.
    """
    named = (("openai", "OpenAIError"), ("httpx", "HTTPError"), ("httpx2", "HTTPError"), ("httpcore", "NetworkError"))
    loaded = ((sys.modules.get(library), name) for library, name in named)
    known = tuple(getattr(module, name) for module, name in loaded if hasattr(module, name))
    plain = (ValueError, IndexError, KeyError, TypeError, AttributeError, ConnectionError, RecursionError)
    return (*plain, TimeoutError, exceptions.ModelError, *known)


def translate_error(exc: Exception) -> ModelFailed:
    """Return the error of ours that says what a provider's means."""
    words = str(exc)
    if isinstance(exc, exceptions.ContextOverflowError) or (_status(exc) == 400 and _TOO_LONG.search(words)):
        return ContextTooLong("The conversation is longer than the model can read.", _SHORTER)
    # before the table: it is also a connection error, but one in which something was already answered
    if any(name in _names(exc) for name in _BROKEN):
        return cut_off_error()
    if isinstance(exc, exceptions.ModelRateLimitError) and _QUOTA.search(words):
        return ModelFailed("The quota at the model provider is used up (429).", _SETTINGS)
    for kind, message, hint in _FAULTS:
        if isinstance(exc, kind):
            at = _find_address(exc) if kind is exceptions.ModelConnectionError else ""
            return ModelFailed(message.replace("model provider", f"model at {at}") if at else message, hint)
    if (status := _status(exc)) is not None or isinstance(exc, exceptions.ModelAPIError):
        return ModelFailed(f"The model provider answered with an error ({status}).", _LATER)
    if "APIError" in _names(exc):
        return ModelFailed("The model provider reported an error in the middle of its answer.", _LATER)
    return ModelFailed(f"The model's reply could not be read ({type(exc).__name__}).", UNREADABLE)


def cut_off_error() -> ModelFailed:
    """The error for an answer that ended before its end."""
    return ModelFailed("The model's answer broke off before its end.", "Say it again.")


def _find_address(exc: BaseException) -> str:
    """Return host and port of the request that failed, which a library keeps with its error; empty where none does."""
    url = getattr(vars(exc).get("request"), "url", None)
    return f"{url.host}:{url.port}" if url and url.port else getattr(url, "host", "")


def _status(exc: Exception) -> int | None:
    status = getattr(exc, "status_code", None)
    return status if isinstance(status, int) else None


def _names(exc: BaseException) -> set[str]:
    """The class of an error, and of those it came from."""
    names: set[str] = set()
    at: BaseException | None = exc
    while at is not None and len(names) < 10:  # a chain may be a circle
        names.add(type(at).__name__)
        at = at.__cause__ or at.__context__
    return names
