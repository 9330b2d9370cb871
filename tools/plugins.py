"""Tools of the person's own: modules with TOOLS or get_tools(), named in TOOLS_MODULES or registered by a package.

A package that is installed beside ana registers one in its pyproject.toml, name = "module" below
[project.entry-points."ana.tools"].

A tool is one of LangChain's, a plain function, whose signature and docstring are its schema, or a dict:
{"name": …, "description": …, "parameters": a JSON Schema, "function": what runs, "metadata": …}. Only the function of
such a dict is required. TOOLS is a list of them, or a dict of them by name.
"""

import importlib
import inspect
import json
import logging
import re
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from ana.errors import ConfigError
from ana.models.tool_schema import fold_name, shorten_schema
from ana.output import shorten

SETTING, REGISTERED = "TOOLS_MODULES", "ana.tools"
"""What names a module: the setting, or the group of entry points of packages that are installed."""

HINTS = {
    SETTING: "Correct TOOLS_MODULES, or the module.",
    REGISTERED: "Correct the package that has the module, or uninstall it.",
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
"""Names that every provider accepts for a tool."""

_KEYS = ("name", "description", "parameters", "function", "metadata")
_UNTOLD = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
"""Kinds of parameters that a call by name cannot fill, or that a signature does not name."""


_log = logging.getLogger(__name__)


class _Unusable(ValueError):
    """A module, or something in it, is of no use; the message ends a sentence."""


def find_registered() -> tuple[str, ...]:
    """Return the modules with tools that installed packages register."""
    from importlib.metadata import entry_points  # reads the folder of every package, and only a turn needs it

    return tuple(sorted({each.module for each in entry_points(group=REGISTERED)}))


def load_tools(modules: tuple[str, ...], taken: frozenset[str], source: str = SETTING) -> dict[str, BaseTool]:
    """Return the tools of these modules by name. Modules are named as in an import; no name may be taken.

    Args:
        modules: Their names.
        taken: Names that no tool may have.
        source: The source of the modules' names, for errors: SETTING or REGISTERED.

    Raises:
        ConfigError: A module cannot be imported, has no tools, or one of its names is taken.
    """
    tools: dict[str, BaseTool] = {}
    folded = {fold_name(name) for name in taken}
    for module in modules:
        try:
            for tool in _iter_tools(module):
                # Two of one name would not fail: the later one would quietly run instead of the other. A model's
                # createItem is create_item.
                if fold_name(tool.name) in folded:
                    raise _Unusable(f"{module} has a tool {tool.name}, and there already is one of that name")
                folded.add(fold_name(tool.name))
                tools[tool.name] = tool
        except _Unusable as exc:
            raise ConfigError(f"{source}: {exc}.", HINTS[source]) from exc
    return tools


def _iter_tools(module: str) -> Iterator[BaseTool]:
    try:
        loaded = importlib.import_module(module)
        entries = loaded.get_tools() if hasattr(loaded, "get_tools") else getattr(loaded, "TOOLS", None)
    except Exception as exc:  # somebody else's code may raise anything
        _log.warning("%s cannot be used", module, exc_info=True)
        raise _Unusable(f"{module} cannot be used: {type(exc).__name__}: {exc}{_find_line(exc)}") from exc
    if isinstance(entries, Mapping):
        entries = [_name_tool(name, each) for name, each in entries.items()]
    if not isinstance(entries, list | tuple):
        raise _Unusable(f"{module} has neither TOOLS nor get_tools() with a list of tools")
    for each in entries:
        try:
            tool = _make_tool(each)
            # as it is sent to a model, which would refuse every message with a schema that JSON cannot hold
            json.dumps(shorten_schema(convert_to_openai_tool(tool)), allow_nan=False)
        except Exception as exc:  # langchain reads somebody else's signatures, docstrings and schemas
            name = each.get("name") if isinstance(each, dict) else getattr(each, "__name__", None)
            why = str(exc) if isinstance(exc, _Unusable) else f"cannot be made a tool: {str(exc).rstrip('.')}"
            raise _Unusable(f"{shorten(repr(name or each), 80)} in {module} {why}") from exc
        if not _NAME.fullmatch(tool.name):
            raise _Unusable(f"{module} has a tool called {tool.name!r}, which is not a valid name")
        yield tool


def _find_line(exc: Exception) -> str:
    """Return the place in somebody else's code where an error was raised; empty if that code was not reached."""
    frames = [each for each in traceback.extract_tb(exc.__traceback__) if each.filename != __file__]
    frame = next((each for each in reversed(frames) if "importlib" not in each.filename), None)
    return f" ({frame.filename}, line {frame.lineno}; the traceback is in the log)" if frame else ""


def _name_tool(name: str, value: Any) -> Any:
    """Return a tool under the name that its dict gives it, unless the tool has a name of its own."""
    if isinstance(value, BaseTool):
        return value
    return {"name": name} | (value if isinstance(value, dict) else {"function": value})


def _make_tool(value: Any) -> BaseTool:
    """Return a module's definition of a tool as a LangChain tool."""
    if isinstance(value, BaseTool):
        return value
    parts = value if isinstance(value, dict) else {"function": value}
    function, parameters = _check_function(parts.get("function")), parts.get("parameters")
    if unknown := [key for key in parts if key not in _KEYS]:
        raise _Unusable(f"has the key {unknown[0]!r}; a tool has {', '.join(_KEYS)}")
    if parameters is None and any(each.kind in _UNTOLD for each in inspect.signature(function).parameters.values()):
        raise _Unusable('takes *args, **kwargs or arguments without a name; say in "parameters" what it takes')
    if parameters is not None:
        _check_parameters(parameters, function)
    options = {key: parts[key] for key in ("name", "description", "metadata") if key in parts}
    tool: BaseTool = StructuredTool.from_function(function, args_schema=parameters, **options)
    return tool


def _check_function(function: Any) -> Any:
    if isinstance(function, Mapping):
        raise _Unusable('is a schema without what runs; give name, description, parameters and a Python "function"')
    if not callable(function) or isinstance(function, type):
        raise _Unusable("is not a LangChain tool, a function, or a dict with one")
    if inspect.iscoroutinefunction(function):
        raise _Unusable("is async; tools run in threads, where a plain def may wait")
    return function


def _check_parameters(schema: Any, function: Any) -> None:
    """Refuse a schema that cannot check calls, or that names other arguments than the function takes."""
    from jsonschema import Draft202012Validator, SchemaError  # takes long to import

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as exc:
        raise _Unusable(f"has parameters that are not a JSON Schema: {exc.message}") from exc
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise _Unusable('has parameters that are not a JSON Schema of "type": "object"')
    try:
        inspect.signature(function).bind(**dict.fromkeys(schema.get("properties", {})))
    except TypeError as exc:
        raise _Unusable(f"has parameters that its function does not take: {exc}") from exc
