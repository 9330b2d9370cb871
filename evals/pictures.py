"""`make pictures`: the README's pictures. The REPL prints them, in a conversation whose model is scripted.

What is typed and what the model replies stands in `evals/scripts.py`; all the rest is what the program does and prints.
The clock is fixed, so the files only change with the program.
"""

import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock
from zoneinfo import ZoneInfo

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import WordLlamaEmbeddings
from ana.handles import Handles
from ana.models.scripted import ScriptedModel
from ana.settings import PROJECT, load_settings
from ana.time.clock import Clock
from app.messages import UserMessage
from app.repl.lines import PROMPT
from app.repl.opening import Opening
from app.repl.repl import Repl
from app.show.text import say
from app.throwaway import make_throwaway
from app.turn import Assistant, open_assistant
from evals.scripts import PICTURES, Picture

FOLDER = PROJECT / "docs" / "pictures"
WIDTH = 92
"""Columns."""

BEGINS = "Say what is on your mind"
"""Where a picture begins."""

ASPECT = 0.602
"""How wide a letter of the fonts is, beside its height."""

WEDNESDAY = datetime(2026, 1, 7, 8, 0, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")


DARK = TerminalTheme(
    (13, 17, 23),
    (230, 237, 243),
    [
        *((72, 79, 88), (255, 123, 114), (63, 185, 80), (210, 153, 34)),
        *((88, 166, 255), (188, 140, 255), (57, 197, 207), (177, 186, 196)),
    ],
)
LIGHT = TerminalTheme(
    (255, 255, 255),
    (31, 35, 40),
    [
        *((36, 41, 47), (207, 34, 46), (17, 99, 41), (77, 45, 0)),
        *((9, 105, 218), (130, 80, 223), (27, 124, 131), (110, 119, 129)),
    ],
)
THEMES = {"dark": DARK, "light": LIGHT}

FONTS = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'
_FOREIGN = re.compile(r" *(@font-face \{\{.*?\}\}|<!--.*?-->)\n+", re.DOTALL)
"""What in rich's format names a foreign host: its fonts and its own page."""

FORMAT = _FOREIGN.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", FONTS)

_FRAME = 'stroke="rgba(255,255,255,0.35)"'
"""Rich's frame, which is not seen on a light page."""

_CONTROL = re.compile(r"(\r?\n|\r|\x1b\[\d*[AK]|\x1b\[\?25[lh])")


class _Terminal(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True

    def read_screen(self) -> str:
        """Return what stands there at the end, in its colours: lines that were erased are gone."""
        lines, row = [""], 0
        for part in _CONTROL.split(self.getvalue()):
            if part.endswith("\n"):
                row += 1
                lines += [""] if row == len(lines) else []
            elif part.endswith("A"):
                row -= int(part[2:-1] or 1)
            elif part.endswith("K") and part[0] == "\x1b":
                lines[row] = ""
            elif part != "\r" and not part.startswith("\x1b[?"):
                lines[row] += part
        return "\n".join(lines).rstrip()


class _Opened(Opening):
    """An assistant on handles that are there already."""

    def __init__(self, repl: "_ScriptedRepl", handles: Handles) -> None:
        super().__init__(handles.workspace, repl._announce)
        self._handles = handles

    def _open(self) -> Assistant:
        assistant = self._stack.enter_context(open_assistant(self._handles))
        self._on_open(assistant)
        return assistant


class _ScriptedRepl(Repl):
    """A REPL in which lines are typed, one after the other."""

    def __init__(self, handles: Handles, lines: Sequence[str]) -> None:
        super().__init__(handles.workspace, None)
        self._opening = _Opened(self, handles)
        self._lines = lines

    def _read_lines(self) -> Iterator[UserMessage]:
        self._opening.wait()
        for line in self._lines:
            say(f"{PROMPT}{line}", style="bold")
            yield UserMessage(line)


def open_scene(picture: Picture, folder: Path) -> Handles:
    """Return handles on a fixed day, with a scripted model."""
    moments = (WEDNESDAY + timedelta(seconds=n) for n in count())
    clock, backend = Clock(ZONE, lambda: next(moments)), InMemoryBackend(WordLlamaEmbeddings())
    settings = load_settings({"LLM_PROVIDER": "offline", "ANA_TIMEZONE": "Europe/Berlin"})
    return make_throwaway(settings, ScriptedModel(replies=list(picture.replies)), backend, clock, folder=folder)


def record(picture: Picture) -> str:
    """Return what the REPL prints in a conversation, with its colours; without its first line, which names a folder."""
    screen = _Terminal()
    with TemporaryDirectory(prefix="ana-") as folder, _columns(), redirect_stdout(screen), redirect_stderr(screen):
        _ScriptedRepl(open_scene(picture, Path(folder)), picture.lines).run()
    output = screen.read_screen()
    return output[output.index(BEGINS) :]


def draw(name: str, output: str, theme: str) -> str:
    """Return what a terminal shows as SVG."""
    # all that the environment could decide is given
    options: Any = {"force_terminal": True, "color_system": "truecolor", "no_color": False, "height": 100}
    console = Console(record=True, width=WIDTH, file=io.StringIO(), **options)
    console.print(Text.from_ansi(output), soft_wrap=True)
    drawn = console.export_svg(
        title="ana", theme=THEMES[theme], code_format=FORMAT, font_aspect_ratio=ASPECT, unique_id=f"{name}-{theme}"
    )
    drawn = drawn.replace(_FRAME, 'stroke="#8b949e"')
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


def draw_all() -> dict[str, str]:
    """Return all pictures by the names of their files."""
    outputs = {picture.name: record(picture) for picture in PICTURES}
    return {f"{name}-{theme}.svg": draw(name, text, theme) for name, text in outputs.items() for theme in THEMES}


@contextmanager
def _columns() -> Iterator[None]:
    """Let the terminal be as wide as the picture, and have colours."""
    with mock.patch.dict(os.environ, {"COLUMNS": str(WIDTH), "TERM": "xterm-256color"}):
        for name in ("NO_COLOR", "COLORTERM"):
            os.environ.pop(name, None)
        yield


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, drawn in draw_all().items():
        (FOLDER / name).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
