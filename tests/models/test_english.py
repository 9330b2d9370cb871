"""The table of English: its notation, and that nothing in it is idle or missing."""

import re
from collections.abc import Callable

import pytest

from ana.models.offline import english
from ana.models.offline.english import VERBS, normalize, read_forms, read_pairs, read_rows
from ana.patterns import LatePattern
from ana.settings import PROJECT

READER = PROJECT / "ana" / "models" / "offline"
TABLE = (READER / "english.txt").read_text(encoding="utf-8")
CODE = "\n".join(path.read_text(encoding="utf-8") for path in READER.glob("*.py"))


Form = Callable[[str], LatePattern]


@pytest.fixture
def form(monkeypatch: pytest.MonkeyPatch) -> Form:
    def read(line: str) -> LatePattern:
        monkeypatch.setattr(english, "_TABLES", f"\n[test]\n{line}\n")
        ((_, pattern),) = read_forms("test")
        return pattern

    return read


def test_a_form_is_words_choices_options_slots_and_names(form: Form) -> None:
    pattern = form("done: (mark|set) {what} [as|off] DONE [now]")
    for text, what in (
        (" mark the call as done", "the call"),
        (" Set it finished now!", "it"),
        (" mark done done", "done"),
    ):
        assert (match := pattern.match(text)) is not None
        assert match["what"] == what
    for text in (" mark done", "mark it done", " marks it done", " mark it done today"):
        assert pattern.match(text) is None


def test_a_row_goes_on_in_the_next_line(form: Form) -> None:
    assert form("x: (one|\n  two|\n  three) # {what}").match(" two # things") is not None


def test_a_name_that_is_not_there_is_an_error(form: Form) -> None:
    with pytest.raises(ValueError, match="NOWHERE"):
        form("x: (mark|set) NOWHERE {what}")


@pytest.mark.parametrize("name", [name for name, _ in read_rows("names") if name != "..."])
def test_every_name_is_used(name: str) -> None:
    assert len(re.findall(rf"(?<![A-Z_]){name}(?![A-Z_])", TABLE)) > 1


@pytest.mark.parametrize("name", [name for name, _ in read_rows("patterns")])
def test_every_pattern_is_used(name: str) -> None:
    assert f'"{name}"' in CODE or f"'{name}'" in CODE


def test_no_line_is_too_long_to_read() -> None:
    assert [line for line in TABLE.splitlines() if len(line) > 120 or line != line.rstrip()] == []


def test_words() -> None:
    assert "buy" in VERBS
    assert read_pairs("past")["bought"] == "buy"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Hey Ana, could you please remidn me to stretch, thanks!", "remind me to stretch"),
        ("pay the remainder tmrw", "pay the remainder tomorrow"),
        ("I need you to delete teh wifi note pls", "delete the wifi note"),
        ("I'm tired", "I am tired"),
        ("call mum @ 5pm 🙂", "call mum at 5pm"),
        ("please", "please"),
    ],
)
def test_politeness_and_slips_are_taken_off(text: str, left: str) -> None:
    assert normalize(text) == left
