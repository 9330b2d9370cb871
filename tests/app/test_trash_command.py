"""What is deleted can be brought back until it is purged; then no file holds it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from ana.handles import open_data
from ana.settings import Settings, load_settings
from ana.workspace import open_workspace
from app.serving import mark_serving
from tests.app.conftest import Run
from tests.command_line import run_here
from tests.conftest import folders
from tests.openai_stub import Said, openai_stub
from tests.traces_of import find_traces

SECRET = "Borrow the quokka costume"
WORDS = ("quokka", "costume")
"""Words that nothing else holds."""


def say(ana: Run, *lines: str, thread: str) -> str:
    return "".join(ana("ask", line, "--thread", thread).stdout for line in lines)


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an item that was spoken of in three conversations and deleted, and one that was not about it."""
    path = tmp_path_factory.mktemp("home")
    env = folders(path, LLM_PROVIDER="offline")
    for thread, question in (
        ("first", f"remind me tomorrow to {SECRET}"),
        ("second", "what is due tomorrow?"),
        ("other", "note: the spare key is in the blue tin"),
        ("third", "delete the quokka costume"),
    ):
        assert run_here("ask", question, "--thread", thread, cwd=path, env=env).returncode == 0
    return path


@pytest.fixture
def said(lived_in: Path, ana: Run, tmp_path: Path) -> str:
    """The item's id, in a copy of that folder, with copies of the text where a server and a REPL leave them."""
    shutil.copytree(lived_in, tmp_path, dirs_exist_ok=True)
    (item,) = re.findall(r"[a-z2-7]{8}(?= .*quokka)", ana("trash").stdout)
    server = tmp_path / "data" / "server" / ".langgraph_api"
    server.mkdir(parents=True)
    (server / ".langgraph_ops.pckl").write_bytes(SECRET.encode())
    (tmp_path / "data" / "typed").write_text(f"# now\n+add {SECRET}\n")
    with (tmp_path / "log" / "ana.log").open("a") as log:
        log.write(f"one line\nINFO body: {json.dumps(SECRET)}\nINFO item {item} was read\nlast line\n")
    return str(item)


def test_a_purge_with_conversations_leaves_no_byte(ana: Run, said: str, tmp_path: Path) -> None:
    done = ana("trash", "--purge", "--older-than", "0d", "--with-conversations", "--yes")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "Deleted permanently: 1 item, 0 lines, 3 conversations.\n"
    assert find_traces(tmp_path, [*WORDS, said]) == []
    assert [line.split("\t")[1] for line in ana("threads", "list").stdout.splitlines()] == ["other"]
    assert (tmp_path / "log" / "ana.log").read_text().count("one line\nlast line\n") == 1
    assert not [each for each in (tmp_path / "data" / "locks").iterdir() if "lock" in each.name][2:]
    assert "blue tin" in say(ana, "where is the spare key?", thread="other")
    assert find_traces(tmp_path, [*WORDS, said]) == []


SPOKEN = [
    ("Überweisung an Zoë Müller", "wo ist die ÜBERWEISUNG AN ZOË MÜLLER?"),
    ("Überweisung an Zoë Müller", "where is the u\u0308berweisung  an zoe\u0308 mu\u0308ller?"),
    ("Straße der Ämter", "STRASSE DER ÄMTER, was that it?"),
    ("Купить 'хлеб' и \U00010400", "купить 'ХЛЕБ' и \U00010428 please?"),
    ('the "quoted" ÀÉÎÕÜ \\ text', 'I said: THE "QUOTED" àéîõü \\ TEXT?'),
]


def test_a_purge_finds_what_was_said_in_another_case(ana: Run, tmp_path: Path) -> None:
    say(ana, "note: the spare key is in the blue tin", thread="other")
    for kept, spoken in SPOKEN:
        say(ana, f"note: {kept}", thread="first")
        say(ana, spoken, thread="second")
        with open_data(open_workspace(load_settings(folders(tmp_path))), "a test") as handles:
            (id,) = [item.id for item in handles.memory.items() if "tin" not in item.content]
            handles.memory.delete(id)
        done = ana("trash", "--purge", "--older-than", "0d", "--with-conversations", "--yes")
        assert (done.returncode, "1 item, 0 lines, 2 conversations" in done.stderr) == (0, True), done.stderr
        assert [line.split("\t")[1] for line in ana("threads", "list").stdout.splitlines()] == ["other"]


def test_a_purge_alone_keeps_what_was_said_and_says_so(ana: Run, said: str, tmp_path: Path) -> None:
    ana("backup", str(tmp_path / "data" / "backups" / "mine.zip"))
    (aside := tmp_path / "data" / "set-aside" / "moved-0123456789abcdef").mkdir(parents=True)
    done = ana("trash", "--purge", "--older-than", "0d")
    assert done.stderr.endswith(f" may hold them. What was put aside in {aside.parent} may hold them.\n")
    assert "1 item, 0 lines, 0 conversations. Messages about them stay. 1 backup in " in done.stderr
    held = {line.partition(":")[0] for line in find_traces(tmp_path / "data", [*WORDS, said])}
    assert held == {
        "typed",
        "server/.langgraph_api/.langgraph_ops.pckl",
        *[n for n in held if n.startswith("threads.")],
    }
    assert len(ana("threads", "list").stdout.splitlines()) == 4


