"""The README's pictures show what the REPL prints, and ask no foreign host for anything."""

import re

from ana.settings import PROJECT
from evals.pictures import FOLDER, draw_all


def test_the_pictures_are_what_the_repl_prints() -> None:
    kept = {path.name: path.read_text() for path in FOLDER.glob("*.svg")}
    assert kept == draw_all(), "run `make pictures`"


def test_readme_and_docs_show_all_pictures_in_both_themes() -> None:
    texts = "".join((PROJECT / name).read_text() for name in ("README.md", "docs/page.md", "docs/using.md"))
    shown = set(re.findall(r"pictures/([\w-]+\.\w+)", texts))
    assert shown == {path.name for path in FOLDER.glob("*")}


def test_a_picture_loads_nothing() -> None:
    for path in FOLDER.glob("*.svg"):
        assert set(re.findall(r"https?://[^\s\"']+", path.read_text())) == {"http://www.w3.org/2000/svg"}
        assert "url(http" not in path.read_text()
