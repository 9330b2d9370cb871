"""The REPL: `make chat`."""

import sys
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ana import __version__
from ana.errors import AnaError, UserError
from ana.models.providers import destination, embedding_destination, model_name
from ana.settings import PROJECT, Settings, switch_on_langsmith
from app.repl.approval import Approval
from app.repl.lines import piped, typed
from app.repl.opening import Opening
from app.show.text import say, short
from app.threads import Threads

if TYPE_CHECKING:
    from ana.handles import Handles
    from app.turn import Assistant

COMMANDS = {
    "/help": "show this list",
    "/context": "what I know about you, since when, and from which words",
    "/context edit": "change it in your editor; or a line: /context edit 2 Likes tea",
    "/context delete": "forget a line: /context delete 2",
    "/items": "what is kept, by date, then newest; /items WORDS finds",
    "/due": "what is overdue, due today and later this week",
    "/undo": "take back the last turn here that changed something; /undo TURN another",
    "/transcript": "what was said before; /transcript 50 the last 50 turns",
    "/threads": "your conversations; /threads NAME goes to one",
    "/reset": "start a new conversation",
    "/quit": "leave",
}


class Repl:
    """Reads lines, runs turns, shows what happened.

    Args:
        settings: What was set.
        thread: The name or id of a conversation; None for the last one.
    """

    def __init__(self, settings: Settings, thread: str | None) -> None:
        self._settings = settings
        self._threads = Threads(settings)
        self._opening = Opening(settings, self._opened)
        self._approval = Approval()
        self._thread = self._threads.remember(thread) if thread else self._threads.last() or str(uuid.uuid4())

    def run(self) -> None:
        """Until /quit or the end of the input."""
        say(opening_line(self._settings))
        self._greet()
        with self._opening:
            for line in self._lines():
                if line.strip() and self._handled(line.strip()):
                    return

    def _lines(self) -> Iterator[str]:
        if sys.stdin.isatty():
            return typed(self._settings.ana_data_dir / "typed", self._completions, self._opening.start)
        self._opening.wait()
        return piped()

    def _completions(self) -> list[str]:
        names = [f"/threads {name}" for name in self._threads.names()]
        return [*COMMANDS, *names]

    def _greet(self) -> None:
        about = self._threads.describe(self._thread)
        if about.turns:
            name = about.name or "the last conversation"
            say(f"Going on with {name} ({about.turns} turns), last: {short(about.latest)}")
            say("/reset starts a new one, /help shows the commands.")
        else:
            name = f"A new conversation, {about.name}. " if about.name else ""
            say(f"{name}Say what is on your mind. /help shows the commands.")

    def _opened(self, assistant: "Assistant") -> None:
        """Say without being asked what is due and what the conversation waits for."""
        from app.due import waiting

        for line in waiting(assistant.handles):
            say(line)
        self._approval.look(assistant, self._thread)

    def _handled(self, line: str) -> bool:
        """Act on a line; whether it was the last."""
        try:
            if line.startswith("/"):
                return self._command(*line.split(maxsplit=1))
            self._turn(line)
        except KeyboardInterrupt:
            say("\nStopped. What was already stored stays.")
        except AnaError as exc:
            say(exc.sentence())
        except OSError as exc:
            say(f"The files could not be used: {exc}. What was stored stays.")
        return False

    def _command(self, name: str, argument: str = "") -> bool:
        if name in ("/quit", "/exit"):
            return True
        actions = {
            "/help": self._help,
            "/context": self._context,
            "/items": self._items,
            "/due": self._due,
            "/undo": self._undo,
            "/transcript": self._transcript,
            "/threads": self._list_or_go,
            "/reset": self._reset,
        }
        if name not in actions:
            raise UserError(f"There is no command {name}.", "/help shows them.")
        actions[name](argument.strip())
        return False

    def _turn(self, line: str) -> None:
        """Run a turn; a bare yes or no decides what the conversation waits for."""
        from app.repl.live import Region

        assistant = self._opening.assistant()
        self._threads.set_last(self._thread)
        with Region() as region:
            if decision := self._approval.read(line):
                outcome = self._approval.resume(assistant, decision, region.event)
            else:
                if (finished := assistant.finish(self._thread, region.event)) and finished.answer:
                    region.say("Finished what was cut short:")
                    self._approval.show(finished)
                outcome = assistant.ask(line, self._thread, on_event=region.event)
        self._approval.show(outcome)

    def _help(self, _: str) -> None:
        for name, meaning in COMMANDS.items():
            say(f"  {name:<16} {meaning}")

    def _context(self, argument: str) -> None:
        from app.repl.about_you import about_you

        about_you(self._handles(), argument)

    def _items(self, words: str) -> None:
        from app.cli.items import show_found

        show_found(self._handles().memory.find(words or None, limit=20))

    def _due(self, _: str) -> None:
        from app.due import due, show_due

        show_due(due(self._handles()))

    def _undo(self, turn: str) -> None:
        from app.cli.history import take_back

        take_back(self._handles().memory, turn or None, thread=self._thread, again="/undo")

    def _transcript(self, count: str) -> None:
        from app.show.transcript import show_transcript

        if count and not count.isdecimal():
            raise UserError(f"{count!r} is no number of turns.", "/transcript 20 shows the last 20.")
        show_transcript(self._settings, self._thread, max(int(count or 10), 1))

    def _list_or_go(self, name: str) -> None:
        if name:
            self._thread = self._threads.remember(name)
            self._threads.set_last(self._thread)
            self._greet()
            self._approval.look(self._opening.assistant(), self._thread)
            return
        from app.show.tables import show_table

        rows = [
            (thread.name or thread.id[:8], str(thread.turns), thread.last[:16].replace("T", " "), short(thread.about))
            for thread in self._threads.all()
        ]
        show_table(("conversation", "turns", "last", "begins with"), rows)

    def _reset(self, _: str) -> None:
        self._thread = str(uuid.uuid4())
        self._approval.forget()
        self._threads.set_last(self._thread)
        say("A new conversation. What I know about you and your items stay.")

    def _handles(self) -> "Handles":
        return self._opening.assistant().handles


def opening_line(settings: Settings) -> str:
    """The model, the data folder, and what leaves the machine."""
    folder = settings.ana_data_dir
    shown = folder.relative_to(PROJECT) if folder.is_relative_to(PROJECT) else folder
    to = destination(settings)
    told = [f"what you type goes to {to}"] if to else []
    told += [f"what you keep is embedded at {at}"] if (at := embedding_destination(settings)) else []
    told += ["traces go to LangSmith"] if switch_on_langsmith() else []
    leaves = ", ".join(told) or "nothing leaves this machine"
    return f"ana {__version__} · {model_name(settings)} · data in {shown} · {leaves}"
