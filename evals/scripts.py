"""What is typed in the README's pictures, and what the model replies."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from ana.models.scripted import calls
from ana.values import Properties


@dataclass(frozen=True)
class Picture:
    """A conversation that is drawn.

    Args:
        name: The beginning of its files' names.
        said: What is typed.
        replies: What the model replies.
        kept: Items that are there already.
    """

    name: str
    said: Sequence[str]
    replies: Sequence[Any]
    kept: Sequence[tuple[str, Properties]] = ()


def _task(due: str, **more: str) -> Properties:
    return {"type": "task", "due_date": due, **more}


def _move_found(messages: list[BaseMessage]) -> AIMessage:
    """Move the items that were found to days of the next week."""
    found = json.loads(re.findall(r"\{.*\}", messages[-1].text, re.DOTALL)[0])["items"]
    days = ("2026-01-13T10:00", "2026-01-12", "2026-01-16")
    moves = zip(found, days, strict=True)
    return calls(*(("update_item", {"id": item["id"], "properties": {"due_date": day}}) for item, day in moves))


PICTURES = (
    Picture(
        "conversation",
        (
            "We redo the kitchen in March. Priya does the tiles, and I owe her the measurements by Friday.",
            "who was it that does the wall, and what is she waiting for?",
            "dentist for both kids tomorrow at 8:15",
            "undo",
        ),
        (
            calls(
                (
                    "create_item",
                    {
                        "content": "Redo the kitchen; Priya does the tiles",
                        "properties": {"type": "project", "start_date": "2026-03-01", "end_date": "2026-03-31"},
                    },
                ),
                (
                    "create_item",
                    {
                        "content": "Send Priya the kitchen measurements",
                        "properties": _task("2026-01-09", person="Priya", project="kitchen"),
                    },
                ),
            ),
            "I kept the kitchen as a project for March, and the measurements for Priya as a task for this Friday.",
            calls(("query_items", {"text": "who works on the wall", "where": {"status": {"$nin": ["done"]}}})),
            "Priya: she does the tiles. She is waiting for the kitchen measurements, due on Friday.",
            calls(
                (
                    "create_item",
                    {
                        "content": "Dentist for both kids",
                        "properties": {"type": "appointment", "start_date": "2026-01-08T08:15"},
                    },
                )
            ),
            "Kept: the dentist for both kids, tomorrow at 8:15.",
        ),
    ),
    Picture(
        "approval",
        ("I am ill, nothing this week please", "y", "/items"),
        (
            calls(("query_items", {"where": {"due_date": {"$gte": "2026-01-07", "$lte": "2026-01-11"}}})),
            _move_found,
            "Get well soon. All three are next week now, the dentist on Tuesday at 10:00.",
        ),
        (
            ("Send Priya the kitchen measurements", _task("2026-01-09", person="Priya")),
            ("Dentist for both kids", {"type": "appointment", "due_date": "2026-01-08T10:00"}),
            ("Bring the books back to the library", _task("2026-01-10")),
            ("Water the orchids", _task("2026-01-06")),
            ("Renew the passport", _task("2026-01-28")),
            ("A bigger window would be lovely", {"type": "idea"}),
            ("Pay the deposit for the tiles", _task("2026-01-05", status="done")),
        ),
    ),
)
