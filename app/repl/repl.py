"""The REPL: `ana chat`."""

import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast, get_args

from ana import __version__
from ana.errors import AnaError, UserError
from ana.models.providers import model_name
from ana.settings import PROJECT, Autonomy
from ana.workspace import Workspace
from app.due import group_due, show_due, show_today, summarize_due
from app.embedder import suggest_embedder_once
from app.privacy import describe_leaving
from app.repl.approval import Approval
from app.repl.context import delete_line, edit_context, show_context
from app.repl.lines import read_piped_lines, read_typed_lines
from app.repl.opening import Opening
from app.show.answers import show_transcript
from app.show.items import show_found
from app.show.tables import show_table
from app.show.text import say, shorten
from app.undo import undo_turn

if TYPE_CHECKING:
    from ana.handles import Handles
    from app.turn import Assistant


DIALS: dict[Autonomy, str] = {
    "advise": "every change asks you first.",
    "confirm": "what is risky asks you first, such as deleting something you did not name.",
    "act": "only what stored text may have ordered asks you first.",
}

LEAVING = ("exit", "quit", ":q")
"""Messages that leave as /quit does."""


class Repl:
    """Reads lines, runs turns and commands, shows what happened.

    Args:
        workspace: The person's.
        thread: The name or id of a conversation; None for the last one.
    """

    def __init__(self, workspace: Workspace, thread: str | None) -> None:
        self._workspace = workspace
        self._threads = workspace.open_threads()
        self._opening = Opening(workspace, self._announce)
        self._approval = Approval()
        self._thread = self._threads.open(thread) if thread else self._threads.last() or str(uuid.uuid4())

    def run(self) -> None:
        """Handle lines until /quit or the end of the input."""
        say(describe_setup(self._workspace))
        self._greet()
        with self._opening:
            for line in self._read_lines():
                if line.strip().lower() in LEAVING or (line.strip() and self._handle(line.strip())):
                    return

    def _read_lines(self) -> Iterator[str]:
        if sys.stdin.isatty():
            return read_typed_lines(self._workspace.typed_file, self._completions, self._opening.start)
        self._opening.wait()  # in a pipe nobody waits for a prompt, and the output keeps its order
        return read_piped_lines()

    def _completions(self) -> list[str]:
        names = [f"/threads {name}" for name in sorted(self._threads.names().values())]
        return [*(command.name for command in COMMANDS), *names]

    def _greet(self) -> None:
        about = self._threads.describe(self._thread)
        if about.turns:
            name = about.name or "the last conversation"
            say(f"Going on with {name} ({about.turns} turns), last: {shorten(about.latest)}")
            say("/reset starts a new one, /help shows the commands.")
        else:
            name = f"A new conversation, {about.name}. " if about.name else ""
            say(f"{name}Say what is on your mind. /help shows the commands.")

    def _announce(self, assistant: "Assistant") -> None:
        """Say without being asked what is due and what the conversation waits for."""
        for line in summarize_due(assistant.handles):
            say(line)
        if suggestion := suggest_embedder_once(self._workspace):
            say(suggestion)
        self._list_waiting()
        self._approval.look(assistant, self._thread)

    def _list_waiting(self) -> None:
        """Say which other conversations wait for a decision, and for how long they have."""
        for id, age in self._threads.waiting().items():
            if id != self._thread:
                name = self._threads.names().get(id) or id[:8]
                say(f"{name} waits for your decision ({age}); /threads {name} goes there.")

    def _handle(self, line: str) -> bool:
        """Run a command or a turn. Return True to quit."""
        try:
            if line.startswith("/"):
                command, argument = find_command(line)
                return bool(command.run(self, argument))
            self._turn(line)
        except KeyboardInterrupt:
            say("\nStopped. What was already stored stays.")
        except AnaError as exc:
            say(exc.sentence())
        except OSError as exc:
            say(f"The files could not be used: {exc}. What was stored stays.")
        return False

    def _turn(self, line: str) -> None:
        """Run a turn; a bare yes or no decides what the conversation waits for."""
        from app.outcome import Waiting
        from app.repl.live import Region

        decision = self._approval.read(line)  # before the assistant is open: a yes typed earlier was to nothing shown
        assistant = self._opening.assistant()
        if not decision and self._approval.read(line):
            say("That was typed before the request was shown, and was not sent. Decide now.")
            return
        self._threads.set_last(self._thread)
        with Region() as region:
            if decision:
                outcome = self._approval.resume(assistant, decision, region.event)
            else:
                finished = assistant.finish(self._thread, region.event)
                if finished:
                    region.say(
                        "Finished what was cut short:" if finished.answer else "A turn that was cut short goes on:"
                    )
                    self._approval.show(finished)
                if isinstance(finished, Waiting):
                    region.say("Your message was not sent: decide first, or send it again.")
                    return
                outcome = self._approval.ask(assistant, line, self._thread, region.event)
        self._approval.show(outcome)

    def _help(self, _: str) -> None:
        for command in COMMANDS:
            say(f"  {command.name:<16} {command.help}")
        say("Everything else is a message, for example:")
        for sentence in EXAMPLES:
            say(f"  {sentence}")

    def _show_context(self, argument: str) -> None:
        show_context(self._handles(), argument)

    def _edit_context(self, argument: str) -> None:
        edit_context(self._handles(), argument, self._thread)

    def _delete_line(self, number: str) -> None:
        delete_line(self._handles(), number, self._thread)

    def _show_items(self, words: str) -> None:
        show_found(self._handles().memory.find(words or None, limit=20))

    def _show_due(self, _: str) -> None:
        show_due(group_due(self._handles()))

    def _show_today(self, _: str) -> None:
        show_today(self._handles())

    def _undo(self, turn: str) -> None:
        undo_turn(self._handles().memory, turn or None, thread=self._thread, command="/undo")

    def _show_transcript(self, count: str) -> None:
        if count and not count.isdecimal():
            raise UserError(f"{count!r} is not a number of turns.", "/transcript 20 shows the last 20.")
        show_transcript(self._workspace.open_traces(), self._thread, max(int(count or 10), 1))

    def _list_or_switch(self, name: str) -> None:
        if name:
            self._thread = self._threads.open(name)
            self._threads.set_last(self._thread)
            self._greet()
            self._approval.look(self._opening.assistant(), self._thread)
            return
        rows = [
            (thread.name or thread.id[:8], str(thread.turns), thread.last[:16].replace("T", " "), shorten(thread.about))
            for thread in self._threads.all()
        ]
        show_table(("conversation", "turns", "last", "begins with"), rows)

    def _set_autonomy(self, dial: str) -> None:
        """Show or set what asks first, until the REPL is left."""
        assistant = self._opening.assistant()
        if dial and dial not in get_args(Autonomy):
            raise UserError(f"{dial!r:.40} is no setting of autonomy.", f"Say {', '.join(get_args(Autonomy))}.")
        assistant.autonomy = cast("Autonomy | None", dial) or assistant.autonomy
        now = assistant.autonomy or self._workspace.settings.ana_autonomy
        say(f"{now}: {DIALS[now]}")

    def _reset(self, _: str) -> None:
        self._thread = str(uuid.uuid4())
        self._approval.forget()
        self._threads.set_last(self._thread)
        say("A new conversation. What I know about you and your items stay.")

    def _quit(self, _: str) -> bool:
        return True

    def _handles(self) -> "Handles":
        return self._opening.assistant().handles


