"""JSON that models write wrongly is read where nothing is lost, and refused where it is unclear or cut short."""

from typing import Any

import pytest

from ana.errors import ToolError
from ana.models.lenient_json import LONGEST_MENDED, read_value
from tests.effort import expect_linear


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'Mum's cake', b: True, c: None,,}", {"a": "Mum's cake", "b": True, "c": None}),
        ('{"a": "x"\n "b": 2 // two\n}', {"a": "x", "b": 2}),
        ('{"a": "x" b: 1}', {"a": "x", "b": 1}),
        ('["a" "b"]', ["a", "b"]),
        ('{"a": "Read "Dune" by Frank Herbert"}', {"a": 'Read "Dune" by Frank Herbert'}),
        ('{"a": "You have "Milk", which is due"}', {"a": 'You have "Milk", which is due'}),
        ('{"a": ""Heat" is on", "b": 1}', {"a": '"Heat" is on', "b": 1}),
        (r'{"a": "D:\Projects \(x\)"}', {"a": r"D:\Projects \(x\)"}),
        (r'{"due\_date": "a\_b"}', {"due_date": "a_b"}),
        ("{“a”：“b”，“c”：[1，]}", {"a": "b", "c": [1]}),
        ("{‘a’: ‘b’}", {"a": "b"}),
        ('{\\"a\\": \\"b\\"}', {"a": "b"}),
        ("{&quot;a&quot;: &quot;b &amp; c&quot;}", {"a": "b & c"}),
        ("{'a': ('x', r'C:\\y'), 'b': 0x0A}", {"a": ["x", r"C:\y"], "b": 10}),
        ("{'a': 'x ' 'y'}", {"a": "x y"}),
        ('{"a": undefined, "b": a7k2m9xq}', {"a": None, "b": "a7k2m9xq"}),
        ('{"a": 1}, "b": 2', {"a": 1}),
    ],
)
def test_a_text_with_one_reading_is_read(text: str, value: Any) -> None:
    assert read_value(text)[0] == value


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"a": "say "hi", "b": "c"}', '"say "hi"'),
        ('{"a": "b, "c": "d"}', '"b, "c"'),
        ('{"a": "24" screen"}', 'screen"'),
        ('{"a" "b"}', '"a" "b"'),
        ("{'a': f'{x}'}", "f'{x}'"),
        ('{"a": new Date()}', "new Date()"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 010}', "010"),
        ('{"a": 12*9}', "12*9"),
        ('{"a": title}', "title"),
        ('{"a": 1, "a": 2}', "'a' stands there twice"),
        ("{'a': 1, 'a': 2}", "'a': 1, 'a': 2"),
        ('{"a": [1}', '{"a": [1}'),
        ('{"a": [1', "cut short"),
        ('{"a": "b]}', '"b]}'),
        ('{"a": "b}', '"b}'),
        ('{"a": 1\n```', "cut short"),
        ('{"a": 1</tool_call>', "cut short"),
        ("{" + "a: 1, " * LONGEST_MENDED + "}", "a: 1, a: 1"),
    ],
)
def test_a_text_that_is_unclear_or_cut_short_is_refused_and_its_place_named(text: str, named: str) -> None:
    with pytest.raises(ToolError) as caught:
        read_value(text)
    assert named in caught.value.message


@pytest.mark.parametrize("seed", ["[", '{"', '"', "\\", "{'a", "{a: x ", '\\"', "[{", "/*", "“", "&quot;", "f'{"])
@pytest.mark.parametrize("begun", ["{", "[", '{"a": ', '{"a": "'])
def test_a_long_text_is_read_in_linear_time(begun: str, seed: str) -> None:
    def read(text: str) -> None:
        with pytest.raises(ToolError):
            read_value(begun + text)

    expect_linear(read, seed, 200_000)
