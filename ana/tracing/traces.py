"""The trace files: TRACES_DIR/<thread_id>.jsonl, one JSON record a turn."""

import json
import logging
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ana import __version__
from ana.errors import ConfigError, LinkRefused, UserError
from ana.files import append_line, list_drafts, write_whole
from ana.logs import hide_secrets
from ana.output import tell

_log = logging.getLogger(__name__)

FORMAT = 1
NO_THREAD = "none"
"""The thread id in the records of runs that have no thread: none of them follows another."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

_NEEDED = {"id", "ts", "question", "steps", "answer"}


class Step(TypedDict):
    """A step of a turn: a tool call, or a violation under a name that starts with ⛔️.

    `why` holds, for a query, the reasons each item was found; the model does not see it.
    """

    tool: str
    args: dict[str, Any]
    observation: Any
    why: NotRequired[list[dict[str, Any]]]


class Part(TypedDict):
    """One run of a node."""

    node: str
    clock: list[str]
    """What the clock told in it, in order, ISO 8601 in UTC."""
    at: NotRequired[tuple[int, str]]
    """Number and time of the journal's newest entry when it began; 0 and nothing for an empty journal."""


class Inputs(TypedDict):
    """What decides about a turn beside its message and the model's decisions: what it can be run again from."""

    version: str
    """Of ana."""
    tools: dict[str, str]
    """Digests of the tools' schemas: `ana` for ours together, and each of the person's own by name."""
    embedder: str
    zone: str
    autonomy: str
    max_steps: int
    history_tokens: int
    waits: bool
    """Whether a person could be asked."""
    left_out: list[str]
    """Kinds of content that were taken out of the message."""
    turns: int
    """How many earlier turns the conversation held."""
    history: str
    """Digest of their messages."""
    summary: str
    """What stood for turns that the conversation no longer held."""
    summarised: NotRequired[str]
    """What the model made of it and of the turns that were dropped."""
    items: int
    lines: str
    """Digest of Global Context."""
    parts: list[Part]
    given: NotRequired[list[Any]]
    """The person's replies to the turn's requests."""


class Record(TypedDict):
    """One turn."""

    id: str
    ts: str
    question: str
    message: NotRequired[str]
    """Id of the user message."""
    previous: NotRequired[str | None]
    """The turn before it in the thread's state."""
    steps: list[Step]
    answer: str
    receipt: NotRequired[str]
    """What stood under the answer."""
    changes: NotRequired[list[dict[str, Any]]]
    """The receipts of what the turn wrote."""
    usage: dict[str, Any]
    cost_usd: float | None
    """None where the model's price is not known."""
    thread_id: str
    model: str
    provider: str
    durations: dict[str, float]
    decisions: list[dict[str, Any]]
    format: int
    error: str | None
    inputs: NotRequired[Inputs]
    """Absent in records of earlier versions, and of turns that ended before they began."""


