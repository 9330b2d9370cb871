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
Parts = Mapping[str, Part]


def copy(
    source: Source, parts: Parts, target: Place, progress: Progress, instead: Mapping[str, Iterable[Row]] | None = None
) -> None:
    """Copy everything to an empty place, and compare the copy; vectors too, unless another embedder made them.

    Args:
        parts: The parts of the source.
        instead: Rows of tables for the target that replace the source's, and are not compared.

    Raises:
        StoreBroken: The copy differs.
    """
    has_vectors, instead = source.embedder_name == target.embedder_name, instead or {}
    total, numbers = sum(parts[part].rows for part in RECORDS), count(1)

    def read_records(part: str) -> Iterator[Any]:
        for item, vector in source.read(part):
            yield item, vector if has_vectors else None
            progress(next(numbers), total)

    for part in PARTS:
        if part in instead:
            target.write(part, instead[part])
        else:
            target.write(part, read_records(part) if part in RECORDS else source.read(part))
    target.write_numbers(*source.numbers())
    arrived = digest_all(target)
    if differing := [part for part in PARTS if part not in instead and arrived[part] != parts.get(part)]:
        raise StoreBroken(
            f"The copy differs from the source: {', '.join(differing)}.",
            "The source is still in use. Please report this.",
        )


def digest_all(source: Source) -> Parts:
    """Read everything, and return its parts."""
    return {part: digest(part, (dump(part, row) for row in source.read(part))) for part in PARTS}
