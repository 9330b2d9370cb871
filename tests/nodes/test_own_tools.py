"""A tool of a person's own that says that it asks by itself, or only reads, is not asked about as well."""

from typing import Any

import pytest
from langchain_core.tools import StructuredTool

from nodes.autonomy.own_tools import needs_no_question


def say_of(metadata: dict[str, Any] | None) -> StructuredTool:
    return StructuredTool.from_function(str.upper, description="Read.", metadata=metadata)


@pytest.mark.parametrize("name", ["readOnlyHint", "asksItself"])
def test_a_tool_that_says_so_needs_no_question(name: str) -> None:
    assert needs_no_question(say_of({name: True}))


@pytest.mark.parametrize("metadata", [None, {}, {"readOnlyHint": "no"}, {"asksItself": False}])
def test_any_other_tool_of_a_persons_own_is_asked_about(metadata: dict[str, Any] | None) -> None:
    assert not needs_no_question(say_of(metadata))
