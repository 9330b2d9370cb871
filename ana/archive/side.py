"""Copying everything of one person from one place to another, and verifying the copy."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count, islice
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import Field

from ana.archive.parts import JOURNAL, PARTS, RECORDS, Row, dump
from ana.archive.rows import PersonalRows
from ana.backends.whole import WholeStore
from ana.errors import StoreBroken
from ana.memory.changes import KINDS
from ana.stopping import Progress

PAGE = 200
"""Records or entries that are written together."""

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """The number of a part's rows, and the digest of their lines; records may be in any order."""

    rows: Annotated[int, Field(ge=0)]
    digest: str


class Source(Protocol):
    """Everything of one person, in a place or a backup."""

    @property
    def embedder_name(self) -> str:
        """Return the name of the embedder of the vectors."""

    def count(self) -> int:
        """Return the number of records."""

    def numbers(self) -> tuple[int, int]:
        """Return the number of the last entry that was ever made, and that of the next line."""

    def read(self, part: str) -> Iterator[Any]:
        """Return the rows of a part."""


class Place:
    """Everything of one person in a folder or a database: a `Source`, which can be filled if it is empty."""

    def __init__(self, store: WholeStore, rows: PersonalRows, embedder_name: str | None = None) -> None:
        self._store, self._rows, self._embedder_name = store, rows, embedder_name

    @property
    def embedder_name(self) -> str:
        return self._embedder_name or self._store.embedder_name

    def alone(self) -> AbstractContextManager[object]:
        """Keep others from writing records and journal."""
        return self._store.alone()

    def count(self) -> int:
        return sum(map(self._store.count, KINDS))

    def numbers(self) -> tuple[int, int]:
        return self._store.position()[0], self._store.next_line_number()

    def read(self, part: str) -> Iterator[Any]:
        if part in RECORDS:
            return self._store.scan_vectors(RECORDS[part])
        return reversed(self._store.entries()) if part == JOURNAL else self._rows.read(part)

    def write(self, part: str, rows: Iterable[Any]) -> None:
        """Fill a part with the rows of a source."""
        if part in RECORDS:
            for page in split(rows, PAGE):
                self._store.take_records(RECORDS[part], page)
        elif part == JOURNAL:
            for page in split(rows, PAGE):
                self._store.take_entries(page)
        else:
            self._rows.write(part, rows)

    def write_numbers(self, last_entry: int, next_line: int) -> None:
        """Give no number again that was given."""
        self._store.take_numbers(last_entry, next_line)


def copy(source: Source, target: Place, progress: Progress, wanted: Mapping[str, Iterable[Row]] | None = None) -> None:
    """Copy everything to an empty place; vectors too, unless another embedder made them.

    Args:
        wanted: Rows of tables for the target that replace the source's.
    """
    has_vectors = source.embedder_name == target.embedder_name
    total, numbers = source.count(), count(1)

    def read_records(part: str) -> Iterator[Any]:
        for item, vector in source.read(part):
            yield item, vector if has_vectors else None
            progress(next(numbers), total)

    for part in PARTS:
        if wanted and part in wanted:
            target.write(part, wanted[part])
        else:
            target.write(part, read_records(part) if part in RECORDS else source.read(part))
    target.write_numbers(*source.numbers())


def digest_all(source: Source) -> dict[str, Part]:
    """Read everything, and return its parts."""
    return {part: digest(part, (dump(part, row) for row in source.read(part))) for part in PARTS}


def digest(part: str, lines: Iterable[bytes]) -> Part:
    """Return the number of a part's lines, and their digest."""
    each = [hashlib.sha256(line).digest() for line in lines]
    if part in RECORDS:
        each.sort()
    return Part(len(each), hashlib.sha256(b"".join(each)).hexdigest())


def compare(parts: Mapping[str, Part], target: Place, but: Iterable[str] = ()) -> None:
    """Raise StoreBroken with the differences if a place does not contain the expected data.

    Args:
        but: Tables that were not to be copied.
    """
    arrived = digest_all(target)
    if differing := [part for part in PARTS if part not in but and arrived[part] != parts.get(part)]:
        raise StoreBroken(
            f"The copy differs from the source: {', '.join(differing)}.",
            "The source is still in use. Please report this.",
        )


def split(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield rows in pages of at most so many."""
    rest = iter(rows)
    while page := [*islice(rest, size)]:
        yield page
