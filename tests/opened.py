"""Handles in a folder of a test's own, with items in memory, and a script or a provider for a model."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ana.backends.in_memory import InMemoryBackend
from ana.handles import Handles, open_handles
from ana.memory.memory import Memory
from ana.models.scripted import ScriptedModel
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.workspace import open_workspace
from prompts import decision_prompt
from tests.conftest import BERLIN, EMBEDDER, folders


def open_in(folder: Path, *replies: Any, **env: str) -> Handles:
    """Return handles whose model replies from a script; without one it is the model that the settings name.

    Args:
        folder: Where everything but the items is kept.
        replies: The script.
        env: Settings beside those of the folder.
    """
    workspace = open_workspace(load_settings(folders(folder, **env)))
    model = ScriptedModel(replies=list(replies)) if replies else None
    return open_handles(workspace, model=model, backend=InMemoryBackend(EMBEDDER), instruct=decision_prompt)


def set_clock(handles: Handles, source: Callable[[], datetime]) -> Handles:
    """Return the handles with a clock in Berlin that a test sets."""
    clock = Clock(BERLIN, source)
    return replace(handles, clock=clock, memory=Memory(handles.memory.backend, clock))
