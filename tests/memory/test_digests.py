"""Values and items that are equal have one text."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ana.memory.digests import digest_content, to_canonical_text


@given(left=st.recursive(st.integers(-2, 2) | st.floats(-2, 2) | st.booleans() | st.none(), st.lists, max_leaves=4))
def test_equal_values_have_one_canonical_text(left: Any) -> None:
    assert to_canonical_text(left) == to_canonical_text(left)
    assert to_canonical_text(True) != to_canonical_text(1) == to_canonical_text(1.0)
    assert to_canonical_text("1") != to_canonical_text(1)
    assert to_canonical_text("x" * 10_000) != to_canonical_text("x" * 10_001)
    assert len(to_canonical_text("x" * 10_000)) < 100


def test_the_same_is_said_in_other_white_space_and_case() -> None:
    one = digest_content("Buy  milk.", {"type": "task", "n": 1, "gone": None})
    assert one == digest_content("buy milk", {"n": 1.0, "type": "task"})
    assert one != digest_content("buy milk", {"n": 2, "type": "task"})
    assert one != digest_content("buy oat milk", {"n": 1, "type": "task"})
