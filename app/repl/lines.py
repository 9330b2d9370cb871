"""Where lines come from: typed with history, completion and editing, or piped in."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

PROMPT = "> "


def piped() -> Iterator[str]:
    """Standard input line by line, each shown behind a prompt."""
    for line in sys.stdin:
        print(f"{PROMPT}{line.rstrip()}")
        yield line


def typed(history: Path, completions: Callable[[], list[str]], shown: Callable[[], None]) -> Iterator[str]:
    """What is typed in a terminal. What is pasted is one message, however many lines it has.

    What other threads print meanwhile appears above the prompt.

    Args:
        history: The file of what was typed before.
        completions: Tells the lines that Tab completes.
        shown: Called when the prompt stands; what loads in the background begins then and does not delay it.
    """
    from prompt_toolkit.patch_stdout import patch_stdout

    session = _session(history, completions)
    while True:
        try:
            with patch_stdout(raw=True):
                line = session.prompt(PROMPT, pre_run=shown)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        yield line


def _session(history: Path, completions: Callable[[], list[str]]) -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory

    history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return PromptSession(
        history=FileHistory(str(history)),
        completer=WordCompleter(completions, sentence=True),
        complete_while_typing=False,
    )
