"""POST /ask: a turn, or a decision, in this process."""

import contextlib
import threading
import uuid
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json, to_jsonable_python
from starlette.responses import JSONResponse

from ana.errors import AnaError
from ana.handles import Handles
from app.outcome import Done, NotShown, Waiting
from app.server.refusals import find_status
from app.turn import Assistant, open_assistant
from graph.updates import LONGEST
from nodes.requests import Reply

PATIENCE = 60.0
"""Seconds that a request waits for a thread in which another door works."""

MOST_SHOWN = 1000
"""Conversations of which it is known what they were told last."""


class Question(BaseModel):
    """The body of POST /ask: a message."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(min_length=1, max_length=LONGEST, pattern=r"\S")
    thread_id: str | None = Field(None, min_length=1, max_length=200)
    max_steps: int | None = Field(None, ge=1, le=100)


class PostedReply(Reply):
    """The body of POST /ask: the decisions that a conversation waits for."""

    thread_id: str = Field(min_length=1, max_length=200)
    max_steps: int | None = Field(None, ge=1, le=100)
    request_id: str | None = Field(None, min_length=1, max_length=200)
    """From what is pending. Without it, or with another one, nothing is done, and what waits is told again."""


def read_body(body: bytes) -> Question | PostedReply:
    """Return what is asked. Raises ValidationError, which says what is wrong."""
    try:
        decides = "decisions" in from_json(body)
    except (ValueError, TypeError):
        decides = False  # Question says what is wrong with it
    return PostedReply.model_validate_json(body) if decides else Question.model_validate_json(body)


class TurnRunner:
    """Runs turns in this process, beside the runs of the server.

    Args:
        open_handles: Returns the person's handles; called at the first turn.
        patience: Seconds to wait for a thread in which another door works.
    """

    def __init__(self, open_handles: Callable[[], Handles], patience: float = PATIENCE) -> None:
        self._open_handles = open_handles
        self._patience = patience
        self._stack = contextlib.ExitStack()
        self._opening = threading.Lock()
        self._assistant: Assistant | None = None
        self._shown: dict[str, str] = {}
        """The request that was told last of each conversation, to which a yes is."""

    def answer(self, asked: Question | PostedReply, is_alone: bool = True) -> JSONResponse:
        """Run a turn or let one go on; every failure is a status and a sentence.

        Args:
            is_alone: Whether the owner asks, on this machine; nobody else is told where its files are.
        """
        try:
            outcome = self._decide(asked) if isinstance(asked, PostedReply) else self._ask(asked)
        except NotShown as exc:
            self._remember(exc.waiting)
            return to_response({"error": exc.sentence(), **exc.waiting.to_json()}, 409)
        except AnaError as exc:
            return tell_error(find_status(exc, 500), exc.sentence())
        if isinstance(outcome, Done) and outcome.error:
            failed = {"error": outcome.answer, "thread_id": outcome.thread_id, "trace_id": outcome.trace_id}
            return JSONResponse(failed, status_code=502)
        self._remember(outcome)
        told = outcome.to_json()
        if not is_alone:
            told.pop("trace_path", None)
        return to_response(told)

    def close(self) -> None:
        self._stack.close()

    def _ask(self, asked: Question) -> Done | Waiting:
        assistant = self.open()
        threads = assistant.handles.workspace.open_threads()
        id = threads.remember(asked.thread_id) if asked.thread_id else str(uuid.uuid4())
        return assistant.ask(asked.question, id, asked.max_steps, shown=self._shown.get(id))

    def _remember(self, outcome: Done | Waiting) -> None:
        """Note what a conversation was told last: a request, or an answer."""
        self._shown.pop(outcome.thread_id, None)
        if isinstance(outcome, Waiting):
            self._shown[outcome.thread_id] = outcome.request_id
        for forgotten in [*self._shown][:-MOST_SHOWN]:  # what is not known any more is shown again
            self._shown.pop(forgotten, None)

    def _decide(self, reply: PostedReply) -> Done | Waiting:
        assistant = self.open()
        id = assistant.handles.workspace.open_threads().resolve(reply.thread_id)
        return assistant.resume(id, reply.to_json(), reply.request_id, max_steps=reply.max_steps)

    def open(self) -> Assistant:
        """Return what runs the turns, opened at the first of them."""
        with self._opening:
            if self._assistant is None:
                opened = open_assistant(self._open_handles(), "ana server", self._patience)
                self._assistant = self._stack.enter_context(opened)
            return self._assistant


def to_response(told: dict[str, Any], status: int = 200) -> JSONResponse:
    """Return what a turn told, as an answer."""
    return JSONResponse(to_jsonable_python(told, fallback=str), status_code=status)


def tell_error(status: int, sentence: str) -> JSONResponse:
    """Return the answer of one of our routes to what failed."""
    return JSONResponse({"error": sentence}, status_code=status)
