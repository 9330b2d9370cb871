"""The port for notes on a person's spending. A file in a folder is one implementation, a row of a database another."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from pydantic import Field

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


class Books(Protocol):
    """The notes on a person's spending; OSError, StoreBroken or StoreBusy is raised if they cannot be used."""

    def read(self) -> DayNote:
        """Return the note that was written last; one without a day if it is missing or damaged."""

    def open(self) -> AbstractContextManager[DayNote]:
        """Yield the note for changes, while nobody else can change it; it is saved at the end."""

    def append(self, lines: list[str]) -> None:
        """Append lines to the ledger, at least one."""

    def read_ledger(self, since: float) -> str:
        """Return the lines of the ledger if it was written to since a moment, in seconds."""
