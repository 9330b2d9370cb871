"""The lines the REPL reads: typed with history, completion and editing, or piped in."""

import os
import re
import select
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ana.output import BIDIRECTIONAL, escape_controls, write_line
from ana.translation import _, mark_text
from app.messages import UserMessage, read_piped
from app.show.text import say

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.key_binding.key_processor import KeyPress

PROMPT = "> "
HOW_TO_LEAVE = mark_text("Ctrl-D or /quit leaves.")
STYLE = {"": "bold", "prompt": "bold", "rprompt": "nobold italic", "continuation": "nobold"}
"""The person's own words stand out among the answers."""
PASTE_PAUSE = 0.05
"""How long the parts of a paste may be apart, in seconds, in terminals that do not mark it: there a line of it ends as
if Enter had been pressed. Nobody types that fast."""
_LINE = re.compile(r"(.*?)(?:\r\n|\r|\n)(.*)", re.DOTALL)


def read_piped_lines() -> Iterator[UserMessage]:
    """Read standard input line by line, and print each after a prompt as a terminal would show it."""
    for line in sys.stdin:
        write_line(f"{PROMPT}{line.rstrip()}")
        yield read_piped(line.strip())


def read_typed_lines(
    history: Path, completions: Callable[[], list[str]], on_prompt: Callable[[], None]
) -> Iterator[UserMessage]:
    """Read from a terminal. Pasted text is one message, however many lines it has, and is marked as pasted.

    Text that other threads print meanwhile appears above the prompt.

    Args:
        history: The file that keeps lines typed before.
        completions: Returns the lines that Tab completes.
        on_prompt: Called when the prompt is visible, so that loading in the background does not delay it.
    """
    from prompt_toolkit.patch_stdout import patch_stdout

    # a terminal that was started in the background by a script hands on that interrupts are ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    pasted = list[str]()
    session = _make_session(history, completions, pasted)
    typed = ""
    while True:
        try:
            typed += _read_typed_ahead()
            if match := _LINE.fullmatch(typed):
                line, typed = match.groups()
                say(f"{PROMPT}{line}", style="bold")
                session.history.append_string(line)
            else:
                with patch_stdout(raw=True):
                    line = session.prompt(PROMPT, pre_run=on_prompt, default=typed)
                typed = ""
        except KeyboardInterrupt:  # Ctrl-C drops the line and keeps the program, as in a shell
            typed = ""
            pasted.clear()
            say(_(HOW_TO_LEAVE), style="dim")
            continue
        except EOFError:
            return
        yield UserMessage(line.strip(), tuple(pasted))
        pasted.clear()


def _read_typed_ahead() -> str:
    """Return the text typed while an answer was running, without a prompt to read it; each line is a separate message.

    Raises:
        EOFError: The person typed the end of the input.
    """
    text = ""
    while select.select([sys.stdin], [], [], 0)[0]:
        waiting = os.read(sys.stdin.fileno(), 65536)
        if not waiting:
            raise EOFError
        text += waiting.decode(errors="replace")
    return "".join(c for c in text if c.isprintable() or c in "\r\n")


def _make_session(history: Path, completions: Callable[[], list[str]], pasted: list[str]) -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.layout.screen import Char
    from prompt_toolkit.styles import Style

    # it shows C0 and C1 as ^[ itself
    Char.display_mappings.update({mark: escape_controls(mark) for mark in BIDIRECTIONAL})
    history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return PromptSession(
        history=FileHistory(str(history)),
        completer=WordCompleter(completions, sentence=True),
        complete_while_typing=False,
        key_bindings=_bind_keys(pasted),
        style=Style.from_dict(STYLE),
        prompt_continuation=" " * len(PROMPT),
        rprompt=_count_lines,
    )


def _count_lines() -> str:
    """Return the note beside a pasted message of several lines."""
    from prompt_toolkit.application import get_app

    lines = get_app().current_buffer.document.line_count
    return _("{n} lines, Enter sends them").format(n=lines) if lines > 1 else ""


def _bind_keys(pasted: list[str]) -> "KeyBindings":
    """Return bindings in which Enter sends the message, unless more text is waiting, because then all of it was pasted.

    Args:
        pasted: Called with every pasted text.
    """
    from prompt_toolkit.enums import DEFAULT_BUFFER
    from prompt_toolkit.filters import has_focus
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.keys import Keys

    bindings = KeyBindings()

    def insert(event: "KeyPressEvent", text: str) -> None:
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        pasted.append(lines.strip())
        event.current_buffer.insert_text(lines)

    @bindings.add(Keys.BracketedPaste, filter=has_focus(DEFAULT_BUFFER))
    def _paste(event: "KeyPressEvent") -> None:
        insert(event, event.data)

    @bindings.add("enter", filter=has_focus(DEFAULT_BUFFER))
    @bindings.add("c-j", filter=has_focus(DEFAULT_BUFFER))
    def _enter(event: "KeyPressEvent") -> None:
        if waiting := _take_waiting(event):
            insert(event, f"{event.data}{waiting}")
        else:
            event.current_buffer.validate_and_handle()

    return bindings


def _take_waiting(event: "KeyPressEvent") -> str:
    """Return the text that is waiting, line ends included; other keys, such as Ctrl-C, keep waiting."""
    keys, terminal = event.key_processor.input_queue, event.app.input
    while not terminal.closed and select.select([terminal.fileno()], [], [], PASTE_PAUSE)[0]:
        keys.extend(terminal.read_keys())
    waiting = list(keys)
    keys.clear()
    keys.extend(key for key in waiting if not _is_text(key))
    return "".join(key.data for key in waiting if _is_text(key))


def _is_text(press: "KeyPress") -> bool:
    from prompt_toolkit.keys import Keys

    return not isinstance(press.key, Keys) or press.key in (Keys.Enter, Keys.ControlJ, Keys.Tab)
