"""The upkeep of a data folder with Chroma."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.backup import own_backup_path, write_backup
from ana.backends.chroma.care.examine import examine
from ana.backends.chroma.care.rebuild import set_aside
from ana.backends.chroma.care.reindex import reindex
from ana.backends.chroma.care.repair import repair
from ana.backends.chroma.care.restore import NOTE, read_restore, restore
from ana.backends.chroma.care.scrub import refuse_strangers
from ana.backends.upkeep import Examined, Findings, Progress
from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.errors import StoreBroken
from ana.files import find_damage

JOURNAL = "journal.sqlite"


class ChromaUpkeep:
    """The `Upkeep` of a Chroma backend."""

    def __init__(self, backend: ChromaBackend) -> None:
        self._backend = backend
        self._folder = backend.folder
        self._path = backend.path

    @property
    def path(self) -> Path:
        return self._path

    @property
    def embedder(self) -> Embedder:
        return self._backend.embedder

    def describe(self) -> list[dict[str, Any]]:
        with self._backend.hold():
            return [collection.describe() for collection in self._backend.collections.values()]

    def read_vectors(self) -> dict[str, Vector]:
        with self._backend.hold():
            return self._backend.collections["item"].read_vectors()

    def report_to(self, progress: Progress) -> None:
        self._backend.progress = progress

    def hold_closed(self) -> AbstractContextManager[None]:
        return self._folder.hold_closed()

    def find_damage(self) -> dict[str, str]:
        problem = find_damage(self._path / JOURNAL)
        damaged = {JOURNAL: f"{JOURNAL} is damaged: {problem}."} if problem else {}
        try:
            read_restore(self._path)
        except StoreBroken as exc:
            damaged[NOTE] = exc.message
        return damaged

    def set_aside(self, name: str) -> Path:
        return set_aside(self._path, name)

    def examine(self, progress: Examined) -> Findings:
        return examine(self._backend, progress)

    def repair(self, found: Findings) -> None:
        repair(self._backend, found)

    def check_erasable(self) -> None:
        with self._folder.hold():
            refuse_strangers(self._path)

    def back_up(self, traces: Path | None, to: Path) -> int:
        return write_backup(self._folder, traces, to)

    def back_up_before(self, event: str, traces: Path) -> Path:
        to = own_backup_path(self._path, f"before-{event}")
        write_backup(self._folder, traces, to)
        return to

    def restore(self, traces: Path, backup: Path) -> Path:
        return restore(self._folder, traces, backup)

    def reindex(self, progress: Progress) -> int:
        with self._backend.hold() as client:
            self._folder.mark_written()
            try:
                return reindex(client, self._path, self._backend.embedder, progress)
            finally:
                self._folder.close()  # the collections were replaced
