"""The request that a terminal was shown last in a conversation: a decision that names none is to that one alone."""

import hashlib
import re
from contextlib import suppress

from ana.machine import find_session
from ana.workspace import Workspace
from app.outcome import Waiting

MOST = 50
"""Terminals and conversations that are remembered; the oldest are forgotten. `read_small` reads as many lines."""

_LINE = re.compile("^[0-9a-f]{32} [0-9a-f]{32}$", re.MULTILINE)
"""Which terminal and conversation, and the request."""


def remember_shown(workspace: Workspace, waiting: Waiting) -> None:
    """Note that this terminal was shown a request; nothing if the output goes elsewhere."""
    key = _find_key(waiting.thread_id, find_session(1))
    if key is None:
        return
    others = [line for line in _read_lines(workspace) if not line.startswith(key)]
    with suppress(OSError):  # what cannot be noted is shown again
        workspace.note("shown").write("\n".join([*others[1 - MOST :], f"{key} {waiting.request_id}"]))


def find_shown(workspace: Workspace, thread_id: str) -> str | None:
    """Return the id of the request that this terminal was shown last in a conversation, as far as is known."""
    key = _find_key(thread_id, find_session(0, 1, 2))
    shown = dict(line.split() for line in _read_lines(workspace))
    return shown.get(key) if key else None


def _find_key(thread_id: str, session: str | None) -> str | None:
    """Return what a line begins with: a digest, because when a person was at which terminal is nobody's business."""
    return hashlib.sha256(f"{session} {thread_id}".encode()).hexdigest()[:32] if session else None


def _read_lines(workspace: Workspace) -> list[str]:
    return _LINE.findall(workspace.note("shown").read())
