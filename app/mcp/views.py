"""The last text by others that a person's assistants got; shared by all processes for an hour."""

import json
from contextlib import suppress
from datetime import datetime, timedelta

from ana.workspace import Workspace
from nodes.view import SourcedText

HOUR = timedelta(hours=1)
"""How long text that an assistant has read may influence its calls."""

MINUTE = timedelta(minutes=1)
"""A newer note is not written again, because writing waits for the disk."""

MOST = 200
"""Characters of the text to keep, for the reason in a request."""


def note_view(workspace: Workspace, text: SourcedText, now: datetime) -> None:
    """Record that text by others is shown now."""
    known = _read(workspace)
    if known is None or not timedelta() <= now - known[0] < MINUTE:
        workspace.note("shown-to-assistants").write(json.dumps([now.isoformat(), text.source, text.text[:MOST]]))


def read_last_view(workspace: Workspace, now: datetime) -> SourcedText | None:
    """Return the text by others that was shown within the last hour, else None."""
    known = _read(workspace)
    return known[1] if known and now - known[0] < HOUR else None


def _read(workspace: Workspace) -> tuple[datetime, SourcedText] | None:
    with suppress(ValueError, TypeError):  # nothing is noted, or something else
        at, source, text = json.loads(workspace.note("shown-to-assistants").read())
        return datetime.fromisoformat(at), SourcedText(source, text)
    return None
