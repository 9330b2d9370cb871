"""The sentences of evals/data/sentences, what a person means by each, and the small world they are said in."""

import json
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from ana.memory.item import Item
from ana.settings import PROJECT

DATA = PROJECT / "evals" / "data" / "sentences"
ZONE = ZoneInfo("Europe/Berlin")
STAMP = "2026-01-01T00:00:00.000000+00:00"

SETS = ("people", "tuning", "traps", "held-out", "unseen")


@dataclass(frozen=True)
class Sentence:
    """A sentence to be typed, and what is meant; evals/data/sentences/README.md explains the forms.

    Args:
        id: Its name.
        text: The words that are typed.
        means: What a sensible person wants by it.
        also: Other readings that are right too.
        due: The due dates that are right, None among them if leaving it out is; None if no date is judged.
        type: The type that its lead-in gives; empty where none does.
        words: Words that must be in what is kept.
        count: How many items a paste is.
        items: The ids of the items that are to be shown or changed.
        to: The new due date of what is moved.
        says: Text that must be in the answer.
        other_language: Whether it is in another language than English, which the reader keeps whole.
    """

    id: str
    text: str
    means: str
    also: tuple[str, ...] = ()
    due: tuple[str | None, ...] | None = None
    type: str = ""
    words: tuple[str, ...] = ()
    count: int = 1
    items: tuple[str, ...] = ()
    to: str = ""
    says: str = ""
    other_language: bool = False


_COMMENTS = ("person", "why")
"""What a row tells its reader and no judge."""


def load_sentences(name: str) -> list[Sentence]:
    """Return the sentences of one of SETS."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_read_sentence(json.loads(line)) for line in lines]


def _read_sentence(row: dict[str, Any]) -> Sentence:
    known: dict[str, Any] = {key: value for key, value in row.items() if key not in _COMMENTS}
    if "due" in known and not isinstance(known["due"], list):
        known["due"] = [known["due"]]
    known |= {key: tuple(value) for key, value in known.items() if isinstance(value, list)}
    return Sentence(**known)


def load_life() -> dict[str, Any]:
    """Read the small world: `now`, Global Context as `context`, and `items`."""
    return dict(json.loads((DATA / "world.json").read_text(encoding="utf-8")))


def make_items(life: dict[str, Any]) -> list[Item]:
    return [Item(created_at=STAMP, updated_at=STAMP, **item) for item in life["items"]]
