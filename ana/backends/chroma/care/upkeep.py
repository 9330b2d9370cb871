"""The maintenance of one person's store in a folder: exchange, examination, repair, re-embedding."""

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.examine import AT_ONCE, Examined, Findings, examine, find_lost
from ana.backends.chroma.care.exchange import NOTE, finish_exchange, prepare_exchange, read_exchange
from ana.backends.chroma.care.files import copy_files, move_aside, name_copy, name_damaged_folder
from ana.backends.chroma.care.format import refuse_moved
from ana.backends.ports import WholeStore
from ana.embedders import Embedder
from ana.errors import FileUnreadable, StoreBroken
from ana.files import find_damage, write_whole
from ana.memory.changes import Entry, find_disagreements
from ana.stopping import Progress

JOURNAL = "journal.sqlite"


class Upkeep:
    """Maintenance of a store in a folder: a `Care`, and more."""

    def __init__(self, backend: ChromaBackend) -> None:
        self._backend = backend
        self.store: WholeStore = backend
        self._folder = backend.folder
        self.path = backend.path
        """The data folder."""

    @property
    def embedder(self) -> Embedder:
        return self._backend.embedder

    def describe(self) -> list[dict[str, Any]]:
        """Return name, count, embedder, dimension, distance space and format version of items and of lines."""
        with self._backend.hold():
            return [collection.describe() for collection in self._backend.collections.values()]

    def hold_closed(self) -> AbstractContextManager[None]:
        """Own the folder while its files are examined or replaced. May be nested."""
        return self._folder.hold_closed()

    def find_damage(self) -> dict[str, str]:
        """Return a sentence, by name, for each damaged file without which the store cannot be opened."""
        problem = find_damage(self.path / JOURNAL)
        damaged = {JOURNAL: f"{JOURNAL} is damaged: {problem}."} if problem else {}
        try:
            read_exchange(self.path)
        except FileUnreadable:
            raise
        except StoreBroken as exc:
            damaged[NOTE] = exc.message
        return damaged

    def set_aside(self, name: str) -> Path:
        """Move a file of the folder out of the way, and return its new place."""
        return move_aside(self.path, name_damaged_folder(), name)

    def examine(self, progress: Examined) -> Findings:
        """Check everything, while nobody else uses the folder."""
        return examine(self._backend, progress)

    def repair(self, findings: Findings) -> None:
        """Rebuild Chroma and its indexes if an examination found them damaged, and make journal and store agree.

        Records that are missing in the store are restored from the journal; records that the journal does not know are
        entered in it. Damaged files and unreadable records are set aside, not deleted.
        """
        backend = self._backend
        with self._folder.hold_closed():
            if findings.store:
                self._folder.close()
                backend.healing.rebuild("The store is damaged. Rebuilding it.")
            if findings.unreadable:
                self._remove_unreadable(findings)
            if findings.store or findings.index or findings.unreadable:
                for collection in backend.collections.values():
                    collection.index.discard()
        with backend.hold():
            self._reconcile()
            if findings.store:
                # of many alike, one may have no other leading to it in the rebuilt vector index
                for collection in backend.collections.values():
                    source = collection.source
                    ids = [row.id for rows in source.read_rows(AT_ONCE) for row in find_lost(source, rows)]
                    collection.put([(item, item) for item in source.get_items(ids)])

    def keep_copy(self, event: str, traces: Path) -> Path:
        """Copy the folder's files and traces before a risky change, and return the copy."""
        copy = name_copy(self.path, f"before-{event}")
        with self._folder.hold_closed():
            self._folder.close()
            copy_files(self.path, traces, copy, self._folder.person)
        return copy

    @contextmanager
    def replacing(self, traces: Path) -> Iterator[tuple[Path, Path]]:
        """Yield a folder for new files that will replace all present ones, traces too, and a copy of the present ones.

        The present store may be damaged. If no error is raised, the exchange is made at the end.
        """
        with self._folder.hold_closed():
            refuse_moved(self.path)
            self._folder.close()
            with suppress(StoreBroken):  # its note is damaged: this exchange takes its place
                finish_exchange(self.path)
            copy = self.keep_copy("restore", traces)
            with prepare_exchange(self.path, traces) as new:
                yield new, copy
            self.finish_exchange()

    def finish_exchange(self) -> None:
        """Finish an exchange that was decided, while the folder is held."""
        self._folder.close()
        self._folder.mark_written()
        finish_exchange(self.path)

    def reindex(self, progress: Progress) -> int:
        return self._backend.write_again(self.embedder, progress)

    def _remove_unreadable(self, findings: Findings) -> None:
        backend = self._backend
        with backend.hold():
            file = move_aside(self.path, name_damaged_folder()) / "unreadable.jsonl"
            kinds = backend.collections.items()
            every = ((kind, row) for kind, each in kinds for rows in each.source.read_rows() for row in rows)
            wrong = [(kind, row) for kind, row in every if (kind, row.id) in findings.unreadable]
            rows = [{"kind": kind} | asdict(row) | {"vector": None} for kind, row in wrong]
            write_whole(file, "".join(f"{json.dumps(row, default=str)}\n" for row in rows))
            self._folder.mark_written()
            for kind, row in wrong:
                backend.collections[kind].source.delete([row.id])

    def _reconcile(self) -> None:
        backend = self._backend
        changes = [
            change
            for kind in backend.collections
            for change in find_disagreements(kind, backend.scan(kind), backend.journal.latest(kind))
        ]
        for kind, collection in backend.collections.items():
            lost = [change.before for change in changes if change.kind == kind and not change.after]
            collection.put([(item, None) for item in lost if item])
        turn = f"doctor-{secrets.token_hex(4)}"  # the store is right
        entries = [Entry(change.after.updated_at, "", turn, change) for change in changes if change.after]
        if entries:
            backend.journal.finish(backend.journal.begin(entries))


def open_store(
    path: Path,
    embedder: Embedder,
    program: str,
    person: str,
    tell: Callable[[str], None],
    follow: Callable[[str], Embedder | None],
) -> tuple[WholeStore, Upkeep]:
    """Return the store in a folder, and what maintains it.

    Args:
        program: The name of this process in another's messages.
        person: The person whose folder it is.
        tell: Called with the progress of a repair.
        follow: Returns the embedder of another name to which the folder may be bound, or None if it must not be used.
    """
    backend = ChromaBackend(path, embedder, program=program, person=person, tell=tell, follow=follow)
    return backend, Upkeep(backend)
