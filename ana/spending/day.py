"""The note of a day's spending, with the part of the budget that running calls have reserved."""

import os
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from ana.notes import parse_note

Usd = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


@dataclass(frozen=True)
class Reservation:
    """The part of the day's budget that a running call reserves.

    Args:
        until: When it expires, in seconds since 1970.
        process: The process that makes the call.
    """

    id: str
    usd: Usd
    until: float
    process: Annotated[int, Field(gt=0, lt=2**31)]


@dataclass
class DayNote:
    """The money spent on a day, and the reservations."""

    day: str
    usd: Usd
    most: Usd | None = None
    """What its costliest call cost; None where none is known."""
    held: list[Reservation] = field(default_factory=list)

    def add(self, usd: float) -> None:
        """Add the cost of a call."""
        self.usd, self.most = round(self.usd + usd, 9), max(self.most or 0.0, usd)

    def end(self, id: str) -> None:
        """End a reservation."""
        self.held = [each for each in self.held if each.id != id]


def parse_day(text: str) -> DayNote:
    """Return the note in a text; one without a day if the text is not a note."""
    try:
        return parse_note(text.encode(), DayNote)
    except ValueError:
        return DayNote("", 0.0)


def is_running(process: int) -> bool:
    """Return whether a process of this machine still runs."""
    try:
        os.kill(process, 0)
    except OSError as exc:
        return isinstance(exc, PermissionError)  # another person's
    return True
