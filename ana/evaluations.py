"""The results of the last evaluations: only figures, nobody's words."""

from contextlib import suppress
from dataclasses import dataclass

from pydantic_core import to_json

from ana.errors import StoreBroken
from ana.files import write_whole
from ana.notes import read_note
from ana.workspace import Workspace

MOST = 10
"""Evaluations that are kept."""


@dataclass(frozen=True)
class Evaluation:
    """The result of a set of tasks.

    Args:
        ts: The time, in ISO 8601.
        right: The share of right runs by group of tasks, and of all runs under `all`.
    """

    ts: str
    model: str
    right: dict[str, float]


def read_evaluations(workspace: Workspace) -> list[Evaluation]:
    """Return the stored evaluations, the newest first; none if they cannot be read."""
    with suppress(StoreBroken):
        return read_note(workspace.evaluations_file, list[Evaluation]) or []
    return []


def keep_evaluation(workspace: Workspace, evaluation: Evaluation) -> None:
    """Keep an evaluation beside the last ones."""
    evaluations = [evaluation, *read_evaluations(workspace)][:MOST]
    workspace.evaluations_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(workspace.evaluations_file, to_json(evaluations, indent=1).decode(), mode=0o600)
