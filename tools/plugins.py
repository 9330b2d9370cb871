"""Tools of the person's own: modules named in TOOLS_MODULES, each with TOOLS or get_tools()."""

import importlib
import re
from collections.abc import Iterator
from typing import Any

from langchain_core.tools import BaseTool

from ana.errors import ConfigError

HINT = "Correct TOOLS_MODULES, or the module."
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
"""Names that every provider accepts for a tool."""


def load_tools(modules: tuple[str, ...], taken: frozenset[str]) -> dict[str, BaseTool]:
    """Return the tools of these modules by name.

    Args:
        modules: As Python imports them.
        taken: Names that are already in use.

    Raises:
        ConfigError: A module cannot be imported, has no tools, or one of its names is taken.
    """
    found: dict[str, BaseTool] = {}
    for module in modules:
        for tool in _iter_tools(module):
            if not _NAME.fullmatch(tool.name):
                raise ConfigError(
                    f"TOOLS_MODULES: {module} has a tool called {tool.name!r}, which is not a valid name.", HINT
                )
            # Two of one name would not fail: the later one would quietly run instead of the other.
            if tool.name in taken or tool.name in found:
                raise ConfigError(
                    f"TOOLS_MODULES: {module} has a tool {tool.name}, and there already is one of that name.", HINT
                )
            found[tool.name] = tool
    return found


def _iter_tools(module: str) -> Iterator[BaseTool]:
    given = _import_tools(module)
    if not isinstance(given, list | tuple):
        raise ConfigError(f"TOOLS_MODULES: {module} has neither TOOLS nor get_tools() with a list of tools.", HINT)
    for tool in given:
        if not isinstance(tool, BaseTool):
            raise ConfigError(f"TOOLS_MODULES: {tool!r:.80} in {module} is not a LangChain tool.", HINT)
        yield tool


def _import_tools(module: str) -> Any:
    try:
        loaded = importlib.import_module(module)
        return loaded.get_tools() if hasattr(loaded, "get_tools") else getattr(loaded, "TOOLS", None)
    except Exception as exc:  # somebody else's code may raise anything
        raise ConfigError(f"TOOLS_MODULES: {module} cannot be used: {type(exc).__name__}: {exc}.", HINT) from exc
