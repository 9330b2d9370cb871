"""A call as a model wrote it, turned into one that can run: its tool's real name, and each argument by its name."""

from typing import Any

from ana.errors import ToolError
from ana.models.json_mode.decision import Decision, FailedAttempt, ParsedCall
from ana.models.lenient_json import ConflictingValues
from ana.models.tool_schema import Tools


def check_call(call: ParsedCall, tools: Tools) -> Decision:
    """Return the call with the arguments it will run with, or what is wrong with it."""
    name = tools.resolve_name(call.name)
    if name is None:
        known = ", ".join(tools.schemas)
        return Decision(error="unknown_tool", why=f"There is no tool {call.name[:80]!r}. The tools are: {known}.")
    args = _name_arguments(call, tools.parameters(name))
    if isinstance(args, FailedAttempt):
        return Decision(tool=name, error=args.code, why=args.why)
    try:
        return Decision(tool=name, args=tools.check(name, args, all_text=call.all_text))
    except ToolError as exc:
        return Decision(tool=name, error="bad_args", why=exc.message)


def _name_arguments(call: ParsedCall, parameters: list[str]) -> dict[str, Any] | FailedAttempt:
    """The arguments by name, as they were sent, or why they cannot be told apart."""
    args = _place_arguments(call, parameters) if call.positional else _take_object(call.args, parameters)
    if isinstance(args, FailedAttempt):
        return args
    if beside := [key for key in call.beside if key in parameters]:
        return FailedAttempt("bad_args", f"{beside[0]!r} stands beside the arguments: put it among them.")
    if any(isinstance(value, ConflictingValues) for value in args.values()):
        return FailedAttempt("ambiguous", "An argument is given twice, with different values.")
    return args


def _place_arguments(call: ParsedCall, parameters: list[str]) -> dict[str, Any] | FailedAttempt:
    """Arguments without a name get theirs in the order of the tool's signature."""
    named = call.args or {}
    if len(call.positional) > len(parameters):
        return FailedAttempt("bad_args", f"Too many arguments; they are: {', '.join(parameters) or 'none'}.")
    by_place = dict(zip(parameters, call.positional, strict=False))
    if set(by_place) & set(named):
        return FailedAttempt("bad_args", "An argument is given by its place and by its name.")
    return by_place | named


def _take_object(args: Any, parameters: list[str]) -> dict[str, Any] | FailedAttempt:
    """The object of arguments. A bare value counts as an argument only where the tool has a single parameter."""
    if args is None or args in ("", [], ()):
        return {}
    if isinstance(args, dict):
        return args
    if isinstance(args, str | int | float) and len(parameters) == 1:
        return {parameters[0]: args}
    is_cut = isinstance(args, str) and args.strip().startswith("{")
    why = f"The arguments must be one object with: {', '.join(parameters)}."
    return FailedAttempt("truncated" if is_cut else "bad_args", why)
