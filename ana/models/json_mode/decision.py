"""What a reply can turn out to be."""

from dataclasses import dataclass, field
from typing import Any, Literal

Code = Literal["no_decision", "truncated", "unknown_tool", "bad_args", "ambiguous"]


@dataclass(frozen=True)
class ParsedCall:
    """A call as it was written, before it is checked.

    Args:
        name: The tool's name as it was sent.
        args: By parameter; a bare text or None where no object was sent.
        beside: Keys that stand beside the arguments and are no remarks.
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
class Final:
    """An answer. A weak one is progress when a call stands beside it."""

    answer: str
    weak: bool = False


@dataclass(frozen=True)
class Broken:
    """An attempt that cannot be used."""

    code: Code
    why: str


Found = ParsedCall | Final | Broken


@dataclass(frozen=True)
class Decision:
    """What a reply comes to: a tool with arguments that fit its schema, an answer, or what is wrong.

    Args:
        tool: The tool's real name; also of a call whose arguments are wrong.
        args: Its arguments.
        answer: The text for the person.
        error: Why nothing can be done.
        why: The same in words the model can act on.
        dropped: How many further decisions the reply held.
    """

    tool: str | None = None
    args: dict[str, Any] = field(default_factory=dict)
    answer: str | None = None
    error: Code | None = None
    why: str = ""
    dropped: int = 0
