"""The purge of what was said about records: conversations, traces, typed lines, the server's copies, log lines."""

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from ana.files import open_own
from ana.logs import list_log_files
from ana.memory.changes import Entry
from ana.threads.ids import is_thread_id
from ana.values import fold_case
from ana.workspace import Workspace

SHORTEST = 8
"""A shorter text than this is in conversations that have nothing to do with the record. Ids have as many characters."""

LONGEST = 80
"""Of a long text so many characters are looked for: it may have been cut where it was shown."""


_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|([nrtbf/\"]))?")
"""An escape of JSON, in a text that is JSON inside JSON too, or a backslash."""

_MEANT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", None: "\\"}


class Mentions:
    """What gives a mention of records away: their ids and texts, in any case, and as JSON writes them.

    Args:
        entries: The changes of the records.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        changes = [entry.change for entry in entries]
        sides = (side for change in changes for side in (change.before, change.after) if side)
        texts = {*(change.id for change in changes), *(side.content.strip()[:LONGEST] for side in sides)}
        self._needles = {_fold(text) for text in texts if len(text) >= SHORTEST}

    def are_in(self, data: bytes) -> bool:
        """Return whether a file, a line or a database's value holds one."""
        text = _fold(data.decode("utf-8", "replace"))
        return any(needle in text for needle in self._needles)


def _fold(text: str) -> str:
    """Return a text without its escapes, in the form in which all cases, accents' spellings and spaces are equal."""
    plain = _ESCAPE.sub(_unescape, text)
    whole = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # two escapes may be one character
    return " ".join(str(fold_case(whole)).split())


def _unescape(found: re.Match[str]) -> str:
    number, letter = found.groups()
    return chr(int(number, 16)) if number else _MEANT.get(letter, letter)


def find_conversations(workspace: Workspace, entries: Collection[Entry]) -> set[str]:
    """Return the ids of threads that changed or mention records, deleted threads and lone traces among them."""
    mentions, threads = Mentions(entries), workspace.open_threads()
    changed = {entry.thread for entry in entries if entry.thread}
    known = {*threads.store.ids(), *filter(is_thread_id, workspace.open_traces().ids())}
    of_changed = {deleted.id for deleted in threads.store.list_trash() if deleted.thread in changed}
    return (changed & known) | of_changed | threads.find_mentions(mentions.are_in)


def purge_mentions(workspace: Workspace, entries: Collection[Entry], conversations: Collection[str]) -> None:
    """Delete conversations permanently, all typed lines, the server's copies, and log lines that mention records."""
    workspace.open_threads().purge(conversations)
    workspace.typed_file.unlink(missing_ok=True)
    for copy in workspace.server_folder.rglob("*.pckl*"):
        copy.unlink(missing_ok=True)
    for file in list_log_files(workspace.settings):
        _remove_lines(file, Mentions(entries))


def _remove_lines(file: Path, mentions: Mentions) -> None:
    # in its place, because other processes have it open; through the link that a setting may name
    with os.fdopen(open_own(file.resolve(), os.O_RDWR), "r+b") as log:
        lines = log.readlines()
        kept = [line for line in lines if not mentions.are_in(line)]
        if len(kept) < len(lines):
            log.seek(0)
            log.writelines(kept)
            log.truncate()
