"""A data folder that cannot be written is read from a private copy: Chroma and SQLite write even to read."""

import shutil
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.upkeep import Upkeep
from ana.backends.chroma.client import unusable_error
from ana.embedders import Embedder
from ana.errors import StoreReadOnly
from ana.files import refuse_read_only
from ana.locks import keep_out_writers
from ana.own_files import PEOPLE, SERVER

LEFT_OUT = ("lock", "locks", "backups", "set-aside", SERVER, PEOPLE, "traces", "traces.*", "vectors.*")
"""Files and folders that reading items and their history does not need."""

CUT_SHORT = ("restore.json", "rebuilding.json")
"""Notes of work that goes on when the folder is opened, and needs what is left out."""


class ReadOnlyChromaBackend(ChromaBackend):
    """A backend on a copy of a data folder, which is made now and removed when it is closed. It refuses every write.

    Raises:
        StoreReadOnly: A restore or a repair of the folder was cut short, so it cannot be read as it is.
        StoreBusy: Somebody who may write does so all the time.
        StoreBroken: The folder cannot be read.
    """

    def __init__(self, path: Path, embedder: Embedder, **options: Any) -> None:
        self._original = path
        self._copy = tempfile.TemporaryDirectory(prefix="ana-")
        try:
            copy_folder(path, Path(self._copy.name))
        except BaseException:
            self._copy.cleanup()
            raise
        super().__init__(Path(self._copy.name), embedder, **options)

    def close(self) -> None:
        super().close()
        self._copy.cleanup()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        refuse_read_only(self._original)
        raise StoreReadOnly(f"The data folder {self._original} was read-only when it was opened.", "Try again.")

    apply = erase = write_again = take_line_number = reserve_line_numbers = fill = _refuse


class ReadOnlyUpkeep(Upkeep):
    """The upkeep of such a backend."""

    _backend: ReadOnlyChromaBackend

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        self._backend._refuse()

    set_aside = repair = back_up_before = restore = reindex = _refuse


def copy_folder(path: Path, to: Path) -> None:
    """Copy what is read of a data folder into an empty folder of this person's own. Errors as in the class above."""
    if any((path / note).exists() for note in CUT_SHORT):
        raise StoreReadOnly(
            f"The data folder {path} is read-only, and a restore or a repair of it was cut short.",
            "Any command finishes that once the folder can be written.",
        )
    try:
        with keep_out_writers(path / "lock", f"The data folder {path}"):
            shutil.copytree(
                path, to, dirs_exist_ok=True, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns(*LEFT_OUT)
            )
        for folder in (to, *to.rglob("*/")):
            folder.chmod(0o700)  # copied as it was: read-only
    except OSError as exc:
        raise unusable_error(path, exc) from exc
