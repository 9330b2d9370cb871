"""Where a person's spending is noted. A file in a folder is one answer, a row of a database another."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from pydantic import Field

Usd = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


@dataclass(frozen=True)
class Reservation:
    """What a call that runs keeps of the day's budget.

    Args:
        until: When it ends by itself, in seconds since 1970.
        process: Whose call it is.
    """

    id: str
    usd: Usd
    until: float
    process: Annotated[int, Field(gt=0, lt=2**31)]


@dataclass
class DayNote:
    """What was spent on a day, and what is reserved."""

    day: str
    usd: Usd
    most: Usd | None = None
    """What its costliest call cost; None where none is known."""
    held: list[Reservation] = field(default_factory=list)


class Books(Protocol):
    """Where a person's spending is noted; OSError, StoreBroken or StoreBusy is raised where it cannot be."""

    def read(self) -> DayNote:
        """Return the note that was written last; one without a day if it is missing or damaged."""

    def open(self) -> AbstractContextManager[DayNote]:
        """Yield the note to be changed, while nobody else can; it is saved at the end."""

    def append(self, lines: list[str]) -> None:
        """Keep lines of the ledger, at least one."""

    def read_ledger(self, since: float) -> str:
        """Return the lines of the ledger if it was written to since a moment, in seconds."""
