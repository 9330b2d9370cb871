"""JSON and YAML from outside that is nested too deep, or grows when it is read, is a sentence and no traceback."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ana.tracing.record import read_observation
from ana.values import DEEP, read_json, read_plain_json
from tests.app.conftest import Run

DEPTHS = [DEEP + 1, 900, 100_000]
"""One that only we refuse, one that Python reads and cannot print, one that it cannot read."""


def nest(depth: int) -> str:
    return "[" * depth + "]" * depth


def write_bomb(anchor: str) -> str:
    """Thirty lines of YAML that stand for 9^30 values."""
    lines = [f"{anchor}0: &{anchor}0 [x, x, x, x, x, x, x, x, x]"]
    for n in range(1, 30):
        again = ", ".join([f"*{anchor}{n - 1}"] * 9)
        lines.append(f"{anchor}{n}: &{anchor}{n} [{again}]")
    return "\n".join([*lines, f"groups: *{anchor}29\n"])


DEEP_TEXT = nest(900)
"""One that Python reads and cannot print; how deep others may be is held below, for the one that reads them all."""
TASKS = ("eval", "--tasks", "{file}")
EXPORT = '{"export": "ana", "format": 1, "next_line": 0}\n{"item": ' + DEEP_TEXT + "}\n"
UNREADABLE: list[tuple[tuple[str, ...], str, str]] = [
    (("items", "--where", DEEP_TEXT), "", "--where"),
    (("ask", "--thread", "t", "--decide", "{file}"), DEEP_TEXT, "deep"),
    (("import", "{file}"), EXPORT, ""),
    (("import", "{file}"), '[{"uuid": "x", "description": ' + DEEP_TEXT + "}]", ""),
    (("eval", "--picture", "p.svg", "--compare", "{file}"), DEEP_TEXT, ""),
    (("replay", "--path", "{file}"), f"{DEEP_TEXT}\n", ""),
    (TASKS, DEEP_TEXT, ""),
    *((TASKS, write_bomb(anchor), f"it has an alias, *{anchor}0") for anchor in ("a", "-a", "_")),
    *((TASKS, text, "cannot be read as tasks") for text in ("groups: {a: [{now: 2026-13-45}]}", "groups: {a: [x]}")),
    *((TASKS, text, "cannot be read as tasks") for text in ("x: [", "- “1”", "\0")),
]


@pytest.mark.parametrize("number", range(len(UNREADABLE)))
def test_what_is_too_deep_grows_or_is_something_else_is_a_sentence(ana: Run, tmp_path: Path, number: int) -> None:
    arguments, text, told = UNREADABLE[number]
    file = tmp_path / "given"
    file.write_text(text)
    done = ana(*(str(file) if argument == "{file}" else argument for argument in arguments))
    assert done.returncode in (1, 2)
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert "not foreseen" not in done.stderr
    assert 0 < len(done.stderr.splitlines()) < 12


def test_a_backup_with_a_deep_manifest_is_refused(ana: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("manifest.json", nest(900))
    done = ana("restore", str(tmp_path / "b.zip"))
    assert done.returncode == 1
    assert "is not a complete backup" in done.stderr


@pytest.mark.parametrize("text", ["[1, 2", "", "NaN NaN"])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|Extra"):
        read_json(text)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_json_is_read_up_to_a_depth(opening: str) -> None:
    def write(depth: int) -> str:
        return opening * depth + "1" + {"[": "]"}.get(opening, "}") * depth

    value: Any = json.loads(write(DEEP))
    assert read_json(write(DEEP)) == value
    for depth in DEPTHS:
        with pytest.raises(ValueError, match=f"nested more than {DEEP} deep"):
            read_json(write(depth))


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_deep_result_of_a_tool_is_kept_as_text(depth: int) -> None:
    assert read_observation(nest(depth)) == nest(depth)
    assert read_observation(nest(DEEP)) == json.loads(nest(DEEP))


def test_half_a_character_is_replaced_and_a_whole_one_stays() -> None:
    given = '{"\\ud800": ["\\udc00 a", "\\ud83d\\ude00", "\\\\ud800"]}'
    assert read_plain_json(given) == {"?": ["? a", "\U0001f600", "\\ud800"]} == read_plain_json(given.encode())
    assert read_json(given) == json.loads(given)
