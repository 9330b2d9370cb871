"""What a reply comes to, and the shapes in which an object says a decision.

Beside the shape that was asked for, {"tool": {"name", "args"}} or {"final": {"answer"}}, these are what models were
trained on: OpenAI's `tool_calls` and `function_call`, Anthropic's `tool_use` blocks, Gemini's `functionCall`,
LangChain's action blobs, Cohere's `tool_name` and `parameters`, Hermes' `name` and `arguments`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ana.errors import ToolError
from ana.models.lenient_json import build_object, is_same, read_whole
from ana.models.tool_schema import Tools

ARGS = ("args", "arguments", "parameters", "input", "kwargs", "tool_input", "action_input")
NAMES = ("tool", "tool_name", "function", "action", "recipient_name", "name")
CALLS = (
    *("tool", "function", "action", "decision", "tool_call", "function_call", "functioncall"),
    *("tool_calls", "tool_uses", "tools", "calls"),
)
"""Keys below which a call may stand, or a list of them."""
ANSWERS = ("answer", "response", "final_answer", "text", "message", "content")
_REMARKS = """
    id call_id tool_call_id index role status stop_reason type thought thoughts thinking reason reasoning rationale
    explanation confidence
"""
REMARKS = frozenset((*_REMARKS.split(), *NAMES, *CALLS, *ARGS, "final"))
"""Keys beside the arguments that are not arguments."""
FINALS = ("final", "final_answer", "final answer")
NOTHING = ("", "none", "null", "n/a", "...", "…")
"""Names that stand for their own absence."""
PLACEHOLDERS = ("", "...", "…", "<text>")
"""Answers that only repeat the instructions."""
_EXAMPLE = re.compile(r'^You: \{.*"content": "([^"]+)"', re.MULTILINE)
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True)
class ParsedReply:
    """A call, an answer, or what is wrong with the reply.

    Args:
        args: Its arguments: while a call is being read as they were sent, in the end by name, and fitting the schema.
        answer: The text for the person.
        error: Why nothing can be done, in words the model can act on.
    """

    tool: str | None = None
    args: Any = None
    answer: str | None = None
    error: str = ""


def find_decisions(value: Any, tools: Tools, *, is_call: bool = False) -> Iterator[ParsedReply]:
    """Yield the decisions that a value holds, their arguments as they were sent; none where it is not a decision.

    Args:
        value: An object, or a list of such.
        tools: The tools that may be called.
        is_call: Whether it is called a tool, whatever its name.

    Raises:
        ToolError: The value is a decision, and contradicts itself.
    """
    if isinstance(value, list):
        for part in value:
            yield from find_decisions(_decode(part), tools, is_call=is_call)
    elif isinstance(value, dict):
        said = build_object(_fold_keys(value))
        calls = list(_find_call(said, tools, is_call=is_call or "tool" in said))
        for key in (*CALLS, "content"):  # a vendor's blocks are content
            if isinstance(said.get(key), list if key == "content" else dict | list):
                calls += find_decisions(said[key], tools, is_call=key == "tool")
        yield from calls
        yield from _find_answer(said, is_alone=not calls)


def _fold_keys(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the pairs of an object: known keys in one spelling, what is encoded below those of a decision decoded."""
    for key, inner in value.items():
        folded = key.strip().lower()
        is_part = folded in CALLS or folded in ARGS or folded == "final"
        yield folded if folded in REMARKS or folded in ANSWERS else key.strip(), _decode(inner) if is_part else inner


def _decode(value: Any) -> Any:
    try:
        return read_whole(value.strip()) if isinstance(value, str) and value.strip()[:1] in ("{", "[") else value
    except ToolError:
        return value


def _find_call(said: dict[str, Any], tools: Tools, *, is_call: bool) -> Iterator[ParsedReply]:
    named = [key for key in said if key not in REMARKS and isinstance(said[key], dict) and tools.resolve_name(key)]
    names = [said[key] for key in NAMES if isinstance(said.get(key), str)]
    name = _get_one("name of a tool", [name for name in names if name.strip().lower() not in NOTHING])
    args = _get_one("set of arguments", [said[key] for key in ARGS if said.get(key) is not None])
    others = {key: value for key, value in said.items() if key not in REMARKS}
    if name is None:  # the tool's name may be the key
        yield from (ParsedReply(key, said[key]) for key in named if len(named) == 1)
    elif name.strip().lower() in FINALS:
        yield from _read_answer(others if args is None else args)
    elif not any(key in said for key in ARGS):
        yield from [ParsedReply(name, others)] if is_call or tools.resolve_name(name) else []
    elif not (isinstance(args, dict) and args.get("type") == "object"):  # a tool's schema, echoed
        real = tools.resolve_name(name)
        if beside := [key for key in tools.parameters(real) if key in others] if real else []:
            raise ToolError(f"{beside[0]!r} stands beside the arguments of {real}: put it among them.")
        yield ParsedReply(name, args)


def _get_one(what: str, given: list[Any]) -> Any:
    """Return what was given once, or in several places alike; None where it was not given."""
    if any(not is_same(given[0], other) for other in given[1:]):
        raise ToolError(f"More than one {what} is given: {json.dumps(given)[:200]}.")
    return given[0] if given else None


def _find_answer(said: dict[str, Any], *, is_alone: bool) -> Iterator[ParsedReply]:
    """Yield an answer below `final`, or one that stands alone: text beside a call is not the answer."""
    is_message = said.get("role") == "assistant" or "tool_calls" in said
    others = ("answer", "response", "final_answer", *(("content",) if is_message else ()))
    keys = [key for key in ("final", *(others if is_alone else ())) if said.get(key) not in (None, True)]
    yield from _read_answer(said[keys[0]]) if keys else []


def _read_answer(value: Any) -> Iterator[ParsedReply]:
    if isinstance(value, dict):
        said = build_object(_fold_keys(value))
        value = next((said[key] for key in ANSWERS if key in said), None)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and value.strip() not in PLACEHOLDERS:
        yield ParsedReply(answer=value)


def refuse_example(decision: ParsedReply, instructions: str, said: Iterable[str]) -> ParsedReply:
    """Return the decision, or a refusal if it writes just what an example writes and the person spoke of nothing alike.

    Very weak models would store a worked example as the person's.

    Args:
        decision: What a reply came to.
        instructions: How to decide, with the examples.
        said: What the person said in this conversation.
    """
    content = decision.args.get("content") if decision.args else None
    if content not in read_examples(instructions) or _find_words(content) & set().union(*map(_find_words, said)):
        return decision
    return ParsedReply(
        error=f"{content!r} is from the examples; the person did not speak of it. Decide about their message."
    )


def read_examples(instructions: str) -> list[str]:
    """Return the contents that the examples of the instructions write."""
    return _EXAMPLE.findall(instructions)


def _find_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
