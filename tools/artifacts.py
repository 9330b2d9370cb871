"""Artifacts: the data that a tool's message carries beside its text, for people and for the nodes, never for the model.

An artifact has one of five shapes: a receipt, several ({changes}), the reasons of a query ({why}), or the mark of a
refused copy ({refused_copy_of, content}) or of a call that the person declined ({declined}). All are plain JSON,
because they are checkpointed with the message.
"""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any, TypeAlias

from langchain_core.messages import AnyMessage, ToolMessage

from ana.memory.changes import Change
from ana.memory.receipts import Receipt as Receipt
from ana.memory.receipts import make_receipt
from ana.memory.search.result import QueryResult
from ana.tracing.schema import RefusedCall

Artifact: TypeAlias = dict[str, Any]


def collect_receipts(changes: Sequence[Change], zone: tzinfo | None = None) -> Artifact:
    """Return the receipts of several writes, with moments in the person's zone."""
    return {"changes": [make_receipt(change, zone) for change in changes]}


def explain(matches: QueryResult) -> Artifact:
    """Return the reasons for which each item was found."""
    reasons = zip(matches.items, matches.reasons, strict=True)
    return {"why": [{"id": item.id} | reason.to_json() for item, reason in reasons]}


def decline(what: RefusedCall | str) -> Artifact:
    """Return the mark of a call that was not run because the person said no, with what it would have changed, of an
    earlier version in words; because nobody decided, with an empty text.
    """
    return {"declined": what}


def refuse_copy(id: str, content: str) -> Artifact:
    """Return the mark of a copy that was not stored, with the id and the text of the item that says the same."""
    return {"refused_copy_of": id, "content": content}


def receipts_of(message: AnyMessage) -> list[Receipt]:
    """Return the receipts of the writes that a message answers, in order."""
    artifact = _artifact_of(message)
    several: list[Receipt] = artifact.get("changes", [])
    return [artifact] if "op" in artifact else several


def find_existing(message: AnyMessage) -> str | None:
    """Return the text of the existing item if a message says that create_item stored nothing because of it."""
    artifact = _artifact_of(message)
    return str(artifact.get("content", "")) if "refused_copy_of" in artifact else None


def find_declined(message: AnyMessage) -> RefusedCall | str | None:
    """Return what the mark of a declined call holds, an empty text if nobody decided; None without a mark."""
    declined: RefusedCall | str | None = _artifact_of(message).get("declined")
    return declined


def list_declined(messages: Sequence[AnyMessage]) -> list[RefusedCall | str]:
    """Return the calls that the person declined, in order."""
    return [declined for each in messages if (declined := find_declined(each))]


def _artifact_of(message: AnyMessage) -> dict[str, Any]:
    artifact = message.artifact if isinstance(message, ToolMessage) else None
    return artifact if isinstance(artifact, dict) else {}