class Traces:
    """Writes and finds records.

    Args:
        folder: The folder of the files; created at the first record.
        secrets: Texts that never reach a file.
    """

    def __init__(self, folder: Path, secrets: Sequence[str] = ()) -> None:
        self.folder = folder
        self._secrets = [s for s in secrets if s]
        self._writing = threading.Lock()

    def path(self, thread_id: str) -> Path:
        """The file of a thread.

        Raises:
            UserError: The id does not look like one, so it must not reach the file system.
        """
        if not _ID.fullmatch(thread_id):
            raise UserError(f"{thread_id!r} is not an id.", "Ids are letters, digits, - and _.")
        return self.folder / f"{thread_id}.jsonl"

    def write(self, record: Record) -> None:
        """Append a record and flush it to the disk; that it cannot be written is told, and fails no turn."""
        path = self.path(record["thread_id"])
        line = hide_secrets(json.dumps(record, ensure_ascii=True, default=str), self._secrets)
        try:
            with self._writing:
                self.folder.mkdir(parents=True, exist_ok=True)
                append_line(path, line)
        except (OSError, LinkRefused) as exc:
            why = exc.strerror if isinstance(exc, OSError) else "it is a link"
            said = f"The trace {path} cannot be written: {why}. The turn is done, but no record of it is kept."
            _log.warning(said)
            tell(f"{said} Check the disk and TRACES_DIR.")

    def read(self, thread_id: str) -> list[Record]:
        """A thread's turns, oldest first, each as it was answered last; a line cut short by a crash is skipped."""
        records = list(iter_records(self.path(thread_id)))
        return records if thread_id == NO_THREAD else select_newest(records)

    def page(self, thread_id: str, limit: int, before: str | None = None) -> list[Record]:
        """A part of a conversation, oldest first: the last turns, or those before one that was shown.

        Args:
            thread_id: The conversation.
            limit: How many turns at most.
            before: The id of a turn; only earlier ones are returned.

        Raises:
            UserError: There is no such turn in it.
        """
        records = self.read(thread_id)
        if before is not None:
            at = next((n for n, record in enumerate(records) if record["id"] == before), None)
            if at is None:
                raise UserError(f"The conversation has no turn {before!r}.", "Leave it out for the last turns.")
            records = records[:at]
        return records[-limit:]

    def find(self, id: str) -> Record | None:
        """The newest record with this id, or of the thread with this id."""
        if self.path(id).exists():
            return next(reversed(self.read(id)), None)
        files = sorted(self.folder.glob("*.jsonl"), key=lambda p: -p.stat().st_mtime) if self.folder.exists() else []
        return next((r for f in files for r in reversed([*iter_records(f)]) if r["id"] == id), None)

    def ids(self) -> list[str]:
        """The threads that have a file."""
        return sorted(path.stem for path in self.folder.glob("*.jsonl") if _ID.fullmatch(path.stem))

    def forget(self, thread_id: str, before: datetime) -> int:
        """Remove the records from before a moment and return how many that were. Nobody may write meanwhile."""
        records = list(iter_records(self.path(thread_id)))
        kept = [record for record in records if moment(record) >= before]
        if len(kept) < len(records):
            path = self.path(thread_id)
            write_whole(path, "".join(f"{json.dumps(record)}\n" for record in kept), mode=0o600)
            if not kept:
                path.unlink()
        return len(records) - len(kept)

    def delete(self, thread_id: str) -> None:
        """Delete a thread's file, and drafts of it that a crash has left."""
        path = self.path(thread_id)
        for file in (path, *list_drafts(path)):
            file.unlink(missing_ok=True)

    def read_text(self, thread_id: str) -> str:
        """Return a thread's file as it is; empty without one."""
        path = self.path(thread_id)
        return path.read_text(encoding="ascii", errors="replace") if path.exists() else ""

    def put_back(self, thread_id: str, text: str) -> None:
        """Write a thread's file as `read_text` gave it; nothing without a text."""
        if text:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self.path(thread_id), text, mode=0o600)


def select_newest(records: Iterable[Record]) -> list[Record]:
    """Return the records that stand, as the thread's state does.

    A turn that is answered again, or whose question is edited, takes the place of the earlier attempt and of what
    followed that one. Attempts share their id, the id of the user message, or the turn before them.

    Args:
        records: All of a thread, the oldest first.
    """
    standing: list[Record] = []
    places: dict[tuple[str, str], int] = {}
    for record in records:
        names = [name for name in ("id", "message") if record.get(name)]
        # a turn with none before it is the first; records from before there was "previous" do not tell
        names += ["previous"] if "previous" in record else []
        keys = [(name, str(record.get(name))) for name in names]
        place = min([len(standing), *(places[key] for key in keys if key in places)])
        standing[place:] = [record]
        places.update(dict.fromkeys(keys, place))
    return standing


def moment(record: Record) -> datetime:
    """When a turn began."""
    return datetime.fromisoformat(record["ts"])


def count_broken_lines(path: Path) -> int:
    """How many lines of a trace file are not records."""
    text = path.read_text(encoding="ascii", errors="replace")
    return len(text.splitlines()) - sum(1 for _ in iter_records(path))


def iter_records(path: Path) -> Iterator[Record]:
    """Yield the records of a file; lines that are not records are left out.

    Raises:
        ConfigError: A newer program wrote one.
    """
    if not path.exists():
        return
    for line in path.read_text(encoding="ascii", errors="replace").splitlines():
        try:
            record = json.loads(line)
            datetime.fromisoformat(record["ts"])
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        _refuse_newer(path, record)
        if record.keys() >= _NEEDED:
            yield record


def _refuse_newer(path: Path, record: Record) -> None:
    format = record.get("format")
    if isinstance(format, int) and format > FORMAT:
        raise ConfigError(
            f"The trace {path} was written by a newer ana in format {format}; this is ana {__version__}, "
            f"which reads up to {FORMAT}.",
            "Install the newer one, or set TRACES_DIR to another folder.",
        )