@dataclass(frozen=True)
class Command:
    """A command of the REPL.

    Args:
        name: Its one or two words.
        help: Its line in /help.
        run: Runs it with the text after its name. Returns True to quit.
        alias: Another name, which is not shown.
    """

    name: str
    help: str
    run: Callable[[Repl, str], bool | None]
    alias: str = ""


COMMANDS = (
    Command("/help", "show this list", Repl._help),
    Command("/context", "what I know about you, since when, and from which words", Repl._show_context),
    Command("/context edit", "change it in your editor; or a line: /context edit 2 Likes tea", Repl._edit_context),
    Command("/context delete", "forget a line: /context delete 2", Repl._delete_line),
    Command("/items", "what is kept, by date, then newest; /items WORDS finds", Repl._show_items),
    Command("/due", "what is overdue, due today and in the next seven days", Repl._show_due),
    Command("/today", "the day at a glance, then the next days", Repl._show_today),
    Command("/undo", "take back the last turn here that changed something; /undo TURN another", Repl._undo),
    Command("/transcript", "what was said before; /transcript 50 the last 50 turns", Repl._show_transcript),
    Command("/threads", "your conversations; /threads NAME goes to one", Repl._list_or_switch),
    Command("/autonomy", "what asks you first; /autonomy advise, confirm or act changes it", Repl._set_autonomy),
    Command("/reset", "start a new conversation", Repl._reset),
    Command("/quit", "leave; so do exit, quit and :q", Repl._quit, alias="/exit"),
)
"""All of them: /help, completion and `find_command` read this table."""

EXAMPLES = (
    "Remind me to call Anna tomorrow at 10",
    "Note: the spare key is in the blue tin",
    "Dentist appointment on Friday at 14:30",
    "What's due tomorrow?",
    "Done: call Anna",
    "Move the dentist to Monday",
    "I prefer deep work in the mornings",
    "What is 19% of 240?",
)
"""What /help shows; the offline reader understands all of them, in this order."""

_BY_NAME = {name: command for command in COMMANDS for name in (command.name, command.alias) if name}


def find_command(line: str) -> tuple[Command, str]:
    """Return the command that a line begins with, and the rest of the line.

    Raises:
        UserError: There is no such command.
    """
    for count in (2, 1):  # "/context edit" before "/context"
        words = line.split(maxsplit=count)
        if command := _BY_NAME.get(" ".join(words[:count])):
            return command, "".join(words[count:])
    raise UserError(f"There is no command {line.split()[0]}.", "/help shows them.")


def describe_setup(workspace: Workspace) -> str:
    """Return one line: the model, the data folder, and what leaves the machine."""
    folder, settings = workspace.folder, workspace.settings
    shown = folder.relative_to(PROJECT) if folder.is_relative_to(PROJECT) else folder
    privacy = describe_leaving(settings) or "nothing leaves this machine"
    return f"ana {__version__} · {model_name(settings)} · data in {shown} · {privacy}"
