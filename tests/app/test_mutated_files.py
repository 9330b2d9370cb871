"""Files that were changed by somebody: every command that reads them says what is wrong, and touches nothing else."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from ana.settings import load_settings
from ana.workspace import open_workspace
from tests.command_line import run
from tests.conftest import live_in
from tests.mutations import mutate_lines, mutate_text

SAID = (
    "add buy milk tomorrow",
    "where is the milk?",
    "I prefer tea in the mornings",
    "what is 7*6",
    "I bought milk",
    "undo that",
    "note: the key is in the blue tin",
    "delete everything",
)
NAME = "mutated"
LEDGER = (
    b'{"ts": "2026-01-07T09:00:00+00:00", "model": "m", "provider": "openai", '
    b'"usage": {"input_tokens": 1, "output_tokens": 2}, "cost_usd": 0.5}\n'
)


def list_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a conversation, beside one of somebody else, in which nothing may change."""
    path = tmp_path_factory.mktemp("lived-in")
    (path / "home" / "outside").mkdir(parents=True)
    (path / "home" / "outside.jsonl").write_text("somebody else's")
    with pytest.MonkeyPatch.context() as patch:
        live_in(path / "home" / "ana", patch, HOME=str(path / "home"))
        patch.chdir(path / "home" / "outside")
        for said in SAID:
            run("ask", said, "--thread", NAME)
        yield path / "home"


TELLING = (
    ("replay", "--path", "{trace}", "--index", "{index}"),
    ("replay", "--path", "{trace}", "--index", "{index}", "--json"),
    ("replay", "--path", "{trace}", "--index", "{index}", "--rerun"),
    ("replay", NAME, "--rerun", "--model", "offline"),
    ("traces",),
    ("traces", "--older-than", "1d"),
    ("cost",),
    ("threads", "show", NAME),
    ("threads", "list"),
)
"""What reads a trace."""


@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.long)])
def test_a_trace_that_was_changed_is_told_or_refused(lived_in: Path, count: int) -> None:
    settings, random = load_settings(), Random(count)
    trace = settings.traces_dir / f"{open_workspace(settings).open_threads().resolve(NAME)}.jsonl"
    before, outside = trace.read_bytes(), list_outside(lived_in)
    lines = before.decode().splitlines()
    try:
        for _ in range(count):
            changed = mutate_lines(lines, random)
            trace.write_bytes(changed)
            for command in random.sample(TELLING, 6):
                told = [argument.format(trace=trace, index=random.randrange(-len(lines), 0)) for argument in command]
                check(told, changed)
    finally:
        trace.write_bytes(before)
    assert list_outside(lived_in) == outside


def check(command: Sequence[str], changed: bytes) -> None:
    """Run a command that must end with a code of its own, without a traceback."""
    code, told = run(*command)
    assert code in (0, 1, 2), (command, told, changed)
    assert "Traceback" not in told, (command, told, changed)
    assert "\x1b" not in told


SMALL = {
    "format.json": b"",
    "generation": b"",
    "lock.owner": b"",
    "spending.json": b'{"day": "2026-01-07", "usd": 0.5, "most": 0.25}',
    "spending.ledger": LEDGER,
    "thread_names.json": b"",
    "last_thread": b"87d49af4-1333-5dec-9fe4-1d1e3a7e40d5",
}
"""Small files of a data folder: as they are, or as they may be."""

READING = (
    ("items",),
    ("cost",),
    ("threads", "list"),
    ("traces",),
    ("history",),
    ("doctor",),
    ("ask", "what is 7*6"),
    ("ask", "what is 7*6", "--thread", NAME),
)


@pytest.mark.parametrize("count", [5, pytest.param(250, marks=pytest.mark.long)])
def test_a_small_file_that_was_changed_stops_no_command_without_a_sentence(
    lived_in: Path, tmp_path: Path, count: int
) -> None:
    folder, random, outside = load_settings().ana_data_dir, Random(count), list_outside(lived_in)
    shutil.copytree(folder, tmp_path / "kept")
    try:
        for _ in range(count):
            name = random.choice([*SMALL])
            changed = change(SMALL[name] or (folder / name).read_bytes(), random)
            (folder / name).write_bytes(changed)
            for command in random.sample(READING, 3):
                check(command, changed)
            shutil.rmtree(folder)
            shutil.copytree(tmp_path / "kept", folder)
    finally:
        shutil.rmtree(folder)
        shutil.copytree(tmp_path / "kept", folder)
    assert list_outside(lived_in) == outside


def change(text: bytes, random: Random) -> bytes:
    if text.startswith(b"{") and random.random() < 0.6:
        return mutate_lines(["".join(text.decode().split("\n"))], random)
    return mutate_text(text, random)


def list_outside(home: Path) -> dict[str, bytes]:
    return {name: text for name, text in list_files(home).items() if not name.startswith("ana/")}
