"""The pictures of the page stand in README and docs, each in both themes."""

import re

from ana.settings import PROJECT
from evals.pictures import FOLDER


def test_readme_and_docs_show_all_pictures_in_both_themes() -> None:
    texts = "".join((PROJECT / name).read_text() for name in ("README.md", "docs/page.md"))
    shown = set(re.findall(r"pictures/([\w-]+\.\w+)", texts))
    assert shown == {path.name for path in FOLDER.glob("*")}
