"""A folder of the first format is brought to this one, after a copy of it was made."""

import sqlite3
from contextlib import closing

import pytest

from ana import __version__
from ana.backends.chroma.care.examine import examine
from ana.backends.chroma.care.format import FORMAT, STEPS, FormatNote, read_format
from ana.memory.memory import Memory
from tests.archive.places import put_back
from tests.chroma import chroma_of

OLD = """
DROP TABLE writes;
CREATE TABLE writes (
    seq INTEGER PRIMARY KEY, key TEXT UNIQUE, ts TEXT NOT NULL, thread TEXT, turn TEXT,
    kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT, after TEXT, done INTEGER NOT NULL DEFAULT 0);
CREATE INDEX writes_by_record ON writes (kind, id);
"""


@pytest.mark.parametrize("cut", [False, True])
def test_an_older_folder_is_copied_and_taken_to_this_format(
    memory: Memory, cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Format 1 had no acts, and what was edited by hand had no turn."""
    memory.create("one")
    memory.append_line("Prefers tea")
    memory.close()
    path = chroma_of(memory).folder.path
    with closing(sqlite3.connect(path / "journal.sqlite")) as db:
        rows = db.execute("SELECT seq, key, ts, NULL, NULL, kind, id, before, after, done FROM writes").fetchall()
        db.executescript(OLD)
        db.executemany(f"INSERT INTO writes VALUES ({','.join('?' * 10)})", rows)
        db.commit()
    (path / "format.json").unlink()
    if cut:
        with monkeypatch.context() as patched:
            patched.setattr(
                "ana.backends.chroma.care.format.write_whole", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
            )
            with pytest.raises(KeyboardInterrupt):
                memory.count()
    assert [entry.turn for entry in memory.history()] == ["edit-2", "edit-1"]
    assert ([item.content for item in memory.items()], memory.lines()) == (["one"], {0: "Prefers tea"})
    assert examine(chroma_of(memory)).is_sound
    assert read_format(path) == FormatNote(FORMAT, __version__, steps=STEPS)
    kept = list((path / "backups").glob("before-format-2-*"))
    assert len(kept) == 1, "the one from before the first try"
    put_back(memory, kept[0])
    assert [item.content for item in memory.items()] == ["one"], "a copy of an older format is taken to this one too"
