"""A tool of a person's own does what it says of itself; one that says nothing acts outside."""

from typing import Any

import pytest
from langchain_core.tools import StructuredTool

from nodes.autonomy.own_tools import find_effects_of


@pytest.mark.parametrize(
    ("metadata", "effects"),
    [
        (None, {"acts"}),
        ({}, {"acts"}),
        ({"readOnlyHint": True}, set()),
        ({"asksItself": True}, set()),
        ({"readOnlyHint": "no"}, {"acts"}),
        ({"asksItself": False}, {"acts"}),
        ({"openWorldHint": True}, {"acts", "reaches"}),
        ({"readOnlyHint": True, "openWorldHint": True}, {"reaches"}),
    ],
)
def test_a_tool_does_what_it_says_of_itself(metadata: dict[str, Any] | None, effects: set[str]) -> None:
    tool = StructuredTool.from_function(str.upper, description="Read.", metadata=metadata)
    assert find_effects_of(tool) == effects
