"""Tool schemas: short descriptions, and checking a call's arguments.

Arguments are converted to the required type only without loss: "3" or 5.0 to an integer, 7 to a text, a text that
contains an object to that object; null for an optional parameter counts as omitted. An argument that the schema does
not name goes to the parameter of which it is another name, else into `properties`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ana.errors import ToolError
from ana.models.lenient_json import decode

_NAMESPACE = re.compile(r"^(?:functions|tools|default_api)\.|(?:\(\)|\.call)$", re.IGNORECASE)
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,18})")
_LITERALS = {"true": True, "false": False}
_OTHER_NAMES = {"text": "content", "ids": "id"}
_OPEN_OBJECT = "properties"
"""The parameter that accepts any names."""

_HINT = "Call again with the arguments the schema asks for."
_OBJECT = ' where is an object of property names: {"where": {"status": "active"}}.'

_VALUES = frozenset({"default", "enum", "const", "examples"})

Schema = Mapping[str, Any]


class Tools:
    """The tools that a model may call.

    Args:
        schemas: The schemas in the OpenAI format.
    """

    def __init__(self, schemas: Sequence[Schema]) -> None:
        functions = [schema["function"] for schema in schemas]
        self.schemas: dict[str, Schema] = {f["name"]: f.get("parameters") or {} for f in functions}
        self._spellings = {fold_name(name): name for name in self.schemas}

    def resolve_name(self, name: str) -> str | None:
        """Return the real name of a tool, ignoring case, camelCase, hyphens, escapes and a namespace prefix."""
        return self._spellings.get(fold_name(_NAMESPACE.sub("", name.strip())))

    def parameters(self, name: str) -> list[str]:
        """Return the names of a tool's parameters, in the order of its signature."""
        return list(self.schemas[name].get("properties", {}))

    def check(self, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments that the call will run with.

        Raises:
            ToolError: An argument is unknown, missing or of the wrong type; the message says which.
        """
        schema = self.schemas[name]
        parameters, required = schema.get("properties", {}), schema.get("required", ())
        fitted: dict[str, Any] = {}
        for key, value in _place(name, args, parameters).items():
            if value is None and key in parameters and key not in required:
                continue
            fitted[key] = _fit(value, types_of(parameters.get(key, {})))
        if wrong := _describe_fault(schema, fitted):
            raise ToolError(wrong, _HINT + (_OBJECT if "where" in parameters else ""))
        return fitted


def _place(tool: str, args: Mapping[str, Any], parameters: Schema) -> dict[str, Any]:
    """Return the arguments with unnamed ones moved where they belong, if nothing is lost."""
    placed = {key: value for key, value in args.items() if key in parameters}
    rest: dict[str, Any] = {}
    for key, value in args.items():
        target = _OTHER_NAMES.get(key, "")
        if key in parameters:
            continue
        if target in parameters and placed.get(target) is None:
            placed[target] = value[0] if isinstance(value, list) and len(value) == 1 else value
        else:
            rest[key] = value
    if not rest or _OPEN_OBJECT not in parameters or tool in rest.values():  # a tool's own name is no property
        return placed | rest
    inside = _fit({} if placed.get(_OPEN_OBJECT) is None else placed[_OPEN_OBJECT], frozenset({"object"}))
    is_free = isinstance(inside, dict) and all(inside.get(key, value) == value for key, value in rest.items())
    return placed | ({_OPEN_OBJECT: {**inside, **rest}} if is_free else rest)


def types_of(schema: Schema) -> frozenset[str]:
    """Return the JSON types that a parameter accepts; empty if it accepts any."""
    options = [schema, *schema.get("anyOf", ())]
    return frozenset(option["type"] for option in options if isinstance(option.get("type"), str))


def shorten_schema(schema: Schema) -> dict[str, Any]:
    """Return a tool's schema without parts that tell a model nothing, since every call would pay for them.

    These are titles, null beside another type of an optional argument (`check` accepts null), that an
    object may have any names, and empty defaults.
    """
    function = schema["function"]
    parameters = function.get("parameters") or {}
    required = parameters.get("required", ())
    properties = {
        name: _drop_idle(each if name in required else _drop_null(each))
        for name, each in parameters.get("properties", {}).items()
    }
    return {**schema, "function": {**function, "parameters": {**parameters, "properties": properties}}}


def _drop_null(schema: Schema) -> Schema:
    if schema.get("default") in ("", False):
        schema = {key: value for key, value in schema.items() if key != "default"}
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    if schema.get("default", "") is not None or not options:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**(options[0] if len(options) == 1 else {"anyOf": options}), **rest}


def _drop_idle(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_drop_idle(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    # a `title` that is itself a schema is an argument of that name, and values are nobody's schema
    idle = {"title": str, "additionalProperties": bool}
    rest = {key: value for key, value in schema.items() if not isinstance(value, idle.get(key, ())) or value is False}
    return {key: value if key in _VALUES else _drop_idle(value) for key, value in rest.items()}


def describe_tools(schemas: Sequence[Schema]) -> str:
    """Return every tool with its arguments, as text for the prompt of a model without native tool calls."""
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


def _describe_fault(schema: Schema, args: Mapping[str, Any]) -> str:
    """Return a sentence about a fault in the arguments; empty if they fit.

    An unknown parameter is wrong too, although JSON Schema would allow it.
    """
    known = list(schema.get("properties", {}))
    if unknown := [name for name in args if name not in known]:
        return f"There is no argument {unknown[0][:80]!r}; the arguments are: {', '.join(known) or 'none'}."
    # both take long to import, and most commands check no call
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema).iter_errors(dict(args)))
    if error is None:
        return ""
    where = ".".join(map(str, error.absolute_path))
    types = " or ".join(sorted(types_of(error.schema) - {"null"})) if error.validator == "anyOf" else ""
    fault = f"{str(error.instance)[:80]!r} is not of type {types}" if types else error.message[:200]
    return f"Wrong argument{f' {where}' if where else 's'}: {fault}."


def fold_name(name: str) -> str:
    """Return a tool's name for comparing: without case, hyphens and underscores."""
    return re.sub(r"[-_\\]", "", name).lower()


def _fit(value: Any, types: frozenset[str]) -> Any:
    """Return the value in the required type if nothing is lost, else unchanged."""
    # a bool is an int to Python, and must become neither a number nor a text
    if isinstance(value, bool) or not types:
        return value
    if isinstance(value, int) and "string" in types and not types & {"integer", "number"}:
        return str(value)
    # above 2**53 a float stands for several integers, so it is not known which was meant
    if isinstance(value, float) and "integer" in types and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, str) and "string" not in types:
        return _fit_text(value, types)
    return value


def _fit_text(value: str, types: frozenset[str]) -> Any:
    text = value.strip()
    if types & {"integer", "number"} and _INTEGER.fullmatch(text):
        return int(text)
    if "boolean" in types and text.lower() in _LITERALS:
        return _LITERALS[text.lower()]
    return decode(value) if types & {"object", "array"} else value
