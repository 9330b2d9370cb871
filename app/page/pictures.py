"""Pictures that the page draws: the way of a turn through the graph, and costs by day. Each has a text that says it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ana.translation import _, mark_text

NODES = {"load_context": 70, "reason": 210, "execute_tools": 350, "approve": 490, "reflect": 630}
"""The nodes of the graph, and how far from the left each is drawn."""

NAMES = mark_text(("load context", "reason", "execute tools", "approve", "reflect"))
"""What they are called."""

EDGES = (
    ("load_context", "reason"),
    ("reason", "execute_tools"),
    ("execute_tools", "reason"),
    ("execute_tools", "approve"),
    ("approve", "execute_tools"),
    ("approve", "reason"),
    ("reason", "reflect"),
    ("reflect", "reason"),
)

SAID = mark_text(
    {
        "load_context": "looked at what is known",
        "reason": "asked the model",
        "execute_tools": "ran its calls",
        "approve": "asked you",
        "reflect": "checked the answer",
    }
)
"""What happens in each node, in words."""

MIDDLE, HALF, HALF_HEIGHT = 80, 58, 18
"""Of a node's box."""


@dataclass(frozen=True)
class Box:
    """A node of the graph."""

    name: str
    x: int
    visits: int


@dataclass(frozen=True)
class Arrow:
    """An edge of the graph."""

    path: str
    is_walked: bool


@dataclass(frozen=True)
class Bar:
    """A day's cost."""

    day: str
    usd: float
    x: float
    height: float


def draw_boxes(path: Sequence[str]) -> list[Box]:
    """Return the nodes, each with how often a turn came to it."""
    visits = Counter(path)
    return [Box(name, x, visits[name]) for name, x in NODES.items()]


def draw_arrows(path: Sequence[str]) -> list[Arrow]:
    """Return the edges; those that go back, and those over a node, are bows."""
    walked = {*pairwise(path)}
    arrows = []
    for begin, end in EDGES:
        a, b = NODES[begin], NODES[end]
        if b - a == 140:
            line = f"M{a + HALF} {MIDDLE - 5} L{b - HALF - 6} {MIDDLE - 5}"
        elif b - a == -140:
            line = f"M{a - HALF} {MIDDLE + 5} L{b + HALF + 6} {MIDDLE + 5}"
        else:
            up = MIDDLE - HALF_HEIGHT if a < b else MIDDLE + HALF_HEIGHT
            bow = 10 if a < b else 100 + (a - b) // 6
            line = f"M{a} {up} C{a} {bow} {b} {bow} {b} {up}"
        arrows.append(Arrow(line, (begin, end) in walked))
    return arrows


def word_path(path: Sequence[str]) -> str:
    """Return the way of a turn in a sentence; empty without one."""
    return _("It {steps}.").format(steps=_(", then ").join(_(SAID.get(name, name)) for name in path)) if path else ""


def draw_bars(days: Sequence[tuple[str, float]], width: float = 640, height: float = 100) -> list[Bar]:
    """Return a bar for each day's cost in USD, the dearest as high as the picture."""
    most, step = max((usd for _, usd in days), default=0) or 1, width / max(len(days), 1)
    return [Bar(day, usd, round(n * step, 1), round(height * usd / most, 1)) for n, (day, usd) in enumerate(days)]
