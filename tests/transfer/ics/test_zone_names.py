"""A zone that nobody knows, but whose name begins with its offset, is read at that offset."""

from pathlib import Path

import pytest

from ana.transfer.ics.reader import read
from tests.conftest import BERLIN
from tests.transfer.ics.conftest import make_event


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ('"(UTC-05:00) Eastern Time (US & Canada)"', "2026-12-02T16:00"),
        ('"(GMT +01:00)"', "2026-12-02T10:00"),
        ("UTC+03", "2026-12-02T08:00"),
        ('"(UTC+05:30) Chennai"', "2026-12-02T10:00"),
        ("UTC+25", "2026-12-02T10:00"),
    ],
)
def test_the_offset_that_a_name_states_counts(tmp_path: Path, name: str, start: str) -> None:
    path = tmp_path / "a.ics"
    event = make_event(f"DTSTART;TZID={name}:20261202T100000\nSUMMARY:Call")
    path.write_text(f"BEGIN:VCALENDAR\n{event}\nEND:VCALENDAR\n")
    (item,) = read(path, BERLIN).items
    assert item.properties["start_date"] == start
