"""Small JSON files: what is not as it should be is named, whatever it is."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from ana.errors import StoreBroken
from ana.notes import LARGEST, read_note


@dataclass(frozen=True)
class Sum:
    day: str
    usd: float


WRONG = {
    "empty": b"",
    "blank": b" \n",
    "cut": b'{"day": "2026-01-07", "us',
    "null": b"null",
    "a list": b"[1, 2]",
    "a number": b"5",
    "another type inside": b'{"day": "2026-01-07", "usd": "3"}',
    "true for a number": b'{"day": "2026-01-07", "usd": true}',
    "a key is missing": b'{"day": "2026-01-07"}',
    "nested": b"[" * 100_000,
    "nested inside": b'{"usd": 1, "day": ' + b'{"a":' * 100_000,
    "bytes": b"\xff\xfe\x00",
    "a number without end": b'{"day": "x", "usd": 1' + b"0" * 10_000 + b"}",
    "huge": b'{"day": "' + b"x" * LARGEST + b'", "usd": 1}',
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_note_is_a_sentence_with_the_next_step(tmp_path: Path, wrong: bytes) -> None:
    path = tmp_path / "sum.json"
    path.write_bytes(wrong)
    with pytest.raises(StoreBroken) as caught:
        read_note(path, Sum, "Throw it away.")
    assert caught.value.sentence().startswith(f"{path} cannot be read: ")
    assert caught.value.sentence().endswith(". Throw it away.")
    assert len(caught.value.message) < 300


def test_a_note_is_read_as_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "sum.json"
    assert read_note(path, Sum) is None
    path.write_text('{"day": "2026-01-07", "usd": 3, "since": "a newer version"}')
    assert read_note(path, Sum) == Sum("2026-01-07", 3.0)
    path.unlink()
    path.mkdir()
    with pytest.raises(StoreBroken, match="Is a directory") as caught:
        read_note(path, Sum, "Throw it away.")
    assert "Throw" not in caught.value.hint
