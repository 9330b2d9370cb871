"""Letters beyond ASCII in paths, names and text, also where the locale knows none; and bytes that are no text."""

import os
import subprocess
import sys
from pathlib import Path

from ana.settings import PROJECT
from tests.app.conftest import Run
from tests.conftest import folders

ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}


def test_a_locale_without_letters_loses_none(tmp_path: Path) -> None:
    """In a process started from nothing: what the locale knows is settled when an interpreter starts."""
    home = tmp_path / "dätä 日本"
    set_otherwise = {name: value for name, value in os.environ.items() if name != "PYTHONUTF8"}
    env = set_otherwise | folders(home, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT), LOG_TO_CONSOLE="true") | ASCII
    command = [sys.executable, "-m", "app.cli", "chat", "--thread", "Zürich"]
    given = "note: café – 日本\n/transcript\n".encode()
    done = subprocess.run(command, cwd=tmp_path, env=env, input=given, capture_output=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    answered, _, told_again = done.stdout.decode().partition("> /transcript")
    assert "Zürich" in answered
    assert "+ “café – 日本” (note)" in answered
    assert "> note: café – 日本\nKept. I understand only English" in told_again
    assert "\n- Stored: “café – 日本” (note)\n" in told_again
    assert sorted(os.listdir(tmp_path)) == [home.name]
    assert (home / "data" / "chroma" / "chroma.sqlite3").exists()


NO_TEXT = "caf\udce9"
"""How Python holds an argument that is not UTF-8."""

TYPED = (
    ("ask", "--thread", NO_TEXT, f"note: {NO_TEXT}"),
    ("items", NO_TEXT),
    ("items", "--where", f'{{"x": "{NO_TEXT}"}}'),
    ("history", "--since", NO_TEXT),
    ("history", "--item", NO_TEXT),
    ("undo", "--turn", NO_TEXT),
    ("import", NO_TEXT),
    ("restore", NO_TEXT),
    ("trash", "restore", NO_TEXT),
    ("threads", "show", NO_TEXT),
    ("ask", "--thread", "x", "--decide", NO_TEXT),
)


def test_bytes_that_are_no_text_get_a_sentence(ana: Run) -> None:
    for typed in TYPED:
        done = ana(*typed)
        assert "Traceback" not in done.stderr
        assert done.stdout or done.stderr, typed


def test_a_path_that_is_no_text_is_named(ana: Run) -> None:
    for name in ("ANA_DATA_DIR", "TRACES_DIR", "LOG_FILE_PATH"):
        done = ana("items", **{name: NO_TEXT})
        assert done.returncode == 2
        assert done.stderr.startswith(f"{name} is wrong: the path is not UTF-8.")


def test_input_that_is_no_text_is_read_all_the_same(ana: Run) -> None:
    done = ana("chat", given=f"/items {NO_TEXT}\n")
    assert done.returncode == 0, done.stderr
    assert "Nothing was found." in done.stderr
