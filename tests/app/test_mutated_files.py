"""Files that were changed by somebody: every command that reads them says what is wrong, and touches nothing else."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from ana.settings import load_settings
from app.cli.main import cli, run_command
from app.threads import Threads
from tests.conftest import folders
from tests.mutations import mutate_lines

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
Home = tuple[Path, Callable[..., tuple[int, str]]]


def list_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a conversation, beside one of somebody else, in which nothing may change."""
    path = tmp_path_factory.mktemp("lived-in")
    (path / "home" / "outside").mkdir(parents=True)
    (path / "home" / "outside.jsonl").write_text("somebody else's")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in folders(path / "home" / "ana", LLM_PROVIDER="offline", HOME=str(path / "home")).items():
            patch.setenv(name, value)
        patch.chdir(path / "home" / "outside")
        for said in SAID:
            run("ask", said, "--thread", NAME)
        yield path / "home"


def run(*arguments: str) -> int:
    """Run a command in this process; return its exit code."""
    try:
        return run_command(lambda: cli(list(arguments), standalone_mode=True))
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize("count", [20, pytest.param(1000, marks=pytest.mark.long)])
def test_a_trace_that_was_changed_is_told_or_refused(
    lived_in: Path, capsys: pytest.CaptureFixture[str], count: int
) -> None:
    settings, random = load_settings(), Random(count)
    trace = settings.traces_dir / f"{Threads(settings).resolve(NAME)}.jsonl"
    before, outside = trace.read_bytes(), list_outside(lived_in)
    lines = before.decode().splitlines()
    try:
        for _ in range(count):
            changed = mutate_lines(lines, random)
            trace.write_bytes(changed)
            index = str(random.randrange(-len(lines), 0))
            for command in (
                ("replay", "--path", str(trace), "--index", index),
                ("replay", "--path", str(trace), "--index", index, "--json"),
                ("replay", "--path", str(trace), "--index", index, "--rerun"),
                ("replay", NAME, "--rerun", "--model", "offline"),
                ("traces",),
                ("traces", "--older-than", "1d"),
                ("cost",),
                ("threads", "show", NAME),
                ("threads", "list"),
            ):
                check(command, capsys, changed)
    finally:
        trace.write_bytes(before)
    assert list_outside(lived_in) == outside


def check(command: tuple[str, ...], capsys: pytest.CaptureFixture[str], changed: bytes) -> None:
    """Run a command that must end with a code of its own, without a traceback."""
    code = run(*command)
    told = "".join(capsys.readouterr())
    assert code in (0, 1, 2), (command, told, changed)
    assert "Traceback" not in told, (command, told, changed)
    assert "\x1b" not in told


def list_outside(home: Path) -> dict[str, bytes]:
    return {name: text for name, text in list_files(home).items() if not name.startswith("ana/")}
