"""README and docs: their generated parts are what the code says, and what they name is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from ana.settings import PROJECT, Settings
from evals import readme
from evals.imports import PACKAGES
from evals.pages import read_cell, replace_parts
from tests.forks import run_forked

ELSEWHERE = ("transcript", "found", "found-minilm", "tasks", "context")
"""Parts that have a test of their own: below, in tests/evals/test_retrieval.py and in tests/evals/test_stage.py."""


@pytest.mark.parametrize("name", readme.PARTS)
def test_generated_parts_are_up_to_date(name: str) -> None:
    parts = {part: make() for part, make in readme.PARTS[name].items() if part not in ELSEWHERE}
    path = PROJECT / name
    assert replace_parts(path, parts) == path.read_text(), "run `make readme`"


def run_chat(given: str, env: dict[str, str]) -> str:
    return run_forked("-c", readme.CHAT, stdin=given, env=env | {"ANA_EMBEDDINGS": "wordllama"}).stdout


def test_the_transcript_is_what_the_program_prints() -> None:
    text = (PROJECT / "docs" / "using.md").read_text()
    kept = re.search(r"<!-- begin:transcript -->\n(.*?)\n<!-- end:transcript -->", text, re.DOTALL)
    assert kept
    assert mask(kept[1]) == mask(readme.record_transcript(run_chat)), "run `make readme`"


def test_the_sizes_that_a_newcomer_meets_are_the_measured_ones() -> None:
    text = (PROJECT / "README.md").read_text()
    for target, before in (("chat", "installs "), ("test", "; ")):
        size = read_cell(PROJECT / "docs" / "figures.md", "sizes", f"`make {target}`", 1)
        assert re.search(rf"^make {target} .*{before}{size}\b", text, re.MULTILINE), target


def test_the_readme_is_read_in_a_minute() -> None:
    assert len((PROJECT / "README.md").read_text().splitlines()) <= 100


def test_the_docs_stay_short() -> None:
    assert sum(len(page.read_bytes()) for page in (PROJECT / "docs").glob("*.md")) <= 100 * 1024
    assert len((PROJECT / "docs" / "architecture.md").read_text().splitlines()) <= 300
    assert len((PROJECT / "AGENTS.md").read_text().splitlines()) <= 60


PAGES = sorted({*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text()
    named = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE))
    named += re.findall(r'(?:src|srcset)="([^"]+)"', text)
    for link in (each for each in named if not re.match(r"https?:", each)):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_relative_to(PROJECT), link
        assert target.exists(), link
        assert not anchor or anchor in list_anchors(target), link


def list_anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_example_environment_names_every_setting() -> None:
    text = (PROJECT / ".env.example").read_text()
    named = set(re.findall(r"^# ([A-Z][A-Z0-9_]+)=", text, re.MULTILINE))
    missing = {name.upper() for name in Settings.model_fields} - named
    assert not missing


def mask(text: str) -> str:
    """Replace in a transcript all that changes with the day: dates, times, weekdays, months, and how wide they are."""
    text = re.sub(r"\d{4}-\d\d-\d\d|\d\d:\d\d(:\d\d)?|\b\d{1,2}\b(?= \w+ \d{4})|\b\d{1,2} (?=[A-Z])", "#", text)
    days = "Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun"
    months = "Jan(uary)?|Feb(ruary)?|March?|Apr(il)?|May|June?|July?|Aug(ust)?|Sep(tember)?|Oct(ober)?"
    text = re.sub(rf"\b(({days})(day)?|{months}|Nov(ember)?|Dec(ember)?)\b", "#", text)
    return re.sub(r"--+", "--", re.sub(r"  +(?=\|)|(?<=\S)  +", " ", text))


def test_the_bounds_are_those_of_the_code() -> None:
    page = (PROJECT / "docs" / "reliability.md").read_text()
    rows = re.findall(r"^\|[^|]+\| ([\d,]+) \| `([A-Z_]+)` in `([\w/]+)\.py` \|$", page, re.MULTILINE)
    assert len(rows) > 10
    for number, name, module in rows:
        assert getattr(import_module(module.replace("/", ".")), name) == int(number.replace(",", "")), name


def test_the_sentences_that_one_may_look_up_are_still_said() -> None:
    page = (PROJECT / "docs" / "troubleshooting.md").read_text()
    sentences = re.findall(r'^\| "([^"]+)"', page, re.MULTILINE)
    sources = [PROJECT / "Makefile", *(path for name in PACKAGES for path in (PROJECT / name).rglob("*.py"))]
    code = "".join(path.read_text() for path in sources)
    assert len(sentences) > 15
    assert [sentence for sentence in sentences if sentence not in code] == []


def test_every_promise_names_tests_that_exist() -> None:
    page = (PROJECT / "docs" / "reliability.md").read_text()
    rows = re.findall(r"^\|[^|]+\| (`.+?`) \|[^|]*\|$", page, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w/]+(?:/|\.py))`", row)]
    assert len(named) > 40
    assert [name for name in named if not (PROJECT / "tests" / name).exists()] == []


def test_the_tests_and_pages_named_exist() -> None:
    pages = [*PROJECT.glob("*.md"), *(PROJECT / "docs").glob("*.md")]
    named = {
        (page, path)
        for page in pages
        for path in re.findall(r"`((?:tests|evals|docs|ana|app|graph|nodes|tools)/[\w/-]+\.\w+)`", page.read_text())
        if not any((PROJECT / folder / path).exists() for folder in ("", "tests"))
    }
    assert named == set()
