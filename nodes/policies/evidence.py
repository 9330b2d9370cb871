"""A turn as the policies see it, and what a policy says of a draft."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

from ana.values import read_json
from tools.artifacts import Receipt
from tools.catalog import WRITERS

MOST_READ = 2_000
"""Characters that are read of a message, of a draft, and of the message and the answer before."""

MOST_SEEN = 100_000
"""Characters of results, and of what was said, that are gone through for what a draft may have from them."""


def read_object(text: str) -> dict[str, Any]:
    """Return the object that a result is as JSON; an empty one for any other text."""
    try:
        value = read_json(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


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

    def read(self) -> dict[str, Any]:
        """Return its result; empty where that is no object of JSON."""
        return read_object(self.text)


@dataclass(frozen=True)
class Evidence:
    """One turn, as the policies see it.

    Args:
        question: The person's message.
        draft: The assistant's draft answer.

        calls: The calls of this turn, in order.
        earlier: What was said before this turn, as far as it is known, tools' results included.
        lines: Global Context as the prompt shows it.
        prompt: The prompt's time and calendar.
        now: The person's clock; None where no present time can be told.
        refused: The arguments of the calls that the person declined.
        own_tools: Whether tools of the person's own are bound: what they may do is not known here.
        rings: Whether an address is set at which reminders ring.
    """

    question: str
    draft: str
    calls: tuple[Call, ...] = ()
    earlier: tuple[str, ...] = ()
    lines: Mapping[int, str] = field(default_factory=dict)
    prompt: str = ""
    now: datetime | None = None
    refused: tuple[Mapping[str, Any], ...] = ()
    own_tools: bool = False
    rings: bool = True

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools that did something: a write that wrote nothing, such as a copy that was refused, did not."""
        return frozenset(c.tool for c in self.calls if c.ok and (c.receipts or c.tool not in WRITERS))

    @property
    def today(self) -> date:
        """The person's day; the present one in UTC where no present time can be told."""
        return (self.now or datetime.now(UTC)).date()

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """The receipts of every write, in order."""
        return tuple(receipt for call in self.calls for receipt in call.receipts)

    def found(self) -> Iterator[dict[str, Any]]:
        """Yield the items that queries of this turn found, as the model was shown them."""
        for call in self.calls:
            if call.ok and call.tool == "query_items":
                yield from call.read().get("items", [])

    @cached_property
    def is_long(self) -> bool:
        """Whether the turn has seen more than is gone through."""
        return sum(map(len, self.texts())) > MOST_SEEN

    def texts(self) -> list[str]:
        """Return all that a draft may have something from: the message, results, Global Context, what was said."""
        asked = (f"{call.args} {call.text}" for call in self.calls)
        return [self.question, *asked, *self.earlier, *self.lines.values(), self.prompt]


def cut_long(e: Evidence) -> Evidence:
    """Return a turn with as much of a long message and draft as is read: what follows is a document."""
    return replace(e, question=e.question[:MOST_READ], draft=e.draft[:MOST_READ])


@dataclass(frozen=True)
class Violation:
    """The policy that a draft breaks.

    Args:
        policy: The policy's name.
        reason: Tells the model the mistake and the honest ways out.
        fallback: Tells the person, if the model does not correct it.
    """

    policy: str
    reason: str
    fallback: str
