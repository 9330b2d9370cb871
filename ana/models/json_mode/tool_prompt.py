"""The tools in few words, from the same schemas that models with native tool calls are sent."""

from collections.abc import Iterator, Sequence
from typing import Any

from ana.models.tool_schema import Schema, types_of


def describe_tools(schemas: Sequence[Schema]) -> str:
    """Return every tool with its arguments, as text for a prompt."""
    return "\n".join(line for schema in schemas for line in _describe_tool(schema["function"]))


def _describe_tool(function: Schema) -> Iterator[str]:
    parameters = function.get("parameters") or {}
    required = parameters.get("required", ())
    yield f"- {function['name']}: {function.get('description', '')}"
    for name, schema in parameters.get("properties", {}).items():
        mark, description = "" if name in required else "?", schema.get("description", "")
        yield f"  {name}{mark} ({_describe_type(schema)}): {description}".rstrip(": ")


def _describe_type(schema: dict[str, Any]) -> str:
    types, default = sorted(types_of(schema) - {"null"}), schema.get("default")
    return (" or ".join(types) or "any") + (f", else {default}" if default is not None else "")
