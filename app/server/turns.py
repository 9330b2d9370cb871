"""POST /ask: a turn, or a decision, in this process."""

import uuid
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_jsonable_python
from starlette.responses import JSONResponse

from ana.errors import AnaError
from app.outcome import Done, NotShown, Waiting
from app.server.guard import tell_error
from app.server.refusals import find_status
from app.turn import Assistant
from graph.updates import LONGEST
from nodes.requests import Reply

PATIENCE = 60.0
"""Seconds that a request waits for a thread in which another door works."""


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


class TurnRunner:
    """Runs turns in this process, beside the runs of the server."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self._requests: dict[str, str] = {}
        """The request that each conversation was told last which waits, to which a yes is."""

    def answer(self, posted: Question | PostedReply, is_alone: bool = True) -> JSONResponse:
        """Run a turn or let one go on; every failure becomes a status and a sentence.

        Args:
            is_alone: Whether the owner asks, on this machine; nobody else gets paths of files.
        """
        try:
            outcome = self._decide(posted) if isinstance(posted, PostedReply) else self._ask(posted)
        except NotShown as exc:
            self._remember(exc.waiting)
            return to_response({"error": exc.sentence(), **exc.waiting.to_json()}, 409)
        except AnaError as exc:
            return tell_error(find_status(exc, 500), exc.sentence())
        if isinstance(outcome, Done) and outcome.error:
            failed = {"error": outcome.answer, "thread_id": outcome.thread_id, "trace_id": outcome.trace_id}
            return JSONResponse(failed, status_code=502)
        self._remember(outcome)
        body = outcome.to_json()
        if not is_alone:
            body.pop("trace_path", None)
        return to_response(body)

    def _ask(self, question: Question) -> Done | Waiting:
        threads = self.assistant.handles.workspace.open_threads()
        id = threads.remember(question.thread_id) if question.thread_id else str(uuid.uuid4())
        return self.assistant.ask(question.question, id, question.max_steps, request_id=self._requests.get(id))

    def _remember(self, outcome: Done | Waiting) -> None:
        """Note whether the conversation was last sent a request or an answer."""
        self._requests.pop(outcome.thread_id, None)
        if isinstance(outcome, Waiting):
            self._requests[outcome.thread_id] = outcome.request_id

    def _decide(self, reply: PostedReply) -> Done | Waiting:
        id = self.assistant.handles.workspace.open_threads().resolve(reply.thread_id)
        return self.assistant.resume(id, reply.to_json(), reply.request_id, max_steps=reply.max_steps)


def to_response(body: dict[str, Any], status: int = 200) -> JSONResponse:
    """Return the outcome of a turn as a response."""
    return JSONResponse(to_jsonable_python(body, fallback=str), status_code=status)
