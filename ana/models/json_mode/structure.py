"""The JSON Schema of a decision, for endpoints that hold a model to one while it writes."""

from collections.abc import Mapping, Sequence
from typing import Any

from ana.models.tool_schema import Tools

Schema = dict[str, Any]


def build_response_format(tools: Sequence[Mapping[str, Any]]) -> Schema:
    """Return the `response_format` of a request that is to be answered with one decision.

    Args:
        tools: The tools' schemas, in the OpenAI form.
    """
    # not strict: OpenAI then refuses properties of any name, and items have such
    schema = {"name": "decision", "schema": _describe_decision(tools), "strict": False}
    return {"type": "json_schema", "json_schema": schema}


def _describe_decision(tools: Sequence[Mapping[str, Any]]) -> Schema:
    choices = []
    for name, parameters in Tools(tools).schemas.items():
        args = {"type": "object", "properties": {}, **parameters, "additionalProperties": False}
        choices.append(_describe_object(tool=_describe_object(name={"const": name}, args=args)))
    choices.append(_describe_object(final=_describe_object(answer={"type": "string"})))
    return {"type": "object", "anyOf": choices}  # OpenAI asks for an object at the top


def _describe_object(**properties: Any) -> Schema:
    """Return the schema of an object with exactly these properties."""
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
