"""`ana ask`: one turn, or the decision that a waiting turn needs."""

import hashlib
import os
import re
import select
import shlex
import stat
import sys
import uuid
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ana.errors import UserError
from ana.machine import find_session
from ana.output import tell, write_json
from ana.translation import _
from app.show.waiting import STOPPED, show_wait
from app.startup import start

if TYPE_CHECKING:
    from ana.workspace import Workspace
    from app.outcome import Done, Waiting
    from app.said import Said
    from app.turn import Assistant, Event

WAITING = 3
"""Exit code of `ana ask` while a decision is needed."""
PIPE_PATIENCE = 1.0
"""How long a pipe may be silent, in seconds: cron leaves one open in which nothing ever comes."""
LONGEST_INPUT = 1_000_000
"""The longest text that is read, in bytes."""

MOST = 50
"""Terminals and conversations that are remembered; the oldest are forgotten. `read_small` reads as many lines."""

_LINE = re.compile("^[0-9a-f]{32} [0-9a-f]{32}$", re.MULTILINE)
"""Which terminal and conversation, and the request."""


def ask(
    question: Annotated[str | None, typer.Argument(help="Your message; what is piped in is added, - is that.")] = None,
    thread: Annotated[str | None, typer.Option(help="Name or id of the conversation; default: a new one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    utc: Annotated[bool, typer.Option("--utc", help="Take UTC for the local time zone.")] = False,
    max_steps: Annotated[int | None, typer.Option(min=1, max=100, help="Most model calls in this turn.")] = None,
    decide: Annotated[
        str | None,
        typer.Option(
            metavar="approve|reject|FILE",
            help='Decide what the conversation waits for; FILE holds {"decisions": [...]} as JSON.',
        ),
    ] = None,
    request: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The request to decide; default: what this terminal was shown last."),
    ] = None,
) -> None:
    """Ask once and print the answer, and on standard error what was changed.

    Exit code 1 when nothing was understood or something failed, 3 while a decision is needed.
    """
    said = _read_message(question) if decide is None else None
    _check_use(said.text if said else question, thread, decide, request)
    reply = _read_reply(decide) if decide else None
    workspace = start()
    if utc:
        workspace = workspace.change(ana_timezone="UTC")
    try:
        if reply is not None:
            assert thread is not None
            outcome = _decide(workspace, thread, reply, request, max_steps)
        else:
            assert said is not None
            outcome = _ask(workspace, said, thread, max_steps)
    except KeyboardInterrupt:
        tell(_(STOPPED))
        raise
    _show(workspace, outcome, as_json, thread)


def _check_use(question: str | None, thread: str | None, decide: str | None, request: str | None) -> None:
    if decide is None:
        if request is not None:
            raise typer.BadParameter("--request needs --decide.")
        if question is None:
            raise typer.BadParameter("Missing argument 'QUESTION'.")
    elif question is not None:
        raise typer.BadParameter("Give either a question or --decide.")
    elif thread is None:
        raise typer.BadParameter("--decide needs --thread: the conversation that waits.")


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


def _ask(workspace: "Workspace", said: "Said", thread: str | None, max_steps: int | None) -> "Done | Waiting":
    from app.outcome import NotShown, Waiting

    id = workspace.open_threads().remember(thread) if thread else str(uuid.uuid4())
    with _open(workspace) as assistant, show_wait(workspace.settings):
        finished = assistant.finish(id) if thread else None
        if isinstance(finished, Waiting):
            tell("A turn that was cut short goes on and asks; your message was not sent.")
            return finished
        if finished:
            tell(f"Finished what was cut short: {finished.answer}")
        try:
            shown = find_shown(workspace, id, or_without_terminal=True) if thread else None
            return assistant.ask(said, id, max_steps, _tell_ended, shown)
        except NotShown as exc:
            tell(exc.sentence())
            return exc.waiting


def _decide(
    workspace: "Workspace", thread: str, reply: Any, request: str | None, max_steps: int | None
) -> "Done | Waiting":
    from ana.errors import NotWaiting, WrongReply
    from app.outcome import NotShown, Waiting
    from nodes.requests import decide_all

    id = workspace.open_threads().resolve(thread)
    with _open(workspace) as assistant, show_wait(workspace.settings):
        waiting = assistant.find_open_turn(id)
        if reply in ("approve", "reject") and isinstance(waiting, Waiting):
            reply = decide_all(waiting.request, reply)
        try:
            return assistant.resume(id, reply, request or find_shown(workspace, id), max_steps=max_steps)
        except NotShown as exc:
            tell(exc.sentence())
            return exc.waiting
        except (NotWaiting, WrongReply) as exc:
            raise typer.BadParameter(exc.sentence()) from exc


def _open(workspace: "Workspace") -> AbstractContextManager["Assistant"]:
    from ana.handles import open_handles
    from app.turn import open_assistant
    from prompts import decision_prompt

    handles = open_handles(workspace, "ana ask", instruct=decision_prompt)
    _tell_leaving(workspace)
    return open_assistant(handles, "ana ask")


def _tell_leaving(workspace: "Workspace") -> None:
    from app.privacy import describe_leaving
    from app.show.console import make_console

    if leaving := describe_leaving(workspace.settings, local=False):
        make_console(error=True).print(leaving, style="dim")


def _tell_ended(event: "Event") -> None:
    if "ended" in event:
        tell(event["ended"])


def _show(workspace: "Workspace", outcome: "Done | Waiting", as_json: bool, thread: str | None) -> None:
    """Print the answer or the request, and exit with what it means."""
    from ana.memory.receipts import list_changes, tells_no_changes
    from app.outcome import Done, Waiting
    from app.show.answers import describe_cost, list_below, show_text
    from app.show.console import make_console
    from app.show.requests import show_request

    if as_json:
        write_json(outcome.to_json())
    elif isinstance(outcome, Waiting):
        show_request(outcome.request)
    else:
        # undo as a message takes nothing back here: without --thread each message is a conversation of its own
        text = outcome.answer.replace("“undo” takes it back.", "`ana undo` takes it back.")
        show_text(text if outcome.composed else outcome.answer)
    is_unchanged = isinstance(outcome, Done) and tells_no_changes(outcome.receipt)
    for line in list_below(outcome) if isinstance(outcome, Done) else list_changes(outcome.changes, None):
        if is_unchanged:
            make_console(error=True).print(line, style="dim")
        else:
            tell(line)
    if isinstance(outcome, Done) and outcome.refused_copy and thread is None:
        tell(f"For a second one say it again in that conversation: --thread {outcome.thread_id}")
    if isinstance(outcome, Done) and not as_json and (line := describe_cost(outcome)):
        tell(line)
    if isinstance(outcome, Waiting):
        remember_shown(workspace, outcome)
        again = f"ana ask --thread {shlex.quote(thread or outcome.thread_id)} --decide"
        tell(f"This waits for your decision: {again} approve --request {outcome.request_id}")
        tell("Or reject instead of approve, or a FILE with decisions; a yes or a no as the next message decides, too.")
        raise typer.Exit(WAITING)
    if outcome.error or outcome.fruitless:
        raise typer.Exit(1)


def _read_message(question: str | None) -> "Said | None":
    """Return the message, None if there is none: the argument, standard input for - or None, or both."""
    from app.said import Said, read_piped

    if question == "-":
        return read_piped(_read_input())
    text = _read_input() if _has_text() else ""
    if not text:
        return Said(question, None) if question else None
    if not question:
        return read_piped(text)
    joint = "" if question.rstrip().endswith((":", "?", "!")) else ":"
    return Said(f"{question.rstrip().rstrip('.')}{joint}\n\n{text}", read_piped(text).pasted)


def _has_text() -> bool:
    """Whether standard input is a file, or a pipe with something in it or at its end."""
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


def remember_shown(workspace: "Workspace", waiting: "Waiting") -> None:
    """Note that this terminal was shown a request, or that it was shown without one."""
    key = _make_key(waiting.thread_id, find_session(1))
    others = [line for line in _read_lines(workspace) if not line.startswith(key)]
    with suppress(OSError):  # what cannot be noted is shown again
        workspace.note("shown").write("\n".join([*others[1 - MOST :], f"{key} {waiting.request_id}"]))


def find_shown(workspace: "Workspace", thread_id: str, *, or_without_terminal: bool = False) -> str | None:
    """Return the id of the request that this terminal was shown last in a conversation, as far as is known.

    Args:
        or_without_terminal: Whether without a terminal it is the one that was shown without a terminal: a yes in words
            is the next message of whoever was asked there.
    """
    session = find_session(0, 1, 2)
    if session is None and not or_without_terminal:
        return None
    return dict(line.split() for line in _read_lines(workspace)).get(_make_key(thread_id, session))


def _make_key(thread_id: str, session: str | None) -> str:
    """Return what a line begins with: a digest, because when a person was at which terminal is nobody's business."""
    return hashlib.sha256(f"{session} {thread_id}".encode()).hexdigest()[:32]


def _read_lines(workspace: "Workspace") -> list[str]:
    return _LINE.findall(workspace.note("shown").read())
