"""What was said about purged records: conversations, traces, typed lines, the server's copies and lines of the log."""

import json
import os
from collections.abc import Collection, Iterable
from pathlib import Path

from ana.errors import StoreBusy
from ana.files import open_own
from ana.logs import list_log_files
from ana.memory.changes import Entry
from ana.own_files import is_trace
from ana.settings import Settings
from ana.tracing.traces import Traces
from app.serving import FOLDER, is_serving
from app.threads import Threads

SHORTEST = 8
"""A shorter text than this is in conversations that have nothing to do with the record. Ids have as many characters."""

LONGEST = 80
"""Of a long text so many characters are looked for: it may have been cut where it was shown."""


def make_needles(entries: Iterable[Entry]) -> set[bytes]:
    """Return what gives a mention of records away: their ids and texts, in lower case and as JSON writes them."""
    needles: set[bytes] = set()
    for change in (entry.change for entry in entries):
        texts = [side.content.strip()[:LONGEST] for side in (change.before, change.after) if side]
        for text in (change.id, *texts):
            if len(text) >= SHORTEST:
                forms = (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
                needles |= {form.encode("utf-8", "replace").lower() for form in forms}
    return needles


def refuse_while_serving(settings: Settings) -> None:
    """Refuse while a server runs: it would write its copy of the conversations to its files again.

    Raises:
        StoreBusy: A server works on the data folder.
    """
    if is_serving(settings):
        raise StoreBusy(
            "The server is running and keeps a copy of the conversations.", "Stop it (`make dev`), then purge again."
        )


def find_conversations(settings: Settings, entries: Collection[Entry]) -> set[str]:
    """Return the ids of threads that changed or mention records, deleted threads and lone traces among them."""
    from graph.checkpoints import saver_path
    from graph.trash import find_threads

    needles, traces = make_needles(entries), Traces(settings.traces_dir)
    ours = [id for id in traces.ids() if is_trace(traces.path(id).name)]
    changed = {entry.thread for entry in entries if entry.thread}
    told = {id for id in ours if _mentions(traces.path(id).read_bytes(), needles)}
    known = {*Threads(settings).ids(), *ours}
    of_changed = {deleted.id for deleted in Threads(settings).list_deleted() if deleted.thread in changed}
    return (changed & known) | of_changed | told | find_threads(saver_path(settings), needles)


def remove_mentions(settings: Settings, entries: Collection[Entry], conversations: Collection[str]) -> None:
    """Delete conversations permanently, all typed lines, the server's copies, and log lines that mention records."""
    Threads(settings).purge(conversations)
    (settings.ana_data_dir / "typed").unlink(missing_ok=True)
    for copy in (settings.ana_data_dir / FOLDER).rglob("*.pckl*"):
        copy.unlink(missing_ok=True)
    needles = make_needles(entries)
    for file in list_log_files(settings):
        _remove_lines(file, needles)


def _remove_lines(file: Path, needles: Collection[bytes]) -> None:
    # in its place, because other processes have it open; through the link that a setting may name
    with os.fdopen(open_own(file.resolve(), os.O_RDWR), "r+b") as log:
        lines = log.readlines()
        kept = [line for line in lines if not _mentions(line, needles)]
        if len(kept) < len(lines):
            log.seek(0)
            log.writelines(kept)
            log.truncate()


def _mentions(data: bytes, needles: Collection[bytes]) -> bool:
    low = data.lower()
    return any(needle in low for needle in needles)
