"""What is in no text is named, wherever in a value it stands."""

import pytest

from ana.errors import ToolError, UserError
from ana.text import HINT, check_text, find_fault, read_any_json

HALF, NUL, BYTE = "half a character (\\ud83d)", "NUL (\\u0000)", "a byte that is not UTF-8 (0xe9)"


@pytest.mark.parametrize(
    ("value", "place", "what"),
    [
        ("cake \ud83d for Ana", 6, HALF),
        ("\0", 1, NUL),
        (b"caf\xe9".decode("utf-8", "surrogateescape"), 4, BYTE),
        ({"content": "cake", "properties": {"a\0": 1}}, 2, NUL),
        ({"tags": ["fine", ["\udfff"]]}, 1, "half a character (\\udfff)"),
        (read_any_json(b'{"text": "caf\xe9"}'), 4, BYTE),
        (read_any_json('{"text": "cake \\ud83d"}'), 6, HALF),
    ],
)
def test_the_first_character_that_is_in_no_text_is_named(value: object, place: int, what: str) -> None:
    assert find_fault(value).startswith(f"This cannot be read as text: character {place} is {what}")
    with pytest.raises(UserError) as caught:
        check_text(value, UserError)
    assert caught.value.sentence() == f"{find_fault(value)} {HINT}"


@pytest.mark.parametrize(
    "value",
    ["", "🎂 for Ana", "a\ttab\r\nand \x1b", {"n": [1, None, True, 2.5]}, None, read_any_json('"\\ud83c\\udf82"')],
)
def test_every_text_may_pass(value: object) -> None:
    check_text(value, ToolError)


def test_json_that_is_none_is_an_error() -> None:
    for text in ("{", "[" * 200 + "]" * 200):
        with pytest.raises(ValueError, match=r"."):
            read_any_json(text)
