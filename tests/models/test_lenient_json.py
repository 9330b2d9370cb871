"""JSON that models write wrongly is read where it has one reading, and refused where it has two or is not whole."""

from typing import Any

import pytest

from ana.errors import ToolError
from ana.models.lenient_json import read_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'Mum's cake', b: True, c: None,,}", {"a": "Mum's cake", "b": True, "c": None}),
        ('{"a": "x"\n "b": 2 // two\n}', {"a": "x", "b": 2}),
        ('{"a": "Read "Dune" by Frank Herbert"}', {"a": 'Read "Dune" by Frank Herbert'}),
        ('{"a": "You have "Milk", which is due"}', {"a": 'You have "Milk", which is due'}),
        ('{"a": ""Heat" is on", "b": 1}', {"a": '"Heat" is on', "b": 1}),
        (r'{"a": "D:\Projects \(x\)"}', {"a": r"D:\Projects \(x\)"}),
        (r'{"due\_date": "a\_b"}', {"due_date": r"a\_b"}),
        ("{“a”：“b”，“c”：[1，]}", {"a": "b", "c": [1]}),
        ("(content='x', tags=('a', 'b'))", {"content": "x", "tags": ["a", "b"]}),
        ('{"a": 1}, "b": 2', {"a": 1}),
    ],
)
def test_a_text_with_one_reading_is_read(text: str, value: Any) -> None:
    assert read_value(text)[0] == value


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('["a" "b"]', "delimiter"),
        ('{"a": "x" b: 1}', "delimiter"),
        ('{"a": "say "hi", "b": "c"}', "'hi"),
        ('{"a": "24" screen"}', "'screen"),
        ("{'a': f'{x}'}", "'f'"),
        ('{"a": new Date()}', "'new'"),
        ('{"a": NaN}', "'NaN'"),
        ('{"a": 010}', "'010'"),
        ('{"a": title}', "'title'"),
        ('{"a": 1, "a": 2}', "'a' stands there twice"),
        ('{"a": [1}', "closed with '}'"),
        ('{"a": [1', "'[1' is not closed"),
        ('{"a": "b]}', "'\"b]}' is not closed"),
        ('```json\n{"a": 1\n```'[8:], "cut short"),
        ('{"a": 1</tool_call>', "cut short"),
    ],
)
def test_a_text_with_two_readings_or_none_is_refused_and_its_place_named(text: str, named: str) -> None:
    with pytest.raises(ToolError) as caught:
        read_value(text)
    assert named in caught.value.message
