"""`ana ask`: run one turn, or decide on a waiting request."""

import hashlib
import os
import re
import select
import shlex
import stat
import sys
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ana.errors import NotWaiting, UserError, WrongReply
from ana.machine import find_session
from ana.memory.receipt_lines import list_changes
from ana.memory.receipts import tells_no_changes
from ana.output import tell, write_json
from ana.translation import _
from ana.workspace import Workspace
from app.messages import UserMessage, read_piped
from app.show.answers import describe_cost, explain_signs, list_below, show_text
from app.show.console import make_console
from app.show.waiting import STOPPED, show_wait
from app.startup import start

if TYPE_CHECKING:
    from app.outcome import Done, Waiting
    from app.turn import Assistant, Event

WAITING = 3
"""Exit code of `ana ask` if it needs a decision."""
PIPE_PATIENCE = 1.0
"""How long a pipe may be silent, in seconds: cron leaves one open that never sends anything."""
LONGEST_INPUT = 1_000_000
"""Most bytes of a message."""

MOST = 50
"""Most terminals and conversations to remember; the oldest are dropped. `read_small` reads as many lines."""

_LINE = re.compile("^[0-9a-f]{32} [0-9a-f]{32}$", re.MULTILINE)
"""A digest of terminal and conversation, and the request."""


