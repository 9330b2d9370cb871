"""The outcome of a reply, and the shapes in which an object expresses a decision.

Beside the requested shape, {"tool": {"name", "args"}} or {"final": {"answer"}}, these are the shapes from models'
training: a name and arguments under other keys, and the keys that vendors put around them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ana.errors import ToolError
from ana.models.lenient_json import build_object, decode
from ana.models.tool_schema import Tools

NAMES = ("tool", "tool_name", "function", "action", "recipient_name", "name")
ARGS = ("args", "arguments", "parameters", "input", "kwargs", "tool_input", "action_input")
CALLS = ("tool", "function", "decision", "function_call", "functioncall", "tool_calls", "tool_uses", "tools")
"""Keys below which a call may stand, or a list of them."""
ANSWERS = ("answer", "response", "final_answer")
REMARKS = ("final", "id", "call_id", "tool_call_id", "index", "role", "type", "thought", "reason", "confidence")
"""Keys that may stand beside."""
KNOWN = frozenset((*NAMES, *ARGS, *CALLS, *ANSWERS, *REMARKS))
_EXAMPLE = re.compile(r'^You: \{.*"content": "([^"]+)"', re.MULTILINE)
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True)
class ParsedReply:
    """A call, an answer, or the fault in the reply.

    Args:
        args: The call's arguments: as they were sent while the call is being read, at the end by name and fitting the
            schema.
        answer: The text for the person.
        error: The reason why nothing can be done, in words that the model can act on.
    """

    tool: str | None = None
    args: Any = None
    answer: str | None = None
    error: str = ""


def find_decisions(value: Any, tools: Tools) -> Iterator[ParsedReply]:
    """Yield the decisions in an object or a list, with their arguments as they were sent.

    Raises:
        ToolError: A decision contradicts itself, or has something beside it.
    """
    value = decode(value)
    if isinstance(value, list):
        for part in value:
            yield from find_decisions(part, tools)
    if not isinstance(value, dict):
        return
    pairs = ((key.strip(), key.strip().lower(), inner) for key, inner in value.items())
    said = build_object((lower if lower in KNOWN else key, inner) for key, lower, inner in pairs)
    if "role" in said or "tool_calls" in said:  # a vendor's message
        said |= {"decision": said.get("content"), "answer": said.get("content")}
    calls = list(_find_call(said, tools))
    for key in CALLS:
        calls += find_decisions(said.get(key), tools)
    yield from calls
    final = said.get("final")
    if not calls or final not in (None, True):  # text beside a call is not the answer
        yield from _read_answer(said if final in (None, True) else final)


def _find_call(said: dict[str, Any], tools: Tools) -> Iterator[ParsedReply]:
    names = {said[key].strip() for key in NAMES if isinstance(said.get(key), str)} - {"", "none"}
    args = [decode(said[key]) for key in ARGS if said.get(key) is not None]
    beside = [key for key in said if key not in KNOWN]
    if not names or (args and isinstance(args[0], dict) and args[0].get("type") == "object"):  # a tool's schema, echoed
        return
    name = names.pop()
    if names or len(args) > 1:
        raise ToolError(f"More than one name or set of arguments stands beside {name[:80]!r}.")
    if args and beside:
        raise ToolError(f"{beside[0][:80]!r} stands beside the arguments of {name[:80]}: put it among them.")
    if name.lower() in ("final", "final answer"):
        yield from _read_answer(args[0] if args else None)
    elif args or (not beside and tools.resolve_name(name)):
        yield ParsedReply(name, args[0] if args else {})


def _read_answer(value: Any) -> Iterator[ParsedReply]:
    """Yield an answer; none if it only repeats the instructions."""
    value = decode(value)
    if isinstance(value, dict):
        value = next((value[key] for key in ANSWERS if key in value), None)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and value.strip(" .…"):
        yield ParsedReply(answer=value)


def refuse_example(decision: ParsedReply, instructions: str, said: Iterable[str]) -> ParsedReply:
    """Return the decision, or a refusal if it writes exactly the content of an example that the person did not mention.

    Very weak models would store a worked example as the person's.

    Args:
        decision: The outcome of a reply.
        instructions: How to decide, with the examples.
        said: The person's messages in this conversation.
    """
    content = decision.args.get("content") if decision.args else None
    if content not in read_examples(instructions) or _find_words(content) & set().union(*map(_find_words, said)):
        return decision
    return ParsedReply(
        error=f"{content!r} is from the examples; the person did not speak of it. Decide about their message."
    )


def read_examples(instructions: str) -> list[str]:
    """Return the contents that the examples in the instructions write."""
    return _EXAMPLE.findall(instructions)


def _find_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
