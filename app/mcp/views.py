"""The last text of others that other assistants of a person were shown: any process knows it, for an hour."""

import json
from contextlib import suppress
from datetime import datetime, timedelta

from ana.workspace import Workspace
from nodes.view import SourcedText

HOUR = timedelta(hours=1)
"""So long a text that was read may speak through an assistant."""

MINUTE = timedelta(minutes=1)
"""A note that is not older is not written again: each waits for the disk."""

MOST = 200
"""Characters of the text that are kept, for the reason why something asks."""


def note_view(workspace: Workspace, text: SourcedText, now: datetime) -> None:
    """Keep that a text of others was shown at this moment."""
    known = _read(workspace)
    if known is None or not timedelta() <= now - known[0] < MINUTE:
        workspace.note("shown-to-assistants").write(json.dumps([now.isoformat(), text.source, text.text[:MOST]]))


def read_last_view(workspace: Workspace, now: datetime) -> SourcedText | None:
    """Return the text of others that was shown within the last hour; None if there was none."""
    known = _read(workspace)
    return known[1] if known and now - known[0] < HOUR else None


def _read(workspace: Workspace) -> tuple[datetime, SourcedText] | None:
    with suppress(ValueError, TypeError):  # nothing is noted, or something else
        at, source, text = json.loads(workspace.note("shown-to-assistants").read())
        return datetime.fromisoformat(at), SourcedText(source, text)
    return None
