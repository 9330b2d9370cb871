"""The lines the REPL reads: typed with history, completion and editing, or piped in."""

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ana.files import refuse_link
from ana.output import BIDIRECTIONAL, escape_controls, write_line
from app.show.text import say

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

PROMPT = "> "
HOW_TO_LEAVE = "Ctrl-D or /quit leaves."
STYLE = {"": "bold", "prompt": "bold", "rprompt": "nobold italic", "continuation": "nobold"}
"""The person's own words stand out among the answers."""


def read_piped_lines() -> Iterator[str]:
    """Read standard input line by line, and print each after a prompt as a terminal would show it."""
    for line in sys.stdin:
        write_line(f"{PROMPT}{line.rstrip()}")
        yield line


def read_typed_lines(
    history: Path, completions: Callable[[], list[str]], on_prompt: Callable[[], None]
) -> Iterator[str]:
    """Read from a terminal. Pasted text is one message, however many lines it has, if the terminal marks it as pasted.

    Text that other threads print meanwhile appears above the prompt.

    Args:
        history: The file that keeps lines typed before.
        completions: Returns the lines that Tab completes.
        on_prompt: Called when the prompt is visible, so that loading in the background does not delay it.
    """
    from prompt_toolkit.patch_stdout import patch_stdout

    # a terminal that was started in the background by a script hands on that interrupts are ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    session = _make_session(history, completions)
    while True:
        try:
            with patch_stdout(raw=True):
                line = session.prompt(PROMPT, pre_run=on_prompt)
        except KeyboardInterrupt:  # Ctrl-C drops the line and keeps the program, as in a shell
            say(HOW_TO_LEAVE, style="dim")
            continue
        except EOFError:
            return
        yield line


def _make_session(history: Path, completions: Callable[[], list[str]]) -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.layout.screen import Char
    from prompt_toolkit.styles import Style

    # it shows C0 and C1 as ^[ itself
    Char.display_mappings.update({mark: escape_controls(mark) for mark in BIDIRECTIONAL})
    history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    refuse_link(history)
    return PromptSession(
        history=FileHistory(str(history)),
        completer=WordCompleter(completions, sentence=True),
        complete_while_typing=False,
        style=Style.from_dict(STYLE),
        prompt_continuation=" " * len(PROMPT),
        rprompt=_count_lines,
    )


def _count_lines() -> str:
    """Return what is shown beside a message of several lines, which were pasted."""
    from prompt_toolkit.application import get_app

    lines = get_app().current_buffer.document.line_count
    return f"{lines} lines, Enter sends them" if lines > 1 else ""
