"""Conversations by name: list, find and delete them."""

import json
import re
import uuid
from dataclasses import dataclass

from ana.errors import UserError
from ana.files import is_read_only, refuse_read_only, write_whole
from ana.locks import OwnerLock
from ana.settings import Settings
from ana.tracing.traces import Traces


@dataclass(frozen=True)
class Thread:
    """One conversation.

    Args:
        id: A UUID, so that the LangGraph server takes it too.
        name: The name the person gave it; may be empty.
        turns: The number of turns in its traces.
        last: When the last one began, ISO 8601.
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
        settings: The settings, with the data and traces folders.
    """

    def __init__(self, settings: Settings) -> None:
        self._names_file = settings.ana_data_dir / "thread_names.json"
        self._last_file = settings.ana_data_dir / "last_thread"
        self._settings = settings
        self._traces = Traces(settings.traces_dir)

    def resolve(self, name: str) -> str:
        """Return the id of the thread with this name or id. A name always means the same thread."""
        name = name.strip()
        if not name:
            raise UserError("A thread's name cannot be empty.", "Give it a name, or leave --thread out.")
        try:
            return str(uuid.UUID(name))
        except ValueError:
            if found := self._find_by_prefix(name):
                return found
            return str(uuid.uuid5(uuid.NAMESPACE_URL, f"ana:thread:{name}"))

    def _find_by_prefix(self, name: str) -> str | None:
        """Return the thread if exactly one id begins so; lists show only the beginning."""
        from graph.checkpoints import saver_path, thread_ids

        if not re.fullmatch(r"[0-9a-f]{8}[0-9a-f-]*", name):
            return None
        found = [id for id in thread_ids(saver_path(self._settings)) if id.startswith(name)]
        return found[0] if len(found) == 1 else None

    def remember(self, name: str) -> str:
        """Resolve a name, and save it for lists."""
        id = self.resolve(name)
        known = id.startswith(name.strip()) or self._read_names().get(id) == name.strip()
        if not known and not is_read_only(self._settings.ana_data_dir):
            self._save_names(self._read_names() | {id: name.strip()})
        return id

    def last(self) -> str | None:
        """Return the thread in which the REPL was left; None if there is none."""
        try:
            return str(uuid.UUID(self._last_file.read_text().strip()))
        except (OSError, ValueError):
            return None

    def set_last(self, id: str) -> None:
        """Let the REPL open this thread next time, if the data folder can be written."""
        if is_read_only(self._settings.ana_data_dir):
            return
        self._last_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._last_file.write_text(id)

    def all(self) -> list[Thread]:
        """Return every thread, the one last used first."""
        from graph.checkpoints import saver_path, thread_ids

        return [self.describe(id) for id in thread_ids(saver_path(self._settings))]

    def names(self) -> list[str]:
        """Return the names of conversations, sorted."""
        return sorted(self._read_names().values())

    def describe(self, id: str) -> Thread:
        """Return what is known about a thread from its traces."""
        records = self._traces.read(id)
        first, last = (records[0], records[-1]) if records else (None, None)
        about, latest = (record["question"] if record else "" for record in (first, last))
        return Thread(id, self._read_names().get(id, ""), len(records), last["ts"] if last else "", about, latest)

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
        self._save_names({k: v for k, v in self._read_names().items() if k != id})
        if self.last() == id:
            self._last_file.unlink()

    def _read_names(self) -> dict[str, str]:
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

    def _save_names(self, names: dict[str, str]) -> None:
        self._names_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(self._names_file, json.dumps(names, indent=1))


def thread_lock(settings: Settings, id: str, program: str) -> OwnerLock:
    """Return the lock of a conversation: two processes in one thread at once silently lose turns.

    Raises:
        StoreReadOnly: No conversation can go on in a data folder that cannot be written.
    """
    refuse_read_only(settings.ana_data_dir)
    folder = settings.ana_data_dir / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return OwnerLock(folder / f"{id}.lock", "This conversation", program=program)
