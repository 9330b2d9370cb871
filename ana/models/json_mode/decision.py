"""The decision that a reply comes to, and the candidates it is chosen from."""

from dataclasses import dataclass, field
from typing import Any, Literal

FaultCode = Literal["no_decision", "truncated", "unknown_tool", "bad_args", "ambiguous"]


@dataclass(frozen=True)
class ParsedCall:
    """A call as the model wrote it, before it is checked.

    Args:
        name: The tool's name as it was sent.
        args: By parameter; a bare text or None where no object was sent.
        beside: Keys beside the arguments, other than remarks.
        all_text: Whether every argument came as text, as in XML and YAML, to be read by its parameter's type.
        positional: Arguments without a name, in order.
        exact: Whether it has exactly the shape that was asked for.
    """

    name: str
    args: Any = None
    beside: tuple[str, ...] = ()
    all_text: bool = False
    positional: tuple[Any, ...] = ()
    exact: bool = False


@dataclass(frozen=True)
class ParsedAnswer:
    """An answer. A weak one is only progress when a call stands beside it."""

    answer: str
    weak: bool = False


@dataclass(frozen=True)
class FailedAttempt:
    """An attempt at a decision that cannot be used, and why in words for the model."""

    code: FaultCode
    why: str


Candidate = ParsedCall | ParsedAnswer | FailedAttempt


@dataclass(frozen=True)
class Decision:
    """A tool with arguments that fit its schema, an answer, or what is wrong with the reply.

    Args:
        tool: The tool's real name; also of a call whose arguments are wrong.
        args: Its arguments.
        answer: The text for the person.
        error: The kind of fault, where nothing can be done.
        why: The same in words the model can act on.
        dropped: How many further decisions the reply held.
    """

    tool: str | None = None
    args: dict[str, Any] = field(default_factory=dict)
    answer: str | None = None
    error: FaultCode | None = None
    why: str = ""
    dropped: int = 0
