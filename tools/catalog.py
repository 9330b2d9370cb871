"""The tools by name, and their schemas in the form for models."""

from functools import cache
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from ana.models.tool_schema import Tools, shorten_schema
from tools.calculator import calculator
from tools.context import append_context, delete_context, replace_context
from tools.dates import now, resolve_date
from tools.history import history
from tools.items import create_item, delete_item, query_items, update_item
from tools.plugins import REGISTERED, find_registered, load_tools
from tools.undo import undo

TOOLS: dict[str, BaseTool] = {
    t.name: t
    for t in (
        create_item,
        update_item,
        delete_item,
        query_items,
        append_context,
        replace_context,
        delete_context,
        undo,
        history,
        calculator,
        now,
        resolve_date,
    )
}
READERS = frozenset({"query_items", "history", "calculator", "now", "resolve_date"})
"""Our tools that only look something up."""

WRITERS = frozenset(TOOLS) - READERS
"""Our tools that change something: all that are not known to change nothing."""

CONTEXT_TOOLS = frozenset({"append_context", "replace_context", "delete_context", "undo"})
"""Tools that may change Global Context, which is read again after them."""


# The three are cached: modules are imported and schemas derived once, although every model call needs them.
@cache
def catalog(modules: tuple[str, ...] = ()) -> dict[str, BaseTool]:
    """Return every tool by name: ours, those of the modules named, and those of packages that are installed.

    Raises:
        ConfigError: One of the tools is unusable.
    """
    tools = TOOLS | load_tools(modules, frozenset(TOOLS))
    registered = tuple(module for module in find_registered() if module not in modules)
    return tools | load_tools(registered, frozenset(tools), REGISTERED)


@cache
def schemas(modules: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Return every tool's schema in the OpenAI form, made from signature and docstring; arguments as in `catalog`."""
    return [shorten_schema(convert_to_openai_tool(t)) for t in catalog(modules).values()]


@cache
def checker(modules: tuple[str, ...] = ()) -> Tools:
    """Return the checker of calls against their tools' schemas; arguments as in `catalog`."""
    return Tools(schemas(modules))
