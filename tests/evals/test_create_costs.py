"""What storing one item costs: how often the data folder is held for it."""

from pathlib import Path

from evals.bench.create import BEGIN, END, count_create, count_flushes


def test_a_create_holds_the_data_folder_a_few_times(tmp_path: Path) -> None:
    calls = count_create(tmp_path)
    assert 0 < calls["Folder.hold"] <= 8
    assert 0 < calls["OwnerLock.acquire"] <= 7
    assert 0 < calls["Acts.settle"] <= 3


def test_flushes_are_those_between_the_marks() -> None:
    log = f"""1 fsync(3) = 0
1 mkdir("/tmp/{BEGIN}", 0777) = 0
2 fdatasync(9) = 0
1 fsync(4 <unfinished ...>
1 <... fsync resumed>) = 0
1 mkdir("/tmp/{END}", 0777) = 0
1 fsync(3) = 0
"""
    assert count_flushes(log) == 2
