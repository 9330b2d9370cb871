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
    calls = [_describe_call(name, parameters) for name, parameters in Tools(tools).schemas.items()]
    answer = _describe_object(answer={"type": "string"})
    choices = [*(_describe_object(tool=call) for call in calls), _describe_object(final=answer)]
    return {"type": "object", "anyOf": choices}  # OpenAI asks for an object at the top


def _describe_call(name: str, parameters: Mapping[str, Any]) -> Schema:
    args = {"type": "object", "properties": {}, **parameters, "additionalProperties": False}
    return _describe_object(name={"const": name}, args=args)


def _describe_object(**properties: Any) -> Schema:
    """Return the schema of an object with exactly these properties."""
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
