"""The REPL: `ana chat`. Commands that show records or undo turns import their modules only when used, so that the
prompt appears sooner.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast, get_args

from ana.errors import AnaError, UserError
from ana.output import write_line
from ana.settings import Autonomy
from ana.translation import _
from ana.workspace import Workspace
from app.dials import DIALS
from app.messages import UserMessage
from app.privacy import describe_setup
from app.repl.approval import Approval, name_commands
from app.repl.conversations import Conversations
from app.repl.examples import EXAMPLES
from app.repl.lines import read_piped_lines, read_typed_lines
from app.repl.opening import Opening
from app.show.text import say
from app.show.waiting import STOPPED, watch_wait

if TYPE_CHECKING:
    from ana.handles import Handles
    from app.outcome import Done, Waiting
    from app.repl.live import Region
    from app.turn import Assistant

LEAVING = ("exit", "quit", ":q")
"""Messages that leave as /quit does."""

WORDS = {"undo": "/undo", "undo that": "/undo", "redo": "/redo"}
"""Messages that are commands: no model has to understand them."""

HELP_INDENT = 19
"""Columns before what a command is for."""


class Repl:
    """Reads lines, runs turns and commands, and shows the results.

    Args:
        thread: The name or id of a conversation; None for the last one.
    """

    def __init__(self, workspace: Workspace, thread: str | None) -> None:
        self._workspace = workspace
        self._opening = Opening(workspace, self._announce)
        self._approval = Approval()
        self._conversations = Conversations(workspace, thread)

    def run(self) -> None:
        """Handle lines until /quit or the end of the input."""
        say(describe_setup(self._workspace))  # without a style: the prompt appears first, and rich is loaded after it
        self._conversations.greet()
        write_line()
        with self._opening:
            for message in self._read_lines():
                if message.text.lower() in LEAVING or (message.text and self._handle(message)):
                    return
                write_line()

    def _read_lines(self) -> Iterator[UserMessage]:
        if sys.stdin.isatty():
            return read_typed_lines(self._workspace.typed_file, self._completions, self._opening.start)
        self._opening.wait()  # in a pipe nobody waits for a prompt, and the output keeps its order
        return read_piped_lines()

    def _completions(self) -> list[str]:
        names = [f"/threads {name}" for name in self._conversations.list_names()]
        return [*(command.name for command in COMMANDS), *names]

    def _announce(self, assistant: "Assistant") -> None:
        """Say without being asked which items are due and which request waits."""
        from app.repl.news import list_news

        lines = [*list_news(assistant.handles), *self._conversations.list_waiting()]
        for line in lines:
            say(line)
        if self._approval.look(assistant, self._conversations.id) or lines:
            write_line()

    def _handle(self, message: UserMessage) -> bool:
        """Run a command or a turn. Return True to quit."""
        line = WORDS.get(message.text.lower(), message.text)
        try:
            if line.startswith("/"):
                command, argument = find_command(line)
                return bool(command.run(self, argument))
            self._turn(message)
        except KeyboardInterrupt:
            say(f"\n{_(STOPPED)}")
        except AnaError as exc:
            say(name_commands(exc.sentence()))
        except OSError as exc:
            say(_("The files could not be used: {fault}. What was stored stays.").format(fault=exc))
        return False

    def _turn(self, message: UserMessage) -> None:
        """Run a turn; a bare yes or no decides on the waiting request."""
        from app.outcome import Waiting
        from app.repl.live import Region

        # before the assistant is open: a yes typed earlier was to nothing shown
        decision = self._approval.read(message.text)
        assistant = self._opening.assistant()
        if not decision and self._approval.read(message.text):
            say(_("That was typed before the request was shown, and was not sent. Decide now."))
            return
        self._conversations.remember()
        with Region(assistant.handles.clock.now().year, watch_wait(assistant.handles.settings)) as region:
            if not decision and isinstance(self._finish(assistant, region), Waiting):
                region.say(_("Your message was not sent: decide first, or send it again."))
                return
            outcome = self._approval.send(assistant, message, decision, self._conversations.id, region.event)
            region.end(None if isinstance(outcome, Waiting) else outcome)
        self._approval.show(outcome)

    def _finish(self, assistant: "Assistant", region: "Region") -> "Done | Waiting | None":
        """Go on with a turn that was cut short, and show how it ended; None if there is none."""
        from app.outcome import Waiting

        finished = assistant.finish(self._conversations.id, region.event)
        if finished:
            region.end(None if isinstance(finished, Waiting) else finished)
            goes_on = _("A turn that was cut short goes on:")
            region.say(_("Finished what was cut short:") if finished.answer else goes_on)
            self._approval.show(finished)
        return finished

    def _help(self, argument: str) -> None:
        for command in COMMANDS:
            say(f"  {command.name:<16} {_(command.help)}", hang=HELP_INDENT)
        say(f"\n{_('Everything else is a message, for example:')}")
        is_rules = self._workspace.settings.provider == "offline"  # it reads English alone
        for sentence in EXAMPLES:
            say(f"  {sentence if is_rules else _(sentence)}")

    def _show_context(self, argument: str) -> None:
        from app.repl.context import show_context

        show_context(self._handles(), argument)

    def _edit_context(self, argument: str) -> None:
        from app.repl.context import edit_context

        edit_context(self._handles(), argument, self._conversations.id)

    def _delete_line(self, number: str) -> None:
        from app.repl.context import delete_line

        delete_line(self._handles(), number, self._conversations.id)

    def _show_items(self, words: str) -> None:
        from app.repl.items import show_items

        show_items(self._handles(), words)

    def _show_due(self, _: str) -> None:
        from app.due import group_due_locally, show_due

        handles = self._handles()
        show_due(group_due_locally(handles), year=handles.clock.now().year, ids=False)

    def _show_today(self, _: str) -> None:
        from app.due import show_today

        show_today(self._handles())

    def _show_routines(self, _: str) -> None:
        from app.routines.showing import show_routines

        show_routines(self._handles())

    def _answer_rung(self, act: str) -> None:
        from app.answering import answer

        say(answer(self._handles(), None, act or "10 minutes", self._conversations.id))

    def _undo(self, turn: str) -> None:
        from app.undo import undo_turn

        undo_turn(self._handles().memory, turn or None, thread=self._conversations.id, here=True)

    def _forget(self, name: str) -> None:
        from app.forgetting.erasing import ask_and_forget

        ask_and_forget(self._opening.assistant(), self._conversations.find_turn(name))

    def _redo(self, _: str) -> None:
        from app.undo import find_last_undo, undo_turn

        memory = self._handles().memory
        undo_turn(memory, find_last_undo(memory, self._conversations.id), here=True)

    def _show_transcript(self, count: str) -> None:
        from app.show.answers import show_transcript

        if count and not count.isdecimal():
            message = _("{text} is not a number of turns.").format(text=repr(count))
            raise UserError(message, _("/transcript 20 shows the last 20."))
        traces, clock = self._workspace.open_traces(), self._workspace.make_clock()
        show_transcript(traces, self._conversations.id, max(int(count or 10), 1), clock=clock)

    def _list_or_switch(self, name: str) -> None:
        if not name:
            self._conversations.show_all()
            return
        self._conversations.go_to(name)
        self._approval.look(self._opening.assistant(), self._conversations.id)

    def _set_autonomy(self, dial: str) -> None:
        """Show the dial, or set it until the REPL ends."""
        assistant = self._opening.assistant()
        if dial and dial not in get_args(Autonomy):
            message = _("{text} is no setting of autonomy.").format(text=f"{dial!r:.40}")
            raise UserError(message, _("Say {names}.").format(names=", ".join(get_args(Autonomy))))
        assistant.autonomy = cast("Autonomy | None", dial) or assistant.autonomy
        now = assistant.autonomy or self._workspace.settings.ana_autonomy
        say(f"{_(now)}: {_(DIALS[now])}")

    def _set_zone(self, name: str) -> None:
        handles = self._handles()
        say(handles.workspace.whereabouts.go_to(handles.memory, handles.clock, name))

    def _reset(self, name: str) -> None:
        self._conversations.begin(name)
        self._approval.forget()

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
    Command("/items", "what is kept, what is open first; /items WORDS finds, /items all", Repl._show_items),
    Command("/due", "what is overdue, due today and in the next seven days", Repl._show_due),
    Command("/today", "the day at a glance, then the next days", Repl._show_today),
    Command("/routines", "what is asked at set times, such as a brief each morning", Repl._show_routines),
    Command("/done", "mark done what rang last", lambda repl, _: repl._answer_rung("done")),
    Command("/snooze", "let it ring again: /snooze 1 hour, /snooze tomorrow morning", Repl._answer_rung),
    Command("/undo", "take back the last turn here that changed something; so does the word undo", Repl._undo),
    Command("/redo", "bring back what was taken back last", Repl._redo),
    Command("/forget", "take the last message out of everything; /forget 2 the one before, /forget ID", Repl._forget),
    Command("/transcript", "what was said before; /transcript 50 the last 50 turns", Repl._show_transcript),
    Command("/threads", "your conversations; /threads 2 or /threads NAME goes to one", Repl._list_or_switch),
    Command("/autonomy", "what asks you first; /autonomy advise, confirm or act changes it", Repl._set_autonomy),
    Command("/zone", "where you are; /zone Asia/Tokyo sets it, times said before stay", Repl._set_zone),
    Command("/reset", "start a new conversation; /reset NAME names it", Repl._reset),
    Command("/quit", "leave; so do exit, quit and :q", Repl._quit, alias="/exit"),
)
"""All of them: /help, completion and `find_command` read this table."""

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
    word = line.split()[0]
    near = get_close_matches(word, _BY_NAME, 1)
    hint = _("Did you mean {name}?").format(name=near[0]) if near else _("/help shows them.")
    raise UserError(_("There is no command {name}.").format(name=word), hint)
