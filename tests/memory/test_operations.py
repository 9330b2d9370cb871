"""What an update adds to a value or takes from it: nothing that was not named is lost, and nothing else is read so."""

from typing import Any

import pytest

from ana.errors import ToolError
from ana.memory.memory import Memory
from ana.memory.operations import FORM, apply_to, read_operation
from ana.values import Json, Properties

PACKING: list[Json] = ["passport", "inhaler", "charger", "map", "socks", "hat", "Book"]


@pytest.mark.parametrize(
    ("old", "given", "new"),
    [
        (PACKING, {"$add": ["goggles", "towel"]}, [*PACKING, "goggles", "towel"]),
        (PACKING, {"$add": "goggles"}, [*PACKING, "goggles"]),
        (PACKING, {"$add": ["map", "goggles"]}, [*PACKING, "goggles"]),
        (PACKING, {"$remove": ["map", "book"]}, ["passport", "inhaler", "charger", "socks", "hat"]),
        (["a", "b"], {"$add": ["c"], "$remove": ["a"]}, ["b", "c"]),
        (["A", "a"], {"$remove": "a"}, ["A"]),
        ([3, 4], {"$add": 5}, [3, 4, 5]),
        ([{"n": 1}], {"$remove": [{"n": 1}]}, []),
        (None, {"$add": ["goggles"]}, ["goggles"]),
        (9.75, {"$add": 3}, 12.75),
        (0.1, {"$add": 0.2}, 0.3),
        (9, {"$add": -2}, 7),
        (None, {"$add": 3}, 3),
        ("One.", {"$append": "Two."}, "One.\nTwo."),
        (None, {"$append": "One."}, "One."),
        ("One. Two.", {"$replace": ["Two", "Three"]}, "One. Three."),
        ("One. Two.", {"$replace": [" Two.", ""]}, "One."),
        (PACKING, ["goggles"], ["goggles"]),
        (1, {"unit": "h"}, {"unit": "h"}),
        (1, {}, {}),
        (1, {"inside": {"$add": 1}}, {"inside": {"$add": 1}}),
    ],
)
def test_an_operation_changes_what_it_names_and_keeps_the_rest(old: Any, given: Any, new: Any) -> None:
    before = repr(old)
    result = apply_to(old, read_operation("items", given))
    assert result == new
    assert type(result) is type(new)
    assert repr(old) == before


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"$add": ["a"], "note": "b"}, "'note'"),
        ({"$push": ["a"]}, "'$push'"),
        ({"$add": 1, "$inc": 2}, "'$inc'"),
        ('{"$add": ["a"]}', "as text"),
        (' {"$remove": "a"}', "as text"),
        ("{$append: 'x'}", "as text"),
        ({"$append": 3}, "do not go with"),
        ({"$append": "a", "$add": ["b"]}, "do not go with"),
        ({"$add": None}, "do not go with"),
        ({"$replace": ["a", "b"], "$append": "c"}, "do not go with"),
        ({"$replace": ["a", "b"], "$add": "c"}, "do not go with"),
        ({"$replace": ["", "b"]}, "do not go with"),
        ({"$replace": ["a"]}, "do not go with"),
        ({"$replace": ["a", 1]}, "do not go with"),
        ({"$replace": "a"}, "do not go with"),
        ({"$replace": None}, "do not go with"),
    ],
)
def test_an_object_that_is_no_operation_is_refused_with_the_form(given: Any, says: str) -> None:
    with pytest.raises(ToolError) as refusal:
        read_operation("items", given)
    assert says in refusal.value.message
    assert FORM in refusal.value.hint


@pytest.mark.parametrize(
    ("old", "given", "says"),
    [
        ("a text", {"$add": ["b"]}, "not a list"),
        (3, {"$add": ["b"]}, "not a list"),
        ("3", {"$add": 1}, "not a number"),
        (True, {"$add": 1}, "not a number"),
        (["a"], {"$append": "b"}, "not text"),
        (3, {"$append": "b"}, "not text"),
        (["a"], {"$replace": ["a", "b"]}, "not text"),
        (None, {"$replace": ["a", "b"]}, "not text"),
        ("One.", {"$replace": ["Two", "b"]}, "'Two' is not in items. Give a piece that is there once, as written."),
        ("One, one", {"$replace": ["ne", "b"]}, "'ne' is 2 times in items."),
        (3, {"$remove": 1}, "not a list"),
        (["a", "b"], {"$remove": ["c"]}, "There is: a, b"),
        (["a", "b"], {"$remove": ["a", "c", "d"]}, "'c', 'd' are not in items. Nothing was changed. There is: a, b."),
        (None, {"$remove": ["c"]}, "There is: nothing"),
    ],
)
def test_an_operation_on_another_type_changes_nothing(memory: Memory, old: Any, given: Any, says: str) -> None:
    item = memory.create("Trip", {"items": old} if old is not None else {}).after
    assert item is not None
    with pytest.raises(ToolError) as refusal:
        memory.update(item.id, properties={"items": read_operation("items", given), "other": 1})
    assert says in f"{refusal.value.message} {refusal.value.hint}"
    assert memory.get(item.id) == item


def test_what_others_store_is_never_read_as_an_operation(memory: Memory) -> None:
    odd: Properties = {"rule": {"$add": ["a"]}, "text": '{"$add": 1}', "mixed": {"$x": 1, "y": 2}}
    item = memory.create("Query", dict(odd)).after
    assert item is not None
    assert memory.get(item.id).properties == odd