def ask(
    question: Annotated[str | None, typer.Argument(help="Your message; piped text is added; - is only that.")] = None,
    thread: Annotated[str | None, typer.Option(help="Name or id of the conversation; default: a new one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    utc: Annotated[bool, typer.Option("--utc", help="Use UTC as the local time zone.")] = False,
    max_steps: Annotated[int | None, typer.Option(min=1, max=100, help="Most model calls in this turn.")] = None,
    decide: Annotated[
        str | None,
        typer.Option(
            metavar="approve|reject|FILE",
            help='Decide on the waiting request; FILE contains {"decisions": [...]} as JSON.',
        ),
    ] = None,
    request: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The request to decide; default: the last one that this terminal showed."),
    ] = None,
) -> None:
    """Ask once; print the answer, and the changes on standard error.

    Exit code 1 if nothing was understood or something failed, 3 if a decision is needed.
    """
    run = _choose(question, thread, decide, request, max_steps)
    workspace = start()
    if utc:
        workspace = workspace.change(ana_timezone="UTC")
    try:
        outcome = run(workspace)
    except KeyboardInterrupt:
        tell(_(STOPPED))
        raise
    _show(workspace, outcome, as_json, thread)


def _choose(
    question: str | None, thread: str | None, decide: str | None, request: str | None, max_steps: int | None
) -> "Callable[[Workspace], Done | Waiting]":
    """Return the requested action. Raises BadParameter if the options do not fit together."""
    if decide is None:
        message = _read_message(question)
        if request is not None:
            raise typer.BadParameter("--request needs --decide.")
        if message is None:
            raise typer.BadParameter("Missing argument 'QUESTION'.")
        return partial(_ask, message=message, thread=thread, max_steps=max_steps)
    if question is not None:
        raise typer.BadParameter("Give either a question or --decide.")
    if thread is None:
        raise typer.BadParameter("--decide needs --thread, the conversation with the request.")
    return partial(_decide, thread=thread, reply=_read_reply(decide), request=request, max_steps=max_steps)


def _read_reply(decide: str) -> Any:
    if decide in ("approve", "reject"):
        return decide
    from pydantic import ValidationError

    from nodes.requests import Reply

    try:
        return Reply.model_validate_json(Path(decide).read_bytes()).to_json()
    except OSError as exc:
        raise typer.BadParameter(f"--decide takes approve, reject or a file; {decide}: {exc.strerror}.") from exc
    except ValidationError as exc:
        raise typer.BadParameter(f"{decide} is not a reply: {exc.errors()[0]['msg']}.") from exc


def _ask(workspace: Workspace, message: UserMessage, thread: str | None, max_steps: int | None) -> "Done | Waiting":
    from app.outcome import NotShown, Waiting

    id = workspace.open_threads().remember(thread) if thread else str(uuid.uuid4())
    with _open(workspace) as assistant, show_wait(workspace.settings):
        if journey := workspace.whereabouts.look(assistant.handles.memory, assistant.handles.clock).sentence:
            tell(journey)
        finished = assistant.finish(id) if thread else None
        if isinstance(finished, Waiting):
            tell("An interrupted turn continues and needs a decision; your message was not sent.")
            return finished
        if finished:
            tell(f"Finished an interrupted turn: {finished.answer}")
        try:
            request_id = find_last_request(workspace, id, or_without_terminal=True) if thread else None
            return assistant.ask(message, id, max_steps, _tell_ended, request_id)
        except NotShown as exc:
            tell(exc.sentence())
            return exc.waiting


def _decide(
    workspace: Workspace, thread: str, reply: Any, request: str | None, max_steps: int | None
) -> "Done | Waiting":
    from app.outcome import NotShown, Waiting
    from nodes.requests import decide_all

    id = workspace.open_threads().resolve(thread)
    with _open(workspace) as assistant, show_wait(workspace.settings):
        waiting = assistant.find_open_turn(id)
        if reply in ("approve", "reject") and isinstance(waiting, Waiting):
            reply = decide_all(waiting.request, reply)
        try:
            return assistant.resume(id, reply, request or find_last_request(workspace, id), max_steps=max_steps)
        except NotShown as exc:
            tell(exc.sentence())
            return exc.waiting
        except (NotWaiting, WrongReply) as exc:
            raise typer.BadParameter(exc.sentence()) from exc


def _open(workspace: Workspace) -> AbstractContextManager["Assistant"]:
    from ana.handles import open_handles
    from app.privacy import describe_leaving
    from app.turn import open_assistant
    from prompts import decision_prompt

    handles = open_handles(workspace, "ana ask", instruct=decision_prompt)
    if leaving := describe_leaving(workspace.settings, local=False):
        make_console(error=True).print(leaving, style="dim")
    return open_assistant(handles, "ana ask")


def _tell_ended(event: "Event") -> None:
    if "ended" in event:
        tell(event["ended"])


def _show(workspace: Workspace, outcome: "Done | Waiting", as_json: bool, thread: str | None) -> None:
    """Print the answer or the request, and exit with its code."""
    from app.outcome import Done, Waiting
    from app.show.requests import show_request

    if as_json:
        write_json(outcome.to_json())
    elif isinstance(outcome, Waiting):
        show_request(outcome.request)
    else:
        show_text(outcome.answer)
    _tell_changes(outcome, list_below(outcome) if isinstance(outcome, Done) else list_changes(outcome.changes, None))
    if isinstance(outcome, Done) and outcome.refused_copy and thread is None:
        tell(f"To add it a second time, say it again in that conversation: --thread {outcome.thread_id}")
    if isinstance(outcome, Done) and not as_json and (line := describe_cost(outcome)):
        tell(line)
    if isinstance(outcome, Waiting):
        remember_request(workspace, outcome)
        again = f"ana ask --thread {shlex.quote(thread or outcome.thread_id)} --decide"
        tell(f"This waits for your decision: {again} approve --request {outcome.request_id}")
        tell("Use reject instead of approve, or a FILE with decisions; yes or no as the next message works too.")
        raise typer.Exit(WAITING)
    if outcome.error or outcome.fruitless:
        raise typer.Exit(1)


def _tell_changes(outcome: "Done | Waiting", lines: Sequence[str]) -> None:
    """Print what was written on standard error; in a terminal also what the signs mean."""
    is_unchanged = tells_no_changes(getattr(outcome, "receipt", None))
    for line in lines:
        if is_unchanged:
            make_console(error=True).print(line, style="dim")
        else:
            tell(line)
    if outcome.changes and sys.stderr.isatty():
        make_console(error=True).print(explain_signs("`ana undo`"), style="dim")


def _read_message(question: str | None) -> UserMessage | None:
    """Return the message: the argument, standard input for - or no argument, or both; None if there is none."""
    if question == "-":
        return read_piped(_read_input())
    text = _read_input() if _has_text() else ""
    if not text:
        return UserMessage(question, None) if question else None
    if not question:
        return read_piped(text)
    joint = "" if question.rstrip().endswith((":", "?", "!")) else ":"
    return UserMessage(f"{question.rstrip().rstrip('.')}{joint}\n\n{text}", read_piped(text).pasted)


def _has_text() -> bool:
    """Return whether standard input is a file, or a pipe that has data or has ended."""
    try:
        kind = os.fstat(0).st_mode
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            return bool(select.select([0], [], [], PIPE_PATIENCE)[0])
    except OSError:  # it is closed
        return False
    return stat.S_ISREG(kind)


def _read_input() -> str:
    data = sys.stdin.buffer.read(LONGEST_INPUT + 1) if sys.stdin else b""
    if len(data) > LONGEST_INPUT:
        raise UserError(f"The text is longer than {LONGEST_INPUT:,} bytes.", "Send a part of it.")
    return data.decode("utf-8", "surrogateescape").strip()


def remember_request(workspace: Workspace, waiting: "Waiting") -> None:
    """Note that this terminal, or a caller without a terminal, was shown a request."""
    key = _make_key(waiting.thread_id, find_session(1))
    others = [line for line in _read_lines(workspace) if not line.startswith(key)]
    with suppress(OSError):  # what cannot be noted is shown again
        workspace.note("shown").write("\n".join([*others[1 - MOST :], f"{key} {waiting.request_id}"]))


def find_last_request(workspace: Workspace, thread_id: str, *, or_without_terminal: bool = False) -> str | None:
    """Return the id of the last request shown on this terminal in a conversation, if known.

    Args:
        or_without_terminal: Whether a caller without a terminal gets the last request shown without a terminal: a yes
            in words is the next message of the same caller.
    """
    session = find_session(0, 1, 2)
    if session is None and not or_without_terminal:
        return None
    return dict(line.split() for line in _read_lines(workspace)).get(_make_key(thread_id, session))


def _make_key(thread_id: str, session: str | None) -> str:
    """Return the beginning of a line: a digest, because a person's use of terminals is private."""
    return hashlib.sha256(f"{session} {thread_id}".encode()).hexdigest()[:32]


def _read_lines(workspace: Workspace) -> list[str]:
    return _LINE.findall(workspace.note("shown").read())
