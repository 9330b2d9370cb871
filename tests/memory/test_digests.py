"""Values and items that are equal have one text."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ana.memory.digests import to_canonical_text


@given(left=st.recursive(st.integers(-2, 2) | st.floats(-2, 2) | st.booleans() | st.none(), st.lists, max_leaves=4))
def test_equal_values_have_one_canonical_text(left: Any) -> None:
    assert to_canonical_text(left) == to_canonical_text(left)
    assert to_canonical_text(True) != to_canonical_text(1) == to_canonical_text(1.0)
    assert to_canonical_text("1") != to_canonical_text(1)
    assert to_canonical_text("x" * 10_000) != to_canonical_text("x" * 10_001)
    assert len(to_canonical_text("x" * 10_000)) < 100
