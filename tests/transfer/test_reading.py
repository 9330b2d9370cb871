"""What a file or folder holds is told by its content, not by its name."""

import zipfile
from pathlib import Path

import pytest

from ana.backends.chroma.care.files import MANIFEST
from ana.errors import UserError
from ana.time.clock import Clock
from ana.transfer.reading import read_source
from tests.chroma import open_memory
from tests.conftest import BERLIN, EMBEDDER


def read(path: Path) -> list[str] | None:
    found = read_source(path, BERLIN)
    return None if found is None else [item.content for item in found.items]


@pytest.mark.parametrize(
    ("content", "contents"),
    [
        ("TYPE,CONTENT,PRIORITY\ntask,a,1", ["a"]),
        ('\ufeff"TYPE","CONTENT","DATE"\r\ntask,a', ["a"]),
        ('[{"title": "a", "status": "completed", "updated": ""}]', ["a"]),
        ("title\n", None),
        ("only words, and some more", []),
    ],
)
def test_a_file_is_known_by_its_content(tmp_path: Path, content: str, contents: list[str] | None) -> None:
    path = tmp_path / "file.bin"
    path.write_text(content, encoding="utf-8")
    if contents == []:
        with pytest.raises(UserError, match="Nothing says which column is the title"):
            read(path)
    else:
        assert read(path) == contents


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"TYPE,CONTENT\ntask,Caf\xe9", "line 2 is not UTF-8"),
        ("a.csv", b'Name,Status\n"x', "line 2: unexpected end of data"),
        ("a.csv", b"Name,Status\nx,Done,more", "line 2: it has 3 cells, the header 2"),
        ("a.json", b'[{"title": "a"', "it is not JSON"),
        ("a.json", b"[1, 2]", "cannot"),
        ("a.json", b"[" * 100_000, "it is not JSON"),
        ("a.zip", b"PK\x05\x06" + b"\0" * 18, "nothing"),
    ],
)
def test_damaged_forms_are_refused_with_a_sentence(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    if said in ("cannot", "nothing"):
        assert read(path) is None
    else:
        with pytest.raises(UserError, match=said):
            read(path)


def pack(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


NOTE = '{{"title": "{}", "isTrashed": {}, "isArchived": false, "textContent": "of it"}}'


def test_the_files_of_a_folder_and_of_a_zip_are_rows(tmp_path: Path) -> None:
    files = {"Keep/a.json": NOTE.format("one", "false"), "Keep/b.json": NOTE.format("two", "true")}
    files |= {"Keep/.settings/y.json": "{}", "Keep/z.png": "no text", "z.html": "<p>"}
    packed = read_source(pack(tmp_path / "all.zip", files), BERLIN)
    assert packed is not None
    assert [item.content for item in packed.items] == ["one\nof it"]
    assert packed.notes == ["Left out, because it was deleted there (1): “two, of it, true”."]
    for name, text in files.items():
        (tmp_path / "all" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / name).write_text(text)
    assert read(tmp_path / "all") == ["one\nof it"]


def test_a_zip_that_is_a_backup_damaged_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="is a backup"):
        read(pack(tmp_path / "a.zip", {MANIFEST: "{}"}))
    whole = pack(tmp_path / "b.zip", {"a.md": "words " * 100}).read_bytes()
    (tmp_path / "b.zip").write_bytes(whole.replace(b"words", b"WORDS", 1))
    with pytest.raises(UserError, match="cannot be unpacked"):
        read(tmp_path / "b.zip")
    monkeypatch.setattr("ana.transfer.foreign.tables.MOST_BYTES", 100)
    with pytest.raises(UserError, match="more than 100 bytes"):
        read(pack(tmp_path / "c.zip", {"a.md": "x" * 101}))


def test_files_of_several_kinds_are_imported_one_by_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="files of several kinds"):
        read(pack(tmp_path / "a.zip", {"a.csv": "x,y\n1,2", "b.md": "# A note"}))


def test_each_project_of_todoists_backup_is_called_as_its_file(tmp_path: Path) -> None:
    csv = "TYPE,CONTENT\ntask,a\n"
    found = read_source(pack(tmp_path / "a.zip", {"Home [2203306141].csv": csv, "Work.csv": csv}), BERLIN)
    assert found
    assert [item.properties["project"] for item in found.items] == ["Home", "Work"]


def test_a_folder_of_ours_is_read_by_nothing(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    memory.create("ours")
    memory.close()
    assert read(tmp_path / "data" / "chroma") is None
    assert read(tmp_path / "data") is None


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read(tmp_path / "none")
