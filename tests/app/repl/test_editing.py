"""What `e` opens in the editor: `key: value` lines, read back as they were or as the person changed them."""

from typing import Any

import pytest

from app.repl.editing import read_values, write_values

ITEM = {
    "content": "Rye bread: two loaves\nfrom the market",
    "properties": {"due_date": "2026-11-27", "at": "10:30", "answer": "no", "tags": ["food", "* star"], "count": 2},
}
AWKWARD: list[Any] = [
    {"text": text} for text in ("true", "12", "1e5", "", " a ", "a: b", "# c", "---", "&x", "*x", "a\n\n b \n", "‮é\x1b")
]


def test_people_see_lines_as_they_write_them() -> None:
    assert write_values(["Keep “Rye bread”"], [ITEM]) == (
        "# Keep “Rye bread”\n"
        "content: |-\n  Rye bread: two loaves\n  from the market\n"
        "properties:\n"
        "  due_date: 2026-11-27\n  at: 10:30\n  answer: no\n  tags:\n  - food\n  - '* star'\n  count: 2\n"
    )


@pytest.mark.parametrize("values", [[ITEM], [{}, ITEM, {"id": "12345678"}], AWKWARD], ids=["one", "several", "awkward"])
def test_what_is_left_as_it_was_is_the_same_value(values: list[Any]) -> None:
    assert read_values(write_values(["One"] * len(values), values)) == values


def test_a_day_a_time_and_a_no_stay_texts_and_numbers_are_numbers() -> None:
    text = "due_date: 2026-11-27\nat: 10:30\nanswer: no\ncount: 3\nhours: 1.5\ndone: true\nnote:\n"
    assert read_values(text) == [
        {"due_date": "2026-11-27", "at": "10:30", "answer": "no", "count": 3, "hours": 1.5, "done": True, "note": None}
    ]


@pytest.mark.parametrize("text", ["a: [", "a: &x [*x]", "[" * 20_000, "[" * 101 + "]" * 101, "a: !!python/name:os x"])
def test_what_cannot_be_read_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_values(text)


def test_what_nobody_sees_is_an_escape_that_is_read_back() -> None:
    hidden: list[Any] = [
        {"content": "Rome\u202egnp\u200b\U000e006f 👩‍👩‍👧 ü\r\ntwo", "a\u202eb": "x\u2028y", "half": "\ud83d"}
    ]
    written = write_values(["One"], hidden)
    assert r"Rome\u202egnp\u200b\U000E006F" in written
    assert r'"a\u202eb": ' in written
    assert not [c for c in "\u202e\u200b\U000e006f\u2028\ud83d" if c in written]
    assert read_values(written) == hidden
