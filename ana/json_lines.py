"""Log lines as JSON, for programs that collect them: with ids of person, conversation and run, without anybody's
words.
"""

import json
import logging
import traceback
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from ana.errors import BudgetReached, ConfigError, ModelFailed, StoreBroken, StoreBusy

WITHHELD = "[withheld]"

_OPERATORS = (BudgetReached, ConfigError, ModelFailed, StoreBroken, StoreBusy)
"""Errors whose sentences are about the deployment, and quote nobody; others may quote a person or a model."""

_ids: ContextVar[Mapping[str, str]] = ContextVar("ids")


class Quoted(str):
    """A text in a log line that may quote a person or a model; it is left out of lines of JSON."""


def name_work(**ids: str | None) -> None:
    """Add ids to the log lines of the present work: person, thread, run."""
    _ids.set({**_ids.get({}), **{name: id for name, id in ids.items() if id}})


class JsonFormatter(logging.Formatter):
    """Makes one line of JSON of each record."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _word(record),
            **_ids.get({}),
        }
        if record.exc_info and record.exc_info[1]:
            line["errors"] = [_describe(exc) for exc in iter_chain(record.exc_info[1])]
        return json.dumps(line)


def _word(record: logging.LogRecord) -> str:
    event = record.msg.get("event", "") if isinstance(record.msg, dict) else record.msg  # the first of the dev server
    text, args = str(_withhold(event)), record.args
    try:
        return text % (tuple(map(_withhold, args)) if isinstance(args, tuple) else args) if args else text
    except (TypeError, ValueError):  # what a library logs with other arguments than its text has places for
        return text


def _withhold(value: object) -> object:
    """Return a harmless text in place of a value."""
    if isinstance(value, Quoted):
        return WITHHELD
    if isinstance(value, _OPERATORS):
        return value.message
    if isinstance(value, OSError):
        return value.strerror or type(value).__name__
    return type(value).__name__ if isinstance(value, BaseException) else value


def _describe(exc: BaseException) -> dict[str, Any]:
    """Return the kind of an error and its place in the code, without its text and its values."""
    frames = traceback.walk_tb(exc.__traceback__)
    at = [f"{frame.f_code.co_filename}:{line} {frame.f_code.co_name}" for frame, line in frames]
    return {"type": f"{type(exc).__module__}.{type(exc).__qualname__}", "at": at}


def iter_chain(exc: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, each once."""
    known: set[int] = set()
    error: BaseException | None = exc
    while error and id(error) not in known:
        known.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
