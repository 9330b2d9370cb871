"""Conversations by name: listed, found again, deleted."""

import json
import re
import uuid
from dataclasses import dataclass
from pathlib import Path

from ana.errors import UserError
from ana.locks import OwnerLock
from ana.settings import Settings
from ana.tracing.traces import Traces


@dataclass(frozen=True)
class Thread:
    """One conversation.

    Args:
        id: A UUID, so that the LangGraph server takes it too.
        name: What the person called it; may be empty.
        turns: How many turns its trace tells of.
        last: When the last one was, ISO 8601.
        about: Its first question.
        latest: Its last question.
    """

    id: str
    name: str
    turns: int
    last: str
    about: str
    latest: str


class Threads:
    """The threads of a data folder.

    Args:
        settings: Where data and traces lie.
    """

    def __init__(self, settings: Settings) -> None:
        self._names_file = settings.ana_data_dir / "thread_names.json"
        self._last_file = settings.ana_data_dir / "last_thread"
        self._settings = settings
        self._traces = Traces(settings.traces_dir)

    def resolve(self, name: str) -> str:
        """The id of the thread with this name or id. A name always means the same thread."""
        name = name.strip()
        if not name:
            raise UserError("A thread's name cannot be empty.", "Give it a name, or leave --thread out.")
        try:
            return str(uuid.UUID(name))
        except ValueError:
            if begun := self._beginning(name):
                return begun
            return str(uuid.uuid5(uuid.NAMESPACE_URL, f"ana:thread:{name}"))

    def _beginning(self, name: str) -> str | None:
        """The one thread whose id begins so, as lists show it."""
        from graph.checkpoints import saver_path, thread_ids

        if not re.fullmatch(r"[0-9a-f]{8}[0-9a-f-]*", name):
            return None
        found = [id for id in thread_ids(saver_path(self._settings)) if id.startswith(name)]
        return found[0] if len(found) == 1 else None

    def remember(self, name: str) -> str:
        """Resolve a name, and keep it for lists."""
        id = self.resolve(name)
        if not id.startswith(name.strip()) and self._names().get(id) != name.strip():
            self._save(self._names() | {id: name.strip()})
        return id

    def last(self) -> str | None:
        """The thread the REPL was left in, where that is told."""
        try:
            return str(uuid.UUID(self._last_file.read_text().strip()))
        except (OSError, ValueError):
            return None

    def set_last(self, id: str) -> None:
        self._last_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._last_file.write_text(id)

    def all(self) -> list[Thread]:
        """Every thread, the one last used first."""
        from graph.checkpoints import saver_path, thread_ids

        return [self.about(id) for id in thread_ids(saver_path(self._settings))]

    def named(self) -> list[str]:
        """The names that conversations have."""
        return sorted(self._names().values())

    def about(self, id: str) -> Thread:
        records = self._traces.read(id)
        first, last = (records[0], records[-1]) if records else (None, None)
        about, latest = (record["question"] if record else "" for record in (first, last))
        return Thread(id, self._names().get(id, ""), len(records), last["ts"] if last else "", about, latest)

    def delete(self, id: str) -> None:
        """Delete a thread with its checkpoints and traces.

        Raises:
            UserError: There is no such thread.
            StoreBusy: Another program works in it.
        """
        from graph.checkpoints import open_saver, saver_path, thread_ids

        path = saver_path(self._settings)
        if id not in thread_ids(path):
            raise UserError("There is no such thread.", "`ana threads list` shows them.")
        lock = thread_lock(self._settings, id, "ana threads delete")
        lock.acquire()
        try:
            with open_saver(path) as saver:
                saver.delete_thread(id)
            self._traces.delete(id)
        finally:
            lock.release()
        self._save({k: v for k, v in self._names().items() if k != id})
        if self.last() == id:
            self._last_file.unlink()

    def _names(self) -> dict[str, str]:
        if not self._names_file.exists():
            return {}
        try:
            names = json.loads(self._names_file.read_text())
            return {str(id): str(name) for id, name in names.items()}
        except (OSError, ValueError, AttributeError) as exc:
            raise UserError(
                f"The names of conversations in {self._names_file} cannot be read: {exc}.",
                "`ana doctor --repair` sets the file aside; the conversations stay.",
            ) from exc

    def _save(self, names: dict[str, str]) -> None:
        self._names_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft: Path = self._names_file.with_suffix(f".{uuid.uuid4().hex}.new")
        draft.write_text(json.dumps(names, indent=1))
        draft.replace(self._names_file)


def thread_lock(settings: Settings, id: str, program: str) -> OwnerLock:
    """The lock of a conversation: two processes in one thread at once silently lose turns."""
    folder = settings.ana_data_dir / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return OwnerLock(folder / f"{id}.lock", "This conversation", program=program)
