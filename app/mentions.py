"""Mentions of purged records outside the store: in logs, in typed lines, in a server's copies."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from ana.files import write_whole
from ana.logs import list_log_files
from ana.memory.changes import Entry
from ana.values import fold_case
from ana.workspace import Workspace
from app.show.text import pluralize

SHORTEST = 8
"""A shorter text than this is in conversations that have nothing to do with the record. Ids have as many characters."""

LONGEST = 80
"""Of a long text so many characters are looked for: it may have been cut where it was shown."""

_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|([nrtbf/\"]))?")
"""An escape of JSON, in a text that is JSON inside JSON too, or a backslash."""

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", None: "\\"}

_TYPED = "\n# "
"""What begins a message in the file of what was typed: a comment with its moment. Each line of it begins with a +."""


class Mentions:
    """The signs of a mention: ids and texts, in any case, and as JSON writes them."""

    def __init__(self, texts: Iterable[str]) -> None:
        stripped = (text.strip() for text in texts)
        self._needles = {_fold(text[:LONGEST]) for text in stripped if len(text) >= SHORTEST}

    def are_in(self, data: bytes) -> bool:
        """Return whether a file, a line or a database's value holds one."""
        text = _fold(data.decode("utf-8", "replace"))
        return any(needle in text for needle in self._needles)


def list_texts(entries: Iterable[Entry]) -> set[str]:
    """Return the texts that records have, or had, by the entries of the journal."""
    changes = [entry.change for entry in entries]
    return {side.content for change in changes for side in (change.before, change.after) if side}


def remove_lines(workspace: Workspace, mentions: Mentions) -> None:
    """Delete log lines with a mention, and the dev server's copies of conversations."""
    for copy in workspace.server_folder.rglob("*.pckl*"):
        copy.unlink(missing_ok=True)
    for file in list_log_files(workspace.settings):
        # in its place, because other processes have it open
        with file.open("r+b") as log:
            lines = log.readlines()
            remaining = [line for line in lines if not mentions.are_in(line)]
            if len(remaining) < len(lines):
                log.seek(0)
                log.writelines(remaining)
                log.truncate()


def remove_typed(file: Path, mentions: Mentions, messages: Collection[str]) -> None:
    """Delete typed lines that are one of these messages, or contain a mention."""
    if file.exists():
        begin, *typed = file.read_bytes().decode(errors="replace").split(_TYPED)
        entries = [(each, "\n".join(line[1:] for line in each.split("\n")[1:]).strip()) for each in typed]
        remaining = [each for each, text in entries if text not in messages and not mentions.are_in(text.encode())]
        write_whole(file, _TYPED.join([begin, *remaining]), mode=0o600)


def name_unreached(workspace: Workspace) -> list[str]:
    """Return a sentence for each place that no command reaches and that may still contain the deleted texts."""
    sentences = []
    if backups := workspace.list_backups():
        sentences.append(f"{pluralize(len(backups), 'backup')} in {backups[0].parent} may hold them.")
    if aside := workspace.list_set_aside():
        sentences.append(f"What was put aside in {aside[0].parent} may hold them.")
    return sentences


def _fold(text: str) -> str:
    """Return a text without its escapes, in a form that ignores case, the encoding of accents, and kinds of spaces."""
    plain = _ESCAPE.sub(_unescape, text)
    whole = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # two escapes may be one character
    return " ".join(str(fold_case(whole)).split())


def _unescape(match: re.Match[str]) -> str:
    number, letter = match.groups()
    return chr(int(number, 16)) if number else _ESCAPES.get(letter, letter)
