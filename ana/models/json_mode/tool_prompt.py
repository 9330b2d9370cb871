"""Tools in few words, from the same schemas that are sent to models with native tool calls."""

from collections.abc import Iterator, Sequence
from typing import Any

from ana.models.tool_schema import Schema, types_of


def shown(schemas: Sequence[Schema]) -> str:
    """Every tool with its arguments, as text for a prompt."""
    return "\n".join(line for schema in schemas for line in _tool(schema["function"]))


def _tool(function: Schema) -> Iterator[str]:
    parameters = function.get("parameters") or {}
    required = parameters.get("required", ())
    yield f"- {function['name']}: {function.get('description', '')}"
    for name, schema in parameters.get("properties", {}).items():
        yield f"  {name}{'' if name in required else '?'} ({_kind(schema)}): {schema.get('description', '')}".rstrip(
            ": "
        )


def _kind(schema: dict[str, Any]) -> str:
    kinds = sorted(types_of(schema) - {"null"})
    default = schema.get("default")
    return (" or ".join(kinds) or "any") + (f", else {default}" if default is not None else "")