def test_nobody_to_ask_or_a_server_that_runs_and_nothing_is_deleted(ana: Run, said: str, settings: Settings) -> None:
    asked = ana("trash", "--purge", "--older-than", "0d", "--with-conversations")
    assert (asked.returncode, asked.stderr.splitlines()) == (
        1, ["Nothing was deleted, because this is not a terminal. Use --yes to confirm in advance."]
    )  # fmt: skip
    with mark_serving(open_workspace(settings)):
        busy = ana("trash", "--purge", "--older-than", "0d", "--with-conversations", "--yes")
    assert busy.returncode == 1
    assert "The server is running" in busy.stderr
    assert said in ana("trash").stdout
    assert len(ana("threads", "list").stdout.splitlines()) == 4
    assert ana("trash", "--purge", "--older-than", "0d", "--with-conversations", "--yes").returncode == 0


def test_a_deleted_conversation_comes_back_whole_until_it_is_purged(ana: Run, tmp_path: Path) -> None:
    for thread in ("trip", "work"):
        say(ana, "note: the quokka is in the blue tin", "what do I know?", thread=thread)
    traces = {each.name: each.read_bytes() for each in (tmp_path / "traces").iterdir()}
    id = next(line.split("\t")[0] for line in ana("threads", "list").stdout.splitlines() if "\ttrip\t" in line)
    before = ana("threads", "show", "trip").stdout
    assert ana("threads", "delete", "trip").returncode == 1
    deleted = ana("threads", "delete", "trip", "--yes")
    assert "ana threads restore trip" in deleted.stderr
    assert "trip" not in ana("threads", "list").stdout
    assert ana("threads", "show", "trip").returncode == 1
    assert "a conversation, 2 turns: note: the quokka" in ana("trash").stdout
    assert not list((tmp_path / "data" / "locks").glob(f"{id}*"))
    assert ana("threads", "restore", "trip").returncode == 0
    assert {each.name: each.read_bytes() for each in (tmp_path / "traces").iterdir()} == traces
    assert ana("threads", "show", "trip").stdout == before
    assert "trip" in ana("threads", "list").stdout
    assert "is not in the trash" in ana("threads", "restore", "trip").stderr
    ana("threads", "delete", "trip", "--yes")
    say(ana, "hello", thread="trip")
    assert "There is a conversation trip again" in ana("trash", "restore", "trip").stderr
    ana("trash", "--purge", "--older-than", "0d")
    assert ana("trash").stdout == "The trash is empty.\n"
    assert id not in {line.partition(":")[0] for line in find_traces(tmp_path / "traces", ["quokka"])}
    ana("threads", "delete", "work", "--yes")
    ana("trash", "--purge", "--older-than", "0d")
    assert [n for n in find_traces(tmp_path / "data", ["quokka"]) if n.startswith("threads")] == []


@pytest.mark.parametrize(("answer", "left"), [("y\n", 0), ("\n", 1)])
def test_in_a_terminal_deleting_a_conversation_asks(ana: Run, tmp_path: Path, answer: str, left: int) -> None:
    say(ana, "hello", thread="trip")
    done = run_here("threads", "delete", "trip", given=answer, env=folders(tmp_path), is_terminal=True)
    assert "Delete the conversation trip (1 turn)? [y/N]" in done.stdout + done.stderr
    assert done.returncode == left
    assert len(ana("threads", "list").stdout.splitlines()) == left


def test_a_deleted_item_comes_back_until_it_is_purged(ana: Run, said: str) -> None:
    assert ana("trash", "--purge").stderr.startswith("Deleted permanently: 0 items,"), "it was deleted today"
    assert "not an age" in ana("trash", "--purge", "--older-than", "soon").stderr
    assert SECRET in ana("trash", "restore", said).stdout
    assert f"{said} is not in the trash" in ana("trash", "restore", said).stderr
    assert ana("trash").stdout == "The trash is empty.\n"


def test_deleted_lines_are_in_the_trash_too(ana: Run) -> None:
    with openai_stub(Said(calls=[("append_context", {"content": "I prefer deep work"})]), Said("Noted.")) as stub:
        model = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": stub.url}
        ana("chat", given="I prefer deep work\n/context delete 0\n", **model)
    assert "line 0" in ana("trash").stdout
    assert "learned: “I prefer deep work" in ana("trash", "restore", "line", "0").stdout
    assert "I prefer deep work" in ana("chat", given="/context\n").stdout
    assert ana("trash").stdout == "The trash is empty.\n"
