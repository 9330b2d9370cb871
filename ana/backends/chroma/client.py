"""Opening Chroma, and turning its exceptions into ana's errors."""

import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from ana.errors import AnaError, StoreBroken, ToolError
from ana.files import describe_fault, is_damage
from ana.own_files import name_folder

if TYPE_CHECKING:
    from chromadb.api.client import Client as Client
    from chromadb.config import Settings

DATABASE = "chroma.sqlite3"
"""Chroma's own file, with all documents and metadata."""
EXPORTER = "opentelemetry.exporter.otlp.proto.grpc.trace_exporter"

_loading = threading.Lock()


def load_chromadb() -> None:
    """Import chromadb; must be called before any part of it is imported.

    At import Chroma would read settings from a file .env in the current folder: names of classes to run, and of a
    server to which everything is sent. ana passes all settings itself, so Chroma's class of settings, which can be
    imported alone, is first told to read no file.
    """
    with _loading:
        if "chromadb" in sys.modules:
            return
        spec, alone = find_spec("chromadb"), ModuleType("chromadb")
        assert spec is not None
        alone.__path__ = list(spec.submodule_search_locations or ())
        sys.modules["chromadb"] = alone
        exporter = sys.modules.setdefault(EXPORTER, ModuleType(EXPORTER))
        vars(exporter).setdefault("OTLPSpanExporter", None)
        try:
            config = import_module("chromadb.config")
            config.Settings.model_config["env_file"] = None
        finally:
            del sys.modules["chromadb"]
        vars(import_module("chromadb"))["config"] = config  # as if it had imported that itself


def open_chroma(path: Path) -> "Client":
    """Open a client on Chroma's own folder. Raises StoreBroken."""
    load_chromadb()
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient

    with map_foreign_errors(path):
        _refuse_truncated(path / DATABASE)
        try:
            client = chromadb.PersistentClient(str(path), settings=read_settings().model_copy())
            return cast("Client", client)
        except BaseException:
            # Chroma remembers the half-opened one and would return it the next time
            SharedSystemClient._identifier_to_system.pop(str(path), None)
            SharedSystemClient._identifier_to_refcount.pop(str(path), None)
            raise


@cache
def read_settings() -> "Settings":
    """Return Chroma's settings; reading them takes longer than all other work of opening a client."""
    load_chromadb()
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


@contextmanager
def map_foreign_errors(path: Path) -> Iterator[None]:
    """Turn errors of Chroma, SQLite and the system into ana's errors while a data folder is used."""
    try:
        yield
    except AnaError:  # is already one of ours, and some are RuntimeErrors
        raise
    except (OSError, sqlite3.Error, RuntimeError) as exc:
        raise make_unusable_error(path, exc) from exc
    except BaseException as exc:
        if error := _map_error_of_chroma(path, exc):
            raise error from exc
        raise


def _map_error_of_chroma(path: Path, exc: BaseException) -> AnaError | None:
    """Return ana's error for an exception of Chroma; None for any other exception."""
    if "chromadb.errors" not in sys.modules:  # it was not used
        return None
    from chromadb.errors import ChromaError, InternalError

    # the second comes from Chroma's native part, and is not an Exception
    if isinstance(exc, InternalError) or type(exc).__name__ == "PanicException":
        return make_unusable_error(path, exc)
    if isinstance(exc, ChromaError):
        return ToolError(f"The store refused this: {exc}.", "Change the call.")
    return None


def make_unusable_error(path: Path, exc: BaseException) -> StoreBroken:
    """Return the error for a folder that the system or Chroma refuses."""
    reason = describe_fault(exc)
    hint = "Check that the disk has room and that the folder may be written, or set ANA_DATA_DIR to another."
    if (isinstance(exc, sqlite3.DatabaseError) and is_damage(exc)) or not isinstance(exc, OSError | sqlite3.Error):
        hint = "If the disk has room, `ana doctor` shows the damage and `ana doctor --repair` repairs it."
    return StoreBroken(f"The {name_folder(path)} cannot be used: {reason}.", hint)


def _refuse_truncated(database: Path) -> None:
    """Refuse a file that is shorter than its first page says: on such a file Chroma may end the process."""
    # the header is described on SQLite's page "Database File Format", section 1.3
    if not database.exists() or not database.stat().st_size:
        return
    with database.open("rb") as file:
        header = file.read(100)
    size = int.from_bytes(header[16:18], "big")  # of a page; 1 stands for 65,536, which 16 bits cannot hold
    pages = int.from_bytes(header[28:32], "big") if header[24:28] == header[92:96] else 0
    if not header.startswith(b"SQLite format 3\0") or database.stat().st_size < pages * (65536 if size == 1 else size):
        raise sqlite3.DatabaseError(f"{database.name} is damaged")


def refuse_damaged(database: Path) -> None:
    """Read every table: on a damaged file, or text that is not UTF-8, Chroma panics and may end the process.

    Raises sqlite3.DatabaseError.
    """
    with closing(sqlite3.connect(database)) as connection:
        try:
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
                if not sql.startswith("CREATE VIRTUAL"):  # whose rows are in ordinary tables
                    for _ in connection.execute(f'SELECT * FROM "{name}"'):
                        pass
        except UnicodeDecodeError as exc:  # SQLite's own message was not UTF-8
            raise sqlite3.DatabaseError("its schema is damaged") from exc
    if verdict != "ok":
        raise sqlite3.DatabaseError(" ".join(verdict.split()))
