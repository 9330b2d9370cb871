"""The trace files: TRACES_DIR/<thread_id>.jsonl, one JSON record a turn."""

import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from ana.errors import StoreBroken
from ana.files import Place, append_lines, list_drafts, write_whole
from ana.own_files import is_trace
from ana.tracing.lines import ID, check_id, format_line, parse_lines, tell_lost
from ana.tracing.port import Traces
from ana.tracing.schema import Record


class TraceFiles(Traces):
    """The traces of a folder, which is created at the first record: each one a line of its thread's file.

    Secrets never reach a file.

    Args:
        place: The person's folder as it was found when it was opened; None for how it is now.
    """

    def __init__(self, folder: Path, secrets: Sequence[str] = (), place: Place | None = None) -> None:
        self.folder = folder
        self._secrets = [s for s in secrets if s]
        self._place = place or Place(folder)
        self._writing = threading.Lock()
        self._lost: set[str] = set()
        """The ids of records that could not be written."""

    def path(self, thread_id: str) -> Path:
        """Return the file of a thread. Raises UserError for an invalid id, which must not reach the file system."""
        return self.folder / f"{check_id(thread_id)}.jsonl"

    def write(self, *records: Record) -> None:
        for thread_id, its in groupby(records, key=lambda record: record["thread_id"]):
            self._append(self.path(thread_id), [*its])

    def _append(self, path: Path, records: list[Record]) -> None:
        try:
            with self._writing:
                self._place.check()
                self.folder.mkdir(parents=True, exist_ok=True)
                append_lines(path, "\n".join(format_line(each, self._secrets) for each in records))
        except (OSError, StoreBroken) as exc:
            why = exc.strerror if isinstance(exc, OSError) else exc.message.rstrip(".")
            self._lost |= {record["id"] for record in records}
            tell_lost(f"The trace {path} cannot be written: {why}.", "Check the disk and TRACES_DIR.")

    def iter_attempts(self, thread_id: str) -> Iterator[Record]:
        return iter_records(self.path(thread_id))

    def find(self, id: str) -> Record | None:
        if self.path(id).exists():
            return next(reversed(self.read(id)), None)
        newest_first = sorted(self._find_files().items(), key=lambda pair: -pair[1])
        return next((r for path, _ in newest_first for r in reversed([*iter_records(path)]) if r["id"] == id), None)

    def ids(self, since: float = 0.0) -> list[str]:
        files = self._find_files().items()
        return sorted(path.stem for path, written in files if written >= since and ID.fullmatch(path.stem))

    def place(self, thread_id: str, id: str) -> str:
        return "" if id in self._lost else str(self.path(thread_id))

    def delete(self, thread_id: str) -> None:
        path = self.path(thread_id)
        for file in (path, *list_drafts(path)):
            file.unlink(missing_ok=True)

    def read_text(self, thread_id: str) -> str:
        return _read(self.path(thread_id)).decode("ascii", "replace")

    def put_back(self, thread_id: str, text: str) -> None:
        if text:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self.path(thread_id), text, mode=0o600)

    def find_mentions(self, mentions: Callable[[bytes], bool]) -> set[str]:
        files = (path for path in self._find_files() if is_trace(path.name))  # others are somebody else's
        return {path.stem for path in files if mentions(_read(path))}

    def _find_files(self) -> dict[Path, float]:
        """Return the files, each with its time of writing, without folders and files that are deleted meanwhile."""
        files = {}
        for path in self.folder.glob("*.jsonl"):
            with suppress(OSError):
                status = path.stat()
                if stat.S_ISREG(status.st_mode):
                    files[path] = status.st_mtime
        return files


def iter_records(path: Path) -> Iterator[Record]:
    """Return the records of a file, without unreadable lines. Raises ConfigError if a newer program wrote one."""
    hint = "Install the newer one, or set TRACES_DIR to another folder."
    return parse_lines(_read(path).decode("ascii", "replace"), str(path), hint)


def _read(path: Path) -> bytes:
    """Return the contents of a file; nothing if it does not exist, or is deleted meanwhile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
