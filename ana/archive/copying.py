"""Copying everything of one person from one place to another, and verifying the copy."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from ana.archive.archive import Archive
from ana.archive.parts import PARTS, RECORDS, Part, Row, digest, dump
from ana.archive.place import Place
from ana.errors import StoreBroken
from ana.stopping import Progress

Source = Archive | Place


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


def compare(parts: Mapping[str, Part], target: Place, but: Iterable[str] = ()) -> None:
    """Raise StoreBroken with the differences if a place does not contain the expected data.

    Args:
        but: Tables that are not copied.
    """
    arrived = digest_all(target)
    if differing := [part for part in PARTS if part not in but and arrived[part] != parts.get(part)]:
        raise StoreBroken(
            f"The copy differs from the source: {', '.join(differing)}.",
            "The source is still in use. Please report this.",
        )
