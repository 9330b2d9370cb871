"""Tools of the person's own that need no question before them."""

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.types import interrupt

READ_ONLY = "readOnlyHint"
"""In a tool's metadata: it changes nothing. MCP's annotation has this name, and langchain's adapter keeps it there."""


def needs_no_question(tool: BaseTool) -> bool:
    """Return whether a tool says that it changes nothing, or asks by itself, so that it would be asked about twice."""
    return (tool.metadata or {}).get(READ_ONLY) is True or _interrupts(tool)


def _interrupts(tool: BaseTool) -> bool:
    """Whether the code of a tool, or what it calls of its own module, names langgraph's interrupt."""
    found = set[FunctionType]()
    left = [getattr(tool, "func", None), getattr(tool, "coroutine", None), type(tool)._run]
    while left:
        function = left.pop()
        if isinstance(function, FunctionType) and function not in found:
            found.add(function)
            named = list(_iter_named(function))
            if any(value is interrupt for value in named):
                return True
            left += [value for value in named if getattr(value, "__module__", None) == function.__module__]
    return False


def _iter_named(function: FunctionType) -> Iterator[Any]:
    """Yield what the names in a function's code stand for: globals, attributes of modules, what it closes over."""
    names = {*_iter_names(function.__code__)}
    for name in names:
        value = function.__globals__.get(name)
        yield value
        if isinstance(value, ModuleType):
            yield from (getattr(value, attribute, None) for attribute in names)
    yield from (cell.cell_contents for cell in function.__closure__ or ())


def _iter_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _iter_names(constant)
