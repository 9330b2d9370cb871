"""Nothing that is stored, named, imported or said by a model drives the terminal; JSON and exports keep it exactly."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ana.handles import open_data
from ana.output import escape_controls, escape_json
from ana.settings import load_settings
from ana.values import Properties
from ana.workspace import open_workspace
from app.cli.main import COMMANDS, find_others
from tests.app.conftest import Run
from tests.command_line import run_here
from tests.conftest import folders
from tests.memory.conformance import memory_on
from tests.openai_stub import Said, Stub, openai_stub
from tests.terminal import Terminal, chatting

TITLE, CLEAR, COLOUR = "\x1b]0;owned\x07", "\x1b[2J\x1b[3;3H", "\x1b[5;97;41m\x9b97;41m\x90q\x9c"
BIDI = "\u202egnp.exe\u2066\u200f\u061c"
UNSEEN = "\u200b\ufeff\U000e006f\U000e0062"
HOSTILE = f"evil{TITLE}{CLEAR}{COLOUR}{BIDI}{UNSEEN}\x08\x0b\x0c\r\x7f\x0eend"
FILE = HOSTILE.replace("\r", "")
DRIVING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)

OURS = re.compile(r"\r+\n|\x1b\[(?!5;97)[\d;]*m|\r?\x1b\[(?:2K|1A)|\x1b\[\?25[lh]")
"""Line ends of a terminal; colours and styles of tables, receipts and messages; lines of progress."""

EDITORS = re.compile(r"\x1b\[(?:[0-9]*[ABCDKJ]|\?(?:1|7|12|25|2004)[hl]|[0-9] q)|[\r\x08]")
"""What the line editor and the region of a running turn move the cursor with."""

PROMPT_SHOWN = "\x1b[?2004h"
"""With it the line editor asks for pasted text in brackets. What is typed before is echoed by the system."""

SAID = Said(f"I did {HOSTILE}.", calls=[("create_item", {"content": HOSTILE, "properties": {HOSTILE: HOSTILE}})])


@pytest.fixture
def stub() -> Iterator[Stub]:
    with openai_stub(
        SAID, Said(f"{TITLE[:3]} {TITLE[3:]} Done: {HOSTILE}\n\n| a{HOSTILE} |\n|---|\n| {HOSTILE} |")
    ) as stub:
        yield stub


@pytest.fixture
def env(tmp_path: Path, stub: Stub) -> dict[str, str]:
    """The environment of a folder with hostile items, due, deleted and changed, and a hostile import beside it."""
    env = folders(
        tmp_path, OPENAI_API_KEY="sk-x", OPENAI_BASE_URL=stub.url, LOG_TO_CONSOLE="true", LOG_LEVEL_APP="DEBUG"
    )
    with open_data(open_workspace(load_settings(env)), "a test") as handles:
        for due in ("2020-01-01", handles.clock.now().date().isoformat(), None):
            hostile: Properties = {HOSTILE: [HOSTILE], "type": HOSTILE, "due_date": due}
            memory_on(handles.memory.backend).create(f"{HOSTILE} {due}", hostile)
        gone = handles.memory.create(f"{HOSTILE} gone", {}).id
        handles.memory.delete(gone)
        handles.memory.append_line(f"Likes {HOSTILE}")
    (tmp_path / FILE).write_text("neither an export nor anything else")
    (tmp_path / "turn.jsonl").write_text(json.dumps(TURN))
    return env


STEP = {"tool": HOSTILE, "args": {HOSTILE: HOSTILE}, "observation": {"items": [{"content": HOSTILE}], HOSTILE: 1}}
SAYS = dict.fromkeys(("id", "question", "answer", "receipt", "model", "provider", "thread_id", "error"), HOSTILE)
TURN = SAYS | {"ts": "2026-01-01\x1b00:00", "steps": [STEP, STEP | {"observation": HOSTILE}], "durations": {HOSTILE: 1}}
"""The record of a turn, as somebody may have sent it."""

CALLS: dict[str, list[list[str]]] = {
    "chat": [["--thread", FILE, FILE]],
    "ask": [["--thread", FILE, HOSTILE], ["--thread", FILE, "--decide", FILE], ["--json", HOSTILE]],
    "items": [
        [],
        ["--user", HOSTILE],
        ["--why", "evil"],
        [HOSTILE],
        ["--where", HOSTILE],
        ["--json"],
    ],
    "claim": [[HOSTILE], ["--source", HOSTILE], ["--turn", HOSTILE]],
    "due": [[], ["--json"]],
    "today": [[]],
    "calendar": [[]],
    "history": [[], ["--json"], ["--since", HOSTILE], ["--item", HOSTILE]],
    "replay": [["--path", "turn.jsonl"], ["--path", "turn.jsonl", "--rerun"], [HOSTILE]],
    "undo": [["--turn", HOSTILE], []],
    "approve": [[], ["--json"], [HOSTILE, "--yes"]],
    "forget": [[], [HOSTILE], ["line", "0"]],
    "cost": [[], ["--since", HOSTILE]],
    "describe": [["-s", "9"], ["-s", "9", "--json"]],
    "doctor": [[]],
    "eval": [["--tasks", HOSTILE]],
    "optimize": [["--n", HOSTILE]],
    "export": [["-"], [f"{FILE}/{FILE}"], [FILE]],
    "import": [[FILE], [f"no {FILE}"]],
    "backup": [[FILE], [f"new {FILE}"]],
    "restore": [[FILE], [f"new {FILE}"], ["--yes", FILE]],
    "reindex": [["--embeddings", HOSTILE], []],
    "traces": [[], ["--older-than", HOSTILE]],
    "connect": [[], [HOSTILE], ["claude", "--show"]],
    "routines": [[], ["start", "morning"], ["start", HOSTILE], ["run", HOSTILE], ["end", HOSTILE]],
    "remind": [["--once"], ["--test"]],
    "share": [[], [HOSTILE], [HOSTILE, HOSTILE], [HOSTILE, HOSTILE, "--end"]],
    "serve": [["--port", HOSTILE], ["--host", HOSTILE], ["--uninstall"]],
    "demo": [["--port", HOSTILE]],
    "telegram": [[], ["--link"], ["--user", HOSTILE, "--link"], ["--unlink"]],
    "dev": [["--port", HOSTILE]],
    "worker": [["--runs", HOSTILE]],
    "move": [[HOSTILE], ["database", "--user", HOSTILE, "--yes"]],
    "users": [["list"], *([word, HOSTILE] for word in ("add", "token", "remove")), ["link", "owner", "--url", HOSTILE]],
    "mcp": [[HOSTILE]],
    "setup": [["--provider", HOSTILE], ["--provider", "ollama", "--url", HOSTILE, "--model", HOSTILE]],
    "threads": [["list"], ["show", FILE], ["show", HOSTILE], ["delete", HOSTILE], ["delete", FILE]],
    "trash": [[], ["list"], ["restore", HOSTILE]],
    HOSTILE: [[]],
}
"""Every command, with what a person may type or paste and with what is stored."""


def run(env: dict[str, str], *arguments: str, cwd: Path) -> str:
    """Return what a command shows in a terminal, where a no is typed to whatever it asks."""
    if arguments[0] == "chat":  # its line editor needs a real one
        with Terminal(env, *arguments, cwd=cwd) as terminal:
            terminal.type("n\r")
            seen = terminal.read_to_end()
    else:
        done = run_here(*arguments, given="n\n", cwd=cwd, env=env | {"TERM": "xterm"}, is_terminal=True)
        seen = done.stdout + done.stderr
    assert "Traceback" not in seen, seen
    return seen


def test_every_command_is_tried() -> None:
    assert CALLS.keys() - {HOSTILE} == {*COMMANDS, *find_others().names}


def test_no_command_lets_anything_drive_the_terminal(env: dict[str, str], tmp_path: Path) -> None:
    evil = 0
    for thread in (FILE, "work"):
        run(env, "ask", "--thread", thread, f"keep {HOSTILE}", cwd=tmp_path)
    for command, calls in CALLS.items():
        for arguments in calls:
            seen = run(env, command, *arguments, cwd=tmp_path)
            assert not DRIVING.findall(OURS.sub("", seen)), (command, arguments, seen)
            evil += "\\x1b]0;owned\\x07" in seen or "\\u001b]0;owned\\u0007" in seen
    assert evil > 20, "most of them had something to show"
    wrong = run(env | {"LLM_PROVIDER": HOSTILE}, "items", cwd=tmp_path)
    assert not DRIVING.findall(OURS.sub("", wrong))


def test_the_prompt_lets_nothing_drive_the_terminal(env: dict[str, str], tmp_path: Path) -> None:
    run(env, "ask", "--thread", FILE, f"keep {HOSTILE}", cwd=tmp_path)
    (tmp_path / "data" / "typed").write_text(f"\n# 2026-01-01 00:00:00\n+{HOSTILE}\n")
    with Terminal(env, "chat", "--thread", FILE, cwd=tmp_path) as terminal:
        terminal.until("/help shows the commands.")
        lines = ("keep this", "/items", "/due", "/context", "/context edit 0 x\x0b", "/transcript", "/threads", "/undo")
        up, clear = "\x1b[A" * 3, "\x15"
        for line in (*lines, f"/{BIDI}", f"say {BIDI}", f"/threads {BIDI}", f"{up}{clear}/threads \t\t{clear}/help"):
            prompts = terminal.seen.count(PROMPT_SHOWN)
            terminal.type(f"{line}\r")
            terminal.until(PROMPT_SHOWN, times=prompts + 1)
        terminal.type("/quit\r")
        seen = terminal.read_to_end()
        assert terminal.process.wait(20) == 0
    shown = EDITORS.sub("", OURS.sub("", seen))
    assert not DRIVING.findall(shown), shown
    assert "\\x1b]0;owned\\x07" in shown
    assert "\\u202e" in shown
    assert "Traceback" not in shown


def test_a_sequence_in_two_pieces_is_no_sequence(env: dict[str, str], stub: Stub, tmp_path: Path) -> None:
    stub.script[:] = [Said(f"\x1b ]0;owned \x07 {TITLE[:1]} {TITLE[1:]} end.")]
    with chatting(env) as terminal:
        terminal.type("hello\r")
        terminal.until("end.\r\n")
        assert "\x07" not in terminal.seen
        assert "\x1b]" not in terminal.seen
        assert "\\x07" in terminal.seen


def test_what_is_shown_as_json_says_the_same(env: dict[str, str], ana: Run) -> None:
    shown = ana("items", "--json", **env).stdout
    assert not DRIVING.findall(shown)
    assert {HOSTILE in item["content"] for item in json.loads(shown)["items"]} == {True}


def test_an_export_keeps_every_byte(env: dict[str, str], ana: Run, tmp_path: Path) -> None:
    piped = ana("export", "-", **env).stdout
    assert ana("export", str(tmp_path / "out"), **env).returncode == 0
    assert piped == (tmp_path / "out").read_text(errors="replace")
    assert BIDI in piped
    shown = run(env, "export", "-", cwd=tmp_path)
    assert [json.loads(line) for line in shown.splitlines() if "{" in line[:1]] == list(
        map(json.loads, piped.splitlines())
    )


def test_every_control_is_escaped_but_tab_and_line_break() -> None:
    for control in (*map(chr, (*range(0x20), *range(0x7F, 0xA0))), *"\u061c\u200e\u202e\u2066\u2069"):
        text = f"a{control}b"
        assert (escape_controls(text) == text) == (control in "\t\n")
        assert json.loads(escape_json(json.dumps(text, ensure_ascii=False))) == text
        assert not DRIVING.findall(escape_controls(text) + escape_json(json.dumps(text, ensure_ascii=False)))


def test_what_drives_nothing_stays() -> None:
    text = "Zürich שלום 日本 👩‍👩‍👧 café\n\tx\r\ny"
    assert escape_controls(text) == text.replace("\r", "")
