"""What SQL makes of a filter; that it finds what the exact test finds is checked by the suite of backends."""

import json
from pathlib import Path

from ana.backends.sql.compiler import compile_filter
from ana.backends.sql.dates import ZoneDates
from ana.backends.sql.tables import connect_tables, make_indexes, make_tables
from ana.memory.filters import parse
from tests.conftest import BERLIN


def test_a_text_that_many_items_have_is_looked_into_once(tmp_path: Path) -> None:
    looked: list[str] = []

    def has_part(value: str, body: str | None, key: str, part: str) -> bool:
        looked.append(value)
        return json.loads(part) in value

    db = connect_tables(tmp_path / "index.sqlite")
    make_tables(db)
    make_indexes(db)
    db.create_function("ana_has_part", 4, has_part, deterministic=True)
    for row in range(20):
        db.execute("INSERT INTO items VALUES (?, ?, '', '', NULL, x'')", (row, str(row)))
        status = '"waiting"' if row % 2 else '"done"'
        db.execute("INSERT INTO properties VALUES (?, '\"status\"', 0, ?, ?, NULL)", (row, status, status))
    passing = compile_filter(parse({"status": {"$contains": "ait"}}, BERLIN), ZoneDates(1, BERLIN))
    assert db.execute(f"SELECT count(*) FROM items WHERE {passing.text}", passing.params).fetchone() == (10,)
    assert looked == ['"waiting"']
    db.close()
