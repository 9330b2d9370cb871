"""Whose words are kept: `ana import`, `ana claim`, and the commands that tell it."""

import json
from pathlib import Path

import pytest

from ana.memory.changes import make_edit
from ana.memory.sources import IMPORT, name_assistant
from ana.time.clock import Clock
from tests.app.conftest import Run
from tests.chroma import open_memory
from tests.command_line import run_here
from tests.conftest import BERLIN, EMBEDDER, folders
from tests.transfer.test_whose import CALENDAR, EVENT, EVENTS

TODOIST = "TYPE,CONTENT,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG\ntask,Water the ferns,4,1,,,,\n"


@pytest.fixture
def calendar(tmp_path: Path) -> Path:
    path = tmp_path / "a.ics"
    path.write_text(CALENDAR.format("\n".join(EVENT.format(*event) for event in EVENTS.items())))
    return path


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.csv"
    path.write_text(TODOIST)
    return path


def list_sources(ana: Run) -> dict[str, str]:
    items = json.loads(ana("items", "--json").stdout)["items"]
    return {item["content"]: item.get("sources", {}).get("content", "person") for item in items}


def test_events_that_others_organised_are_kept_as_theirs_and_claimed_with_one_command(ana: Run, calendar: Path) -> None:
    told = ana("import", str(calendar)).stdout
    assert "3 are marked as text by others." in told
    assert list_sources(ana) == {"own": "person", "organised": "import", "invited": "import", "by me": "import"}
    claim = next(line for line in told.splitlines() if "ana claim" in line).partition("ana ")[2]
    done = ana(*claim.split()).stdout
    assert done.startswith("3 records are now your own words.")
    assert {*list_sources(ana).values()} == {"person"}
    ana(*done.partition("ana ")[2].split())
    assert sorted(list_sources(ana).values()) == ["import"] * 3 + ["person"]
    assert ana("claim", "--source", "import").stdout.startswith("3 records are")
    assert ana("claim", "--source", "others").stdout == "0 records are now your own words.\n"


@pytest.mark.parametrize(("said", "source"), [((), "person"), (("--mine",), "person"), (("--from-others",), "import")])
def test_tasks_are_the_persons_unless_they_say_otherwise(
    ana: Run, tasks: Path, said: tuple[str, ...], source: str
) -> None:
    ana("import", str(tasks), *said)
    assert list_sources(ana) == {"Water the ferns": source}


@pytest.mark.parametrize(
    ("file", "typed", "others"),
    [("tasks", "\n", 0), ("tasks", "n\n", 1), ("calendar", "\n", 3), ("calendar", "y\n", 0), ("tasks", "", None)],
)
def test_in_a_terminal_it_is_asked_once_whose_words_they_are(
    ana: Run, tmp_path: Path, file: str, typed: str, others: int | None, request: pytest.FixtureRequest
) -> None:
    path: Path = request.getfixturevalue(file)
    first = "\n" if file == "tasks" else ""  # rows are shown, and asked about, first
    done = run_here("import", str(path), given=first + typed, env=folders(tmp_path), is_terminal=True)
    asked = done.stdout + done.stderr
    assert (asked.count("[Y/n]"), asked.count("[y/N]")) == ((2, 0) if file == "tasks" else (0, 1))
    sources = list_sources(ana)
    if others is None:
        assert not sources, "whoever leaves brings nothing in"
    else:
        assert sum(source == "import" for source in sources.values()) == others


def test_sources_are_told_and_asked_for(ana: Run, tmp_path: Path) -> None:
    memory = open_memory(tmp_path / "data", EMBEDDER, Clock(BERLIN))
    memory.create("Mine", {"n": 1})
    assert "from" not in ana("items").stdout.splitlines()[0]
    id = memory.create("Theirs", {"n": 1}, make_edit(source=IMPORT)).id
    memory.update(id, "My text", {}, make_edit())
    line = memory.append_line("Likes tea", make_edit(source=name_assistant("Friend"))).id
    memory.close()
    head, *rows = ana("items").stdout.splitlines()
    assert head.split() == ["id", "content", "date", "properties", "from"]
    assert {row.split()[-1] for row in rows} == {"1", "import"}
    assert [row.split()[0] for row in ana("items", "--source", "import").stdout.splitlines()[1:]] == [id]
    assert "Mine" in ana("items", "--source", "person").stdout
    assert "No item is from 'paste'" in ana("items", "--source", "paste").stderr
    history = [json.loads(each) for each in ana("history", "--json").stdout.splitlines()]
    assert [each.get("source") for each in history] == ["assistant Friend", None, "import", None]
    assert ana("history").stdout.splitlines()[0].split() == ["when", "what", "from", "turn"]
    assert ana("claim", id, f"line {line}").stdout.startswith("2 records are")
    assert "now your own words" in ana("history", "--item", id).stdout


def test_what_is_not_there_cannot_be_claimed(ana: Run, tmp_path: Path) -> None:
    memory = open_memory(tmp_path / "data", EMBEDDER, Clock(BERLIN))
    id = memory.create("Theirs", {}, make_edit(source=IMPORT)).id
    memory.close()
    done = ana("claim", id, "line 7")
    assert (done.returncode, done.stderr.startswith("There is no Global Context line 7.")) == (1, True)
    assert list_sources(ana) == {"Theirs": "import"}, "all of them or none"
    assert ana("claim").returncode == 2
