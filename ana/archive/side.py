"""Copying everything of one person from one place to another, and verifying the copy."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any, Protocol

from pydantic import Field

from ana.archive.parts import PARTS, RECORDS, Row, dump
from ana.archive.place import Place
from ana.errors import StoreBroken
from ana.stopping import Progress


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
