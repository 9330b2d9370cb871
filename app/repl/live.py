"""The region of the screen where a running turn is shown: drafts are erased again, tool calls stay."""

import sys
from typing import TYPE_CHECKING

from ana.output import write_line
from app.show.text import describe_call

if TYPE_CHECKING:
    from rich.live import Live

    from app.turn import Event

TAIL = 400
"""How many characters of a draft are shown."""

UNCHECKED = " … (being checked)"


class Region:
    """Shows drafts and tool calls while a turn runs; in a pipe only the tool calls, as plain lines."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._draft = ""

    def __enter__(self) -> "Region":
        if sys.stdout.isatty():
            from rich.live import Live

            from app.show.console import make_console

            self._live = Live(console=make_console(), transient=True, refresh_per_second=12)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def event(self, event: "Event") -> None:
        """Show one event of the turn."""
        if "draft" in event:
            self._show(self._draft + event["draft"])
        elif "tool" in event:
            self._show("")
            self.say(f"  {describe_call(event)}")
        elif "ended" in event:
            self.say(event["ended"])
        else:
            self._show("")

    def say(self, line: str) -> None:
        """Print a line that stays."""
        if self._live is None:
            write_line(line)
        else:
            self._live.console.print(line, style="dim")

    def _show(self, draft: str) -> None:
        from rich.styled import Styled

        self._draft = draft
        # marked: an answer is only what stands there when the turn has ended
        marked = draft[-TAIL:].rstrip() + UNCHECKED if draft else ""
        if self._live is not None:
            self._live.update(Styled(marked, "dim italic"), refresh=True)
