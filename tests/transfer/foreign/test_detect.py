"""The reader is chosen by the content of a file or folder, not by its name."""

from pathlib import Path

import pytest

from ana.errors import UserError
from ana.time.clock import Clock
from ana.transfer.foreign import agent_native, todoist
from ana.transfer.foreign.detect import Reader, find_reader
from tests.chroma import open_memory
from tests.conftest import EMBEDDER
from tests.transfer.foreign.conftest import Left


@pytest.mark.parametrize(
    ("content", "reader"),
    [
        ("TYPE,CONTENT,PRIORITY", todoist.read),
        ('\ufeff"TYPE","CONTENT","DATE"\r\ntask,a', todoist.read),
        ("TYPE,CONTENT\nbad,,,,", todoist.read),
        ("[]", None),
        ("name,content", None),
        ("", None),
        ('"', None),
    ],
)
def test_a_file_is_known_by_its_content(tmp_path: Path, content: str, reader: Reader | None) -> None:
    path = tmp_path / "file.bin"
    path.write_text(content, encoding="utf-8")
    assert find_reader(path) is reader


def test_a_wrong_encoding_is_left_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"TYPE,CONTENT\ntask,Caf\xe9")
    assert find_reader(path) is todoist.read


def test_a_folder_is_known_by_its_collections(leave: Left, tmp_path: Path) -> None:
    folder = leave(global_context={})
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert find_reader(folder) is agent_native.read
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert find_reader(leave(tmp_path / "other", others={})) is None
    assert find_reader(tmp_path) is None


def test_a_folder_of_ours_has_no_reader(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    memory.create("ours")
    memory.close()
    assert find_reader(tmp_path / "data" / "chroma") is None
    assert find_reader(tmp_path / "data") is None


def test_noise_in_place_of_a_database_has_no_reader(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"\xff" * 10_000)
    assert find_reader(tmp_path) is None


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        find_reader(tmp_path / "none")
