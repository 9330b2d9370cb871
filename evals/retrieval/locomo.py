"""Files in the format of LoCoMo: long conversations, and questions with the turns that answer them.

Every turn becomes an item with its speaker and date, every conversation a store of its own; a question's evidence is
what should be found. The file itself is not in this repository: its licence does not allow it
(github.com/snap-research/locomo; Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents").
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ana.memory.item import Item
from ana.time.clock import Clock
from evals.retrieval.scores import JudgedQuery, Score

_EVIDENCE = re.compile(r"D(\d+):0*(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_DATE = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True)
class Conversation:
    """One conversation of a file.

    Args:
        items: Its turns.
        queries: Its questions; the kind is the category.
        clock: Stands at the last session.
    """

    items: list[Item]
    queries: list[JudgedQuery]
    clock: Clock


def read_conversations(path: Path) -> list[Conversation]:
    """Read a file."""
    return [_read_conversation(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]


def pool_recall(talks: Sequence[dict[str, Score]]) -> float:
    """Return the mean recall@10 of several conversations; each query counts the same."""
    scores = [score for kinds in talks for score in kinds.values()]
    return sum(score.recall10 * score.count for score in scores) / sum(score.count for score in scores)


def _read_conversation(sample: dict[str, Any]) -> Conversation:
    talk = sample["conversation"]
    sessions = sorted((int(match[1]), key) for key in talk if (match := _SESSION.fullmatch(key)))
    dates = {key: datetime.strptime(talk[f"{key}_date_time"].strip(), _DATE).replace(tzinfo=UTC) for _, key in sessions}
    items = [_make_item(turn, dates[key]) for _, key in sessions for turn in talk[key]]
    queries = [_make_query(place, question) for place, question in enumerate(sample["qa"])]
    last = max(dates.values())
    return Conversation(items, queries, Clock(UTC, lambda: last))


def _make_item(turn: dict[str, Any], at: datetime) -> Item:
    caption = f" [a picture: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    properties = {"speaker": turn["speaker"], "date": at.date().isoformat()}
    stamp = at.isoformat(timespec="microseconds")
    return Item(_parse_turn_id(turn["dia_id"]), turn["text"] + caption, dict(properties), stamp, stamp)


def _make_query(place: int, question: dict[str, Any]) -> JudgedQuery:
    evidence = dict.fromkeys(
        _parse_turn_id(match[0]) for part in question["evidence"] for match in _EVIDENCE.finditer(str(part))
    )
    return JudgedQuery(f"q{place}", f"category {question['category']}", question["question"], None, tuple(evidence))


def _parse_turn_id(text: str) -> str:
    match = _EVIDENCE.search(text)
    if match is None:
        raise ValueError(f"{text!r} is not a turn's id")
    return f"D{match[1]}:{match[2]}"
