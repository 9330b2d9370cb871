"""The calls of a turn with their answers, as receipts and policies look at them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ana.values import read_object
from tools.artifacts import Receipt


@dataclass(frozen=True)
class Call:
    """A call of the turn, with its answer.

    Args:
        tool: The tool that was asked for.
        args: Its arguments.
        text: What the model was answered.
        ok: Whether that was a result, not an error.
        step: Which of the model's decisions asked for it.
        receipts: Of what it wrote.
        existing: The text of the item that says the same, because of which it stored nothing.
    """

    tool: str
    args: Mapping[str, Any]
    text: str
    ok: bool = True
    step: int = 0
    receipts: tuple[Receipt, ...] = ()
    existing: str | None = None

    @property
    def exchange(self) -> str:
        """What it was asked and answered."""
        return f"{self.args} {self.text}"

    def read(self) -> dict[str, Any]:
        """Return its result; empty if that is not a JSON object."""
        return read_object(self.text)
