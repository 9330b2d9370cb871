"""The request that a terminal was shown last in a conversation: a decision that names none is to that one alone."""

import hashlib
import re
from contextlib import suppress
from pathlib import Path

from ana.files import read_small, write_whole
from ana.machine import find_session
from ana.settings import Settings
from app.outcome import Waiting

MOST = 50
"""Terminals and conversations that are remembered; the oldest are forgotten. `read_small` reads as many lines."""

_LINE = re.compile("^[0-9a-f]{32} [0-9a-f]{32}$", re.MULTILINE)
"""Which terminal and conversation, and the request."""


def remember_shown(settings: Settings, waiting: Waiting) -> None:
    """Note that this terminal was shown a request; nothing if the output goes elsewhere."""
    key = _find_key(waiting.thread_id, find_session(1))
    if key is None:
        return
    others = [line for line in _read_lines(settings) if not line.startswith(key)]
    with suppress(OSError):  # what cannot be noted is shown again
        write_whole(_note(settings), "\n".join([*others[1 - MOST :], f"{key} {waiting.request_id}"]))


def find_shown(settings: Settings, thread_id: str) -> str | None:
    """Return the id of the request that this terminal was shown last in a conversation, as far as is known."""
    key = _find_key(thread_id, find_session(0, 1, 2))
    shown = dict(line.split() for line in _read_lines(settings))
    return shown.get(key) if key else None


def _find_key(thread_id: str, session: str | None) -> str | None:
    """Return what a line begins with: a digest, because when a person was at which terminal is nobody's business."""
    return hashlib.sha256(f"{session} {thread_id}".encode()).hexdigest()[:32] if session else None


def _read_lines(settings: Settings) -> list[str]:
    try:
        return _LINE.findall(read_small(_note(settings)))
    except OSError:
        return []


def _note(settings: Settings) -> Path:
    return settings.ana_data_dir / "shown"
