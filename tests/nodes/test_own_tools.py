"""A tool of a person's own that asks by itself, or says that it only reads, is not asked about as well."""

from typing import Any

import langgraph.types
import pytest
from langchain_core.tools import BaseTool, StructuredTool, tool
from langgraph.types import interrupt

from nodes.autonomy.own_tools import needs_no_question


@tool
def asking(to: str) -> str:
    """Send."""
    return str(interrupt(to))


@tool
def asking_by_a_helper(to: str) -> str:
    """Send."""
    return confirm(to)


def confirm(to: str) -> str:
    return str([langgraph.types.interrupt(each) for each in (to,)])


@tool
def quiet(to: str) -> str:
    """Send without calling anything named interrupt."""
    return repeat(to)


def repeat(to: str) -> str:
    return repeat(to[1:]) if to else ""


class Asking(BaseTool):
    name: str = "asking_class"
    description: str = "Send."

    def _run(self, to: str) -> Any:
        return interrupt(to)


def close_over(inner: Any) -> StructuredTool:
    def run(to: str) -> Any:
        """Send."""
        return inner(to)

    return StructuredTool.from_function(run)


def say_of(metadata: dict[str, Any]) -> StructuredTool:
    return StructuredTool.from_function(repeat, description="Read.", metadata=metadata)


@pytest.mark.parametrize(
    "own", [asking, asking_by_a_helper, Asking(), close_over(confirm), say_of({"readOnlyHint": True})]
)
def test_a_tool_that_asks_or_only_reads_needs_no_question(own: BaseTool) -> None:
    assert needs_no_question(own)


@pytest.mark.parametrize("own", [quiet, close_over(repeat), say_of({}), say_of({"readOnlyHint": "no"})])
def test_any_other_tool_of_a_persons_own_is_asked_about(own: BaseTool) -> None:
    assert not needs_no_question(own)
