"""Notes: ana's small files, texts and JSON, read and checked in one place.

A note may be truncated, empty, or contain something else: then the error names it, with the fault, and the caller says
how to repair it.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from ana.errors import FileUnreadable, StoreBroken
from ana.files import read_small, write_whole

PATIENCE = 10.0
"""Seconds to wait for another program that changes a note."""

LARGEST = 20_000_000
"""Bytes of a note at most: the names of 100,000 conversations have a quarter of that."""

T = TypeVar("T")


class Note:
    """A `TextPlace` in a file; `read_small` limits the length of the text."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str:
        try:
            return read_small(self._path)
        except OSError:
            return ""

    def write(self, text: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(self._path, text, mode=0o600)

    def change(self, change: Callable[[str], str]) -> str:
        from filelock import FileLock

        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(self._path.with_suffix(".lock"), timeout=PATIENCE):
            self.write(text := change(self.read()))
        return text

    def age(self) -> float | None:
        try:
            return time.time() - self._path.stat().st_mtime
        except OSError:
            return None

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


class TextPlace(Protocol):
    """A short text of a person, stored in a file or a database."""

    def read(self) -> str:
        """Return the text; empty if there is none, or it cannot be read."""

    def write(self, text: str) -> None:
        """Write the text as a whole."""

    def change(self, change: Callable[[str], str]) -> str:
        """Replace the text by what a function makes of it, while nobody else can change it, and return the new text."""

    def age(self) -> float | None:
        """Return the seconds since it was written; None if it never was."""

    def remove(self) -> None:
        """Remove the text, if it is there."""


def read_value(note: TextPlace, kind: type[T]) -> T | None:
    """Return the value that `write_value` wrote; None if there is none, or the file contains something else now."""
    try:
        return parse_note(note.read().encode(), kind)
    except ValueError:
        return None


def write_value(note: TextPlace, value: object) -> None:
    """Write a dataclass, or a list of them, as JSON."""
    note.write(json.dumps(value, default=asdict))


def read_note(path: Path, kind: type[T], hint: str = "Delete the file.") -> T | None:
    """Return the contents of a note; None if it does not exist.

    Args:
        kind: A dataclass, or another type that pydantic knows; keys that it does not have are left out.
        hint: The next step if it contains something else.

    Raises:
        FileUnreadable: The system does not allow reading it.
        StoreBroken: It is too large, or holds something else.
    """
    try:
        with path.open("rb") as file:
            return parse_note(file.read(LARGEST + 1), kind)
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise FileUnreadable(f"{path} cannot be read: {exc.strerror}.", "Check the disk, and who may read it.") from exc
    except ValueError as exc:
        raise StoreBroken(f"{path} cannot be read: {exc}.", hint) from exc


def parse_note(data: bytes, kind: type[T]) -> T:
    """Return the contents of a note from its bytes.

    Raises:
        ValueError: They contain something else; the message ends a sentence about the file.
    """
    from pydantic import ValidationError

    if len(data) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST:,} bytes")
    if not data.strip():
        raise ValueError("it is empty")
    try:
        return cast(T, _make_adapter(cast(Any, kind)).validate_json(data, strict=True))
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        place = "".join(f"{str(key)[:40]}: " for key in first["loc"])
        raise ValueError(f"{place}{first['msg']}") from exc


@cache
def _make_adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
