"""The REPL: `make chat`."""

import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ana import __version__
from ana.errors import AnaError, UserError
from ana.models.factory import destination, embedding_destination, model_name
from ana.settings import PROJECT, Settings, switch_on_langsmith
from app.show import answer_lines, property_text, say, short
from app.threads import Threads

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

    from ana.handles import Handles
    from app.assistant import Answer, Assistant

COMMANDS = {
    "/help": "show this list",
    "/context": "what I know about you",
    "/items": "the newest items",
    "/threads": "your conversations; /threads NAME goes to one",
    "/reset": "start a new conversation",
    "/quit": "leave",
}
SHOWN_ITEMS = 20


class Repl:
    """Reads lines, runs turns, shows what happened.

    Args:
        settings: What was set.
        thread: The name or id of a conversation; None for the last one.
    """

    def __init__(self, settings: Settings, thread: str | None) -> None:
        self._settings = settings
        self._threads = Threads(settings)
        self._opening = Opening(settings)
        self._thread = self._threads.remember(thread) if thread else self._threads.last() or str(uuid.uuid4())

    def run(self) -> None:
        """Until /quit or the end of the input."""
        say(opening_line(self._settings))
        self._greet()
        with self._opening:
            for line in lines(self._settings, self._opening.start):
                if line.strip() and self._handled(line.strip()):
                    return

    def _greet(self) -> None:
        about = self._threads.about(self._thread)
        if about.turns:
            say(f"Going on with {about.name or 'the last conversation'} ({about.turns} turns): {short(about.about)}")
            say("/reset starts a new one, /help shows the commands.")
        else:
            say("Say what is on your mind. /help shows the commands.")

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
        actions: dict[str, Callable[[str], None]] = {
            "/help": self._help,
            "/context": self._context,
            "/items": self._items,
            "/threads": self._list_or_go,
            "/reset": self._reset,
        }
        if name not in actions:
            raise UserError(f"There is no command {name}.", "/help shows them.")
        actions[name](argument)
        return False

    def _turn(self, line: str) -> None:
        from app.live import Region

        assistant = self._opening.assistant()
        self._threads.set_last(self._thread)
        with Region() as region:
            if finished := assistant.finish(self._thread, region.event):
                region.say("Finished what was cut short:")
                show_answer(finished)
            answer = assistant.ask(line, self._thread, on_event=region.event)
        show_answer(answer)

    def _help(self, _: str) -> None:
        for name, meaning in COMMANDS.items():
            say(f"  {name:<9} {meaning}")

    def _context(self, _: str) -> None:
        known = self._handles().memory.lines()
        say("\n".join(f"  {number}-- {text}" for number, text in known.items()) or "  Nothing yet.")

    def _items(self, _: str) -> None:
        found = self._handles().memory.items.query(limit=SHOWN_ITEMS)
        for item in found.items:
            said = ", ".join(property_text(k, v) for k, v in item.properties.items())
            say(f"  {item.id}  {short(item.content, 60)}" + (f"  ({short(said)})" if said else ""))
        say(f"  {len(found.items)} of {found.total} items" if found.total else "  Nothing yet.")

    def _list_or_go(self, name: str) -> None:
        if name:
            self._thread = self._threads.remember(name)
            self._threads.set_last(self._thread)
            self._greet()
            return
        for thread in self._threads.all():
            mark = "*" if thread.id == self._thread else " "
            say(f"{mark} {thread.name or thread.id}  {thread.turns} turns  {thread.last}  {short(thread.about, 40)}")

    def _reset(self, _: str) -> None:
        self._thread = str(uuid.uuid4())
        self._threads.set_last(self._thread)
        say("A new conversation. What I know about you and your items stay.")

    def _handles(self) -> "Handles":
        return self._opening.assistant().handles


class Opening:
    """Opens the assistant behind the prompt, so that typing can begin at once.

    Args:
        settings: What was set.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stack = ExitStack()
        self._assistant: Assistant | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._open, daemon=True)

    def start(self) -> None:
        """Begin to open; again and again is once."""
        if self._thread.ident is None:
            self._thread.start()

    def assistant(self) -> "Assistant":
        """The assistant, once it is open.

        Raises:
            AnaError: It could not be opened.
        """
        self.start()
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        assert self._assistant is not None
        return self._assistant

    def __enter__(self) -> "Opening":
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.ident is not None:
            self._thread.join()
        self._stack.close()

    def _open(self) -> None:
        try:
            from ana.handles import open_handles
            from app.assistant import open_assistant

            handles = open_handles(self._settings, "ana chat")
            self._assistant = self._stack.enter_context(open_assistant(handles, "ana chat"))
            handles.memory.lines()
        except (AnaError, OSError) as exc:
            self._failure = exc


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


def show_answer(answer: "Answer") -> None:
    """The answer, and under it the changes as the store confirmed them."""
    say(answer.answer)
    for line in answer_lines(answer):
        say(line)


def lines(settings: Settings, shown: Callable[[], None]) -> Iterator[str]:
    """What is typed, with history and editing; or what is piped in, line by line.

    Args:
        settings: Where the history lies.
        shown: Called when the prompt stands; what loads in the background begins then and does not delay it.
    """
    if not sys.stdin.isatty():
        for line in sys.stdin:
            print(f"> {line.rstrip()}")
            yield line
        return
    session = _session(settings)
    while True:
        try:
            yield session.prompt("> ", pre_run=shown)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def _session(settings: Settings) -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory

    settings.ana_data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    completer = WordCompleter(list(COMMANDS), sentence=True)
    return PromptSession(
        history=FileHistory(str(settings.ana_data_dir / "typed")), completer=completer, complete_while_typing=False
    )
