"""What was said before is read page by page, at every door, also what the thread's state has forgotten."""

from pathlib import Path

from tests.app.conftest import Run


def test_the_doors(ana: Run, tmp_path: Path) -> None:
    said = "spare key?\n/transcript\nhello\n/transcript 1\n/transcript x\n/reset\n/transcript\n"
    shown = ana("chat", given=said).stdout
    assert "> spare key?\nI found nothing like that" in shown.partition("> /transcript\n")[2]
    assert "spare key" not in shown.partition("> /transcript 1\n")[2]
    assert "not a number of turns" in shown
    assert "nothing earlier" in shown
    (trace,) = (tmp_path / "traces").glob("*.jsonl")
    listed = ana("threads", "show", trace.stem, "--limit", "1").stdout
    assert "> hello" in listed
    assert "spare key" not in listed
    id = listed.split()[1]
    earlier = ana("threads", "show", trace.stem, "--before", id).stdout
    assert "> spare key?\nI found nothing like that" in earlier
    assert ana("threads", "show", "1", "--limit", "1").stdout == listed, "the first of the list"
    assert ana("threads", "show", "2").returncode == ana("threads", "show", "0").returncode == 1
    assert ana("threads", "show", "nothing").returncode == 1
