"""The region of the screen where a running turn is shown: drafts are erased again, look-ups stay."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ana.output import write_line
from app.show.calls import WRITES, describe_call
from app.show.text import wrap

if TYPE_CHECKING:
    from rich.live import Live
    from rich.styled import Styled

    from app.outcome import Done
    from app.turn import Event

TAIL = 400
"""How many characters of a draft are shown."""

UNCHECKED = " … (being checked)"
WORKING = "…"
REFRESHED = 12
"""How often a second the region is drawn."""


class Region:
    """Shows drafts and tool calls while a turn runs; in a pipe only the lasting lines, as plain text.

    A call that writes stays only if no receipt will list it, because the turn waits, failed or was stopped.

    Args:
        year: The year to omit from days.
        tell_wait: Returns a sentence about waiting for a model; empty for none.
    """

    def __init__(self, year: int, tell_wait: Callable[[], str] = str) -> None:
        self._live: Live | None = None
        self._tell_wait = tell_wait
        self._draft = ""
        self._writes: list[str] = []
        self._year = year

    def __enter__(self) -> "Region":
        if sys.stdout.isatty():
            from rich.live import Live

            from app.show.console import make_console

            self._live = Live(
                console=make_console(), get_renderable=self._draw, transient=True, refresh_per_second=REFRESHED
            )
            self._live.start()
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure:
            self.end(None)
        if self._live is not None:
            self._live.stop()

    def event(self, event: "Event") -> None:
        """Show one event of the turn."""
        if "draft" in event:
            self._show(self._draft + event["draft"])
        elif "tool" in event:
            self._tell_call(event)
        elif "ended" in event:
            self.say(event["ended"])
        else:
            self._show("")

    def say(self, line: str) -> None:
        """Print a line that stays."""
        if self._live is None:
            write_line(line)
        else:
            self._live.console.print(wrap(line, self._live.console.width), style="dim")

    def end(self, answer: "Done | None") -> None:
        """Leave the writes so far to the receipt of the answer; print them if there is no receipt."""
        for line in self._writes if answer is None else ():
            self.say(line)
        self._writes = []

    def _tell_call(self, call: "Event") -> None:
        line = f"  {describe_call(call, self._year)}"
        if call["tool"] in WRITES:
            self._writes.append(line)
        else:
            self.say(line)
        self._show("")

    def _show(self, draft: str) -> None:
        self._draft = draft
        if self._live is not None:
            self._live.refresh()

    def _draw(self) -> "Styled":
        from rich.styled import Styled

        if self._draft:  # marked: an answer is only what stands there when the turn has ended
            return Styled(self._draft[-TAIL:].rstrip() + UNCHECKED, "dim italic")
        lines = [*self._writes[-1:], self._tell_wait()]
        return Styled("\n".join(filter(None, lines)) or WORKING, "dim")
