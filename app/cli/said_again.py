"""A copy that `ana ask` refused is kept if the same words come again soon: each call is a conversation of its own."""

import hashlib
import time
from pathlib import Path

from ana.files import read_small, write_whole
from ana.settings import Settings

SECONDS = 600
"""How long the same words count as said once more; a job that runs every hour means a new item each time."""


def remember_refusal(settings: Settings, thread_id: str, said: str) -> None:
    """Note that a copy was refused in this conversation, after these words."""
    write_whole(_note(settings), f"{thread_id} {_digest(said)}")


def take_refusal(settings: Settings, said: str) -> str | None:
    """Return the conversation in which these words were refused a moment ago, and forget it."""
    note = _note(settings)
    try:
        thread_id, known = read_small(note).split()
        age = time.time() - note.stat().st_mtime
    except (OSError, ValueError):
        return None
    if known != _digest(said) or not 0 <= age <= SECONDS:
        return None
    note.unlink(missing_ok=True)
    return thread_id


def _note(settings: Settings) -> Path:
    return settings.ana_data_dir / "refused_copy"


def _digest(said: str) -> str:
    """Return a digest of the words: what a person said is not kept in one more place."""
    return hashlib.sha256(" ".join(said.split()).casefold().encode("utf-8", "surrogatepass")).hexdigest()
