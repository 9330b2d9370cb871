"""The sentences of evals/data/sentences, what each must cause, and the small world they are said in."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal
from zoneinfo import ZoneInfo

from ana.memory.item import Item
from ana.settings import PROJECT

DATA = PROJECT / "evals" / "data" / "sentences"
ZONE = ZoneInfo("Europe/Berlin")
STAMP = "2026-01-01T00:00:00.000000+00:00"

Half = Literal["tuning", "held-out", "hurried"]


@dataclass(frozen=True)
class Sentence:
    """A sentence to be typed, and what it must cause; evals/data/sentences/README.md explains the forms.

    Args:
        id: Its name.
        kind: add, list, find, change, context, focus, sums, talk or foreign.
        text: The words that are typed.
        calls: The calls that change something, calculator and now, in order.
        shows: The ids of exactly the items to be shown.
        top: The ids of items that must be among those shown.
        asks: The ids of items that a question back must name.
        none: Whether it must be said that nothing was found.
        says: Words that the answer must hold.
    """

    id: str
    kind: str
    text: str
    calls: list[dict[str, Any]]
    shows: list[str] | None = None
    top: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    none: bool = False
    says: list[str] = field(default_factory=list)


MORE = ("more", "third", "fourth", "fifth", "sixth", "traps", "seventh")
"""Written later than the two halves, and tuned on."""

FILES: dict[Half, tuple[str, ...]] = {
    "tuning": ("tuning", *MORE),
    "held-out": ("held-out",),
    "hurried": ("hurried",),  # judged by what is written alone: whatever it does not write may also be refused
}


def load_sentences(half: Half) -> list[Sentence]:
    texts = ((DATA / f"{name}.jsonl").read_text(encoding="utf-8") for name in FILES[half])
    return [Sentence(**json.loads(line)) for text in texts for line in text.splitlines()]


def load_life() -> dict[str, Any]:
    """Read the small world: `now`, Global Context as `context`, and `items`."""
    return dict(json.loads((DATA / "world.json").read_text(encoding="utf-8")))


def make_items(life: dict[str, Any]) -> list[Item]:
    return [Item(created_at=STAMP, updated_at=STAMP, **item) for item in life["items"]]
