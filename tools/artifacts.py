"""Artifacts: what a tool's message carries beside its text, for people and for the nodes, never for the model.

An artifact has one of five shapes: a receipt, several receipts, the reasons of a query, or the mark of a refused copy
or of a call that the person declined. All are plain JSON, because they are checkpointed with the message.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypedDict

from langchain_core.messages import AnyMessage, ToolMessage

from ana.memory.changes import Change
from ana.memory.receipts import make_receipt, reason_to_json
from ana.memory.search.found import Found

Receipt: TypeAlias = dict[str, Any]
"""The record of one write as people are shown it: {op, kind, id, before, after}."""


class Receipts(TypedDict):
    """Several writes of one call."""

    changes: list[Receipt]


class Reasons(TypedDict):
    """Why a query found each item, for the trace."""

    why: list[dict[str, Any]]


class RefusedCopy(TypedDict):
    """Nothing was stored, because this item says the same."""

    refused_copy_of: str
    content: str


class Declined(TypedDict):
    """Nothing was done, because the person said no."""

    declined: bool


Artifact: TypeAlias = Receipt | Receipts | Reasons | RefusedCopy | Declined

DECLINED: Declined = {"declined": True}


def collect_receipts(changes: Sequence[Change]) -> Receipts:
    """Return the receipts of several writes."""
    return {"changes": [make_receipt(change) for change in changes]}


def explain(found: Found) -> Reasons:
    """Return why each item was found."""
    return {
        "why": [
            {"id": item.id} | reason_to_json(reason) for item, reason in zip(found.items, found.reasons, strict=True)
        ]
    }


def refuse_copy(id: str, content: str) -> RefusedCopy:
    """Return the mark of a copy that was not stored.

    Args:
        id: The item that says the same.
        content: Its text.
    """
    return {"refused_copy_of": id, "content": content}


def receipts_of(message: AnyMessage) -> list[Receipt]:
    """Return the receipts of the writes that a message answers, in order."""
    artifact = _artifact_of(message)
    several: list[Receipt] = artifact.get("changes", [])
    return [artifact] if "op" in artifact else several


def is_refused_copy(message: AnyMessage) -> bool:
    """Whether a message answers a create_item that stored nothing, because another item says the same."""
    return find_existing(message) is not None


def find_existing(message: AnyMessage) -> str | None:
    """Return the text of the item because of which a create_item stored nothing, if a message answers such a call."""
    artifact = _artifact_of(message)
    return str(artifact.get("content", "")) if "refused_copy_of" in artifact else None


def is_declined(message: AnyMessage) -> bool:
    """Whether a message answers a call that the person declined."""
    return "declined" in _artifact_of(message)


def _artifact_of(message: AnyMessage) -> dict[str, Any]:
    artifact = message.artifact if isinstance(message, ToolMessage) else None
    return artifact if isinstance(artifact, dict) else {}
