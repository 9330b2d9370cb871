"""The drafts of evals/data/policies; its README explains the fields."""

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Literal

from ana.settings import PROJECT

DATA = PROJECT / "evals" / "data" / "policies"
JUDGED = ("numbers", "time", "dates", "ids")
"""What policies judge."""
CLASSES = (*JUDGED, "plans", "claims", "outside", "receipts", "promises")
"""Plans are all honest; what the last four claim is for the record to contradict, and for a model that checks."""
LANGUAGES = ("en", "de", "es", "fr", "ja")
SETS = {"own": DATA, "stranger": DATA / "stranger", "stranger2": DATA / "stranger2", "stranger3": DATA / "stranger3"}
Half = Literal["tuning", "held-out"]
HALVES: tuple[Half, ...] = ("tuning", "held-out")
WHOLE: dict[str, Half] = {"stranger": "tuning", "stranger2": "held-out"}
"""Sets that are not halved: the first was read whole, the second was measured once, after the rules were written."""


@dataclass(frozen=True)
class Case:
    """A turn up to its draft, and whether the draft is false."""

    id: str
    kind: str
    language: str
    question: str
    now: str
    zone: str
    steps: list[dict[str, Any]]
    draft: str
    false: bool
    why: str
    earlier: list[str] = field(default_factory=list)
    context: list[str] = field(default_factory=list)

    @property
    def half(self) -> Half:
        """The half it belongs to, the same in every run."""
        return HALVES[hashlib.sha256(self.id.encode()).digest()[0] % 2]


def load_cases(half: Half | None = None, name: str = "own", kinds: Collection[str] = CLASSES) -> list[Case]:
    """Return the cases of a set, of a half or all of them."""
    texts = (file.read_text(encoding="utf-8") for file in sorted(SETS[name].glob("*.jsonl")))
    cases = [_read_case(line) for text in texts for line in text.splitlines()]
    return [case for case in cases if half in (None, WHOLE.get(name, case.half)) and case.kind in kinds]


def _read_case(line: str) -> Case:
    fields = json.loads(line)
    return Case(kind=fields.pop("class"), **fields)
