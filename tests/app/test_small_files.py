"""Every small file of ours, with anything in it: a sentence, nothing lost, and a repair. There is a list of them."""

import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ana.backends.chroma.care.files import DATABASES
from ana.backends.chroma.collection import INDEXES
from ana.files import SQLITE_SUFFIXES
from ana.own_files import PEOPLE, SERVER
from tests.command_line import run, run_here
from tests.conftest import live_in

NOTES = (
    *("format.json", "generation", "lock", "lock.owner"),
    *("restore.json", "purging", "moved.json"),
    *("thread_names.json", "last_thread", "typed", "refused_copy", "shown", "shown-to-assistants"),
    *("spending.json", "spending.lock", "spending.ledger"),
    *("embedder-suggested", "ollama-offered", "refused-parameters"),
    *("calendar-key", "push-key", "reminder-key", "calendars", "zone", "assistants", "forgetting", "evaluations.json"),
    *("replies", "phone-visit", "grants", "telegram", "telegram-code"),
    *("traces.lock", "traces.owner", "thread_names.lock", "thread_names.owner", "reminders.lock"),
)
"""The small files that ana writes in a data folder."""

COMMANDS = (
    ("items",),
    ("ask", "--thread", "home", "note: the bins go out on Thursday"),
    ("threads", "list"),
    ("chat",),
)
SPOILED = {
    "cut": lambda data: data[: len(data) // 2],
    "empty": lambda _: b"",
    "null": lambda _: b"null",
    "another type": lambda _: b'[{"unpacked": 5}]',
    "other values": lambda _: (
        b'{"unpacked": "../..", "aside": "../..", "traces": "/", "day": 5, "usd": "x", "pid": "x"}'
    ),
    "nested": lambda _: b"[" * 100_000,
    "nested inside": lambda _: b'{"unpacked": ' + b'{"a":' * 100_000,
    "bytes": lambda _: os.urandom(300),
    "huge": lambda _: b'{"unpacked": "' + b"x" * 25_000_000,
}
READ = (
    "format.json",
    "restore.json",
    "thread_names.json",
    "spending.json",
    "lock.owner",
    "generation",
)
"""Those whose content somebody reads."""

KEPT = ("buy milk", "the key is in the tin")
MENDED_BY_HAND = "format.json"
"""Only a person knows which program wrote the folder; the sentence says what to write into it."""
DELETED_BY_HAND = "moved.json"
"""Only a person knows whether what is in the folder was moved away."""


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with items, a line, a named conversation, and a copy that was refused."""
    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        live_in(path, patch)
        for said in ("note: buy milk", "I prefer tea", "note: the key is in the tin"):
            run("ask", said, "--thread", "home")
        run("threads", "delete", "home", "--yes")
        run("threads", "restore", "home")
        run_here("chat", given="hello\n")
    return path


def choose_cases() -> list[Any]:
    """Return every file with everything it may hold.

    The long form has those that tell little more; `make test` spoils the files together that nobody reads before a
    command does its work.
    """
    together = tuple(name for name in NOTES if name not in (*READ, DELETED_BY_HAND))
    cases = [pytest.param(together, SPOILED["nested"], id="together-nested")]
    for name, how in itertools.product(NOTES, SPOILED):
        telling = ("cut", "null", "nested inside") if name in READ else ("nested",) if name == DELETED_BY_HAND else ()
        marks = () if how in telling else pytest.mark.long
        cases.append(pytest.param((name,), SPOILED[how], id=f"{name}-{how}", marks=marks))
    return cases


@pytest.mark.parametrize(("names", "spoil"), choose_cases())
def test_a_small_file_with_anything_in_it_is_a_sentence_and_a_repair(
    home: Path, names: tuple[str, ...], spoil: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (home / "data" / name for name in names):
        file.write_bytes(spoil(file.read_bytes() if file.exists() else b'{"unpacked": "restored-01234567"}'))
    for command in COMMANDS:
        code, told = run(*command)
        assert "Traceback" not in told
        assert code in (0, 1, 2)
        assert code == 0 or told.strip().endswith((".", "`")), told
    if MENDED_BY_HAND in names:
        file.write_text(told.partition("Write ")[2].partition(" into it")[0])
    elif DELETED_BY_HAND in names:
        file.unlink()
    code, told = run("doctor", "--repair")
    assert code == 0, told
    code, told = run("items")
    assert code == 0, told
    assert all(kept in told for kept in KEPT)


def test_the_list_of_our_files_is_complete(home: Path) -> None:
    for command in (
        "reindex",
        "doctor --repair",
        "trash --purge --older-than 0d",
        "backup b.zip",
        "cost",
        "threads list",
    ):
        assert run(*command.replace("b.zip", str(home / "b.zip")).split())[0] == 0
    names = {path.name for path in (home / "data").iterdir()}
    databases = {f"{name}{suffix}" for name in (*DATABASES, *INDEXES) for suffix in SQLITE_SUFFIXES}
    assert names <= {*NOTES, *databases, "chroma", SERVER, PEOPLE, "backups", "set-aside", "locks", "traces"}
    assert {"generation", "lock.owner", "thread_names.json", "last_thread"} <= names
