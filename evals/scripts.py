"""What is typed in the README's pictures, and what the model replies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ana.models.scripted import calls
from ana.values import Properties


@dataclass(frozen=True)
class Picture:
    """A conversation that is drawn.

    Args:
        name: The beginning of its files' names.
        lines: What is typed.
        replies: What the model replies.
    """

    name: str
    lines: Sequence[str]
    replies: Sequence[Any]


def _task(due: str, **more: str) -> Properties:
    return {"type": "task", "due_date": due, **more}


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
)
