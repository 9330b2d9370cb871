"""A call against its tool's schema: the real name, arguments that are what was sent, or the error in words.

Read into the type that is asked for is only what loses nothing: "3" or 5.0 as an integer, 7 as a text, a text that is
an object as an object; null for an optional parameter is as left out.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ana.models.json_mode.decision import Broken, Call, Decision
from ana.models.lenient_json import Cut, Malformed, Twice, Unsent, read_whole

_SPACES = re.compile(r"^(?:functions|tools|default_api)\.|(?:\(\)|\.call)$", re.IGNORECASE)
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,18})")
_LITERALS = {"true": True, "false": False}

Schema = Mapping[str, Any]


class Tools:
    """The tools that a model may call.

    Args:
        schemas: In the OpenAI form.
    """

    def __init__(self, schemas: Sequence[Schema]) -> None:
        functions = [schema["function"] for schema in schemas]
        self.schemas: dict[str, Schema] = {f["name"]: f.get("parameters") or {} for f in functions}
        self._spellings = {_spelling(name): name for name in self.schemas}

    def known(self, name: str) -> str | None:
        """The real name of a tool: case, camelCase, hyphens, escapes and a namespace in front make no other."""
        return self._spellings.get(_spelling(_SPACES.sub("", name.strip())))

    def checked(self, call: Call) -> Decision:
        """The call with the arguments it will run with, or what is wrong with it."""
        name = self.known(call.name)
        if name is None:
            known = ", ".join(self.schemas)
            return Decision(error="unknown_tool", why=f"There is no tool {call.name[:80]!r}. The tools are: {known}.")
        args = _arguments(call, self.schemas[name])
        if isinstance(args, Broken):
            return Decision(tool=name, error=args.code, why=args.why)
        if wrong := fault(self.schemas[name], args):
            return Decision(tool=name, error="bad_args", why=wrong)
        return Decision(tool=name, args=args)


def fault(schema: Schema, args: Mapping[str, Any]) -> str:
    """What is wrong with a call's arguments, one sentence; empty when they fit.

    Args:
        schema: The tool's parameters, a JSON Schema. A parameter that it does not name is wrong too.
        args: The arguments.
    """
    known = list(schema.get("properties", {}))
    if unknown := [name for name in args if name not in known]:
        return f"There is no argument {unknown[0][:80]!r}; the arguments are: {', '.join(known) or 'none'}."
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema).iter_errors(dict(args)))
    if error is None:
        return ""
    where = ".".join(map(str, error.absolute_path))
    kinds = " or ".join(sorted(types_of(error.schema) - {"null"})) if error.validator == "anyOf" else ""
    said = f"{str(error.instance)[:80]!r} is not of type {kinds}" if kinds else error.message[:200]
    return f"Wrong argument{f' {where}' if where else 's'}: {said}."


def _spelling(name: str) -> str:
    return re.sub(r"[-_\\]", "", name).lower()


def _arguments(call: Call, schema: Schema) -> dict[str, Any] | Broken:
    parameters: Schema = schema.get("properties", {})
    given = _named(call, list(parameters))
    if isinstance(given, Broken):
        return given
    if beside := [key for key in call.beside if key in parameters]:
        return Broken("bad_args", f"{beside[0]!r} stands beside the arguments: put it among them.")
    if any(isinstance(value, Twice) for value in given.values()):
        return Broken("ambiguous", "An argument is given twice, with different values.")
    required = schema.get("required", ())
    args = {}
    for name, value in given.items():
        if value is None and name in parameters and name not in required:
            continue
        made = _as_text_says(value, types_of(parameters.get(name, {}))) if call.texts else value
        args[name] = _fitted(made, types_of(parameters.get(name, {})))
    unsent = next((raw for value in args.values() for raw in _unsent(value)), None)
    return args if unsent is None else Broken("bad_args", f"{unsent[:80]} is no JSON value: send the value itself.")


def _named(call: Call, parameters: list[str]) -> dict[str, Any] | Broken:
    """The arguments by name. A bare text is one only where the tool has a single parameter."""
    args = call.args
    if call.positional:
        if len(call.positional) > len(parameters):
            return Broken("bad_args", f"Too many arguments; they are: {', '.join(parameters) or 'none'}.")
        by_place = dict(zip(parameters, call.positional, strict=False))
        if set(by_place) & set(args or {}):
            return Broken("bad_args", "An argument is given by its place and by its name.")
        return by_place | (args or {})
    if args is None or args in ("", [], ()):
        return {}
    if isinstance(args, dict):
        return args
    if isinstance(args, str | int | float) and len(parameters) == 1:
        return {parameters[0]: args}
    cut = isinstance(args, str) and args.strip().startswith("{")
    return Broken(
        "truncated" if cut else "bad_args", f"The arguments must be one object with: {', '.join(parameters)}."
    )


def types_of(schema: Schema) -> frozenset[str]:
    """The JSON types that a parameter takes; none named: any."""
    kinds = [schema, *schema.get("anyOf", ())]
    return frozenset(kind["type"] for kind in kinds if isinstance(kind.get("type"), str))


def _as_text_says(value: Any, types: frozenset[str]) -> Any:
    """What a text stands for where everything came as text."""
    if not isinstance(value, str) or "string" in types or not types:
        return value
    try:
        return read_whole(value.strip())
    except (Malformed, Cut):
        return value


def _fitted(value: Any, types: frozenset[str]) -> Any:
    """The value in the type that is asked for, where that loses nothing; else as it is."""
    if isinstance(value, bool) or not types:
        return value
    if isinstance(value, int) and "string" in types and not types & {"integer", "number"}:
        return str(value)
    if isinstance(value, float) and "integer" in types and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, str) and "string" not in types:
        return _from_text(value.strip(), value, types)
    return value


def _from_text(text: str, value: str, types: frozenset[str]) -> Any:
    if types & {"integer", "number"} and _INTEGER.fullmatch(text):
        return int(text)
    if "boolean" in types and text.lower() in _LITERALS:
        return _LITERALS[text.lower()]
    if types & {"object", "array"} and text[:1] in ("{", "["):
        try:
            return read_whole(text)
        except (Malformed, Cut):
            return value
    return value


def _unsent(value: Any) -> list[str]:
    """What stands for values that were not sent."""
    if isinstance(value, Unsent):
        return [value.raw]
    if isinstance(value, Twice):
        return ["a key with two values"]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [raw for part in inner for raw in _unsent(part)]
