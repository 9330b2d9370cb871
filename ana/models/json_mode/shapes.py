"""The shapes in which an object says a decision.

Beside the shape that was asked for, {"tool": {"name", "args"}} or {"final": {"answer"}}, these are what models were
trained on: OpenAI's `tool_calls`, `function_call` and Responses items ("Function calling" in OpenAI's guide),
Anthropic's `tool_use` blocks ("Tool use with Claude"), Gemini's `functionCall`, LangChain's action blobs, Cohere's
`tool_name` and `parameters` (model card of C4AI Command-R), Hermes' `name` and `arguments` (card of Hermes 2 Pro).
"""

from collections.abc import Callable, Iterator
from typing import Any

from ana.models.json_mode.decision import Candidate, FailedAttempt, ParsedAnswer, ParsedCall
from ana.models.lenient_json import ConflictingValues, NotAValue, is_same, read_or

ARGS = ("args", "arguments", "parameters", "input", "kwargs", "tool_input", "action_input")
NAMES = ("tool", "tool_name", "function", "action", "recipient_name", "name")
WRAPPERS = ("decision", "tool_call", "function_call", "functioncall")
LISTS = ("tool_calls", "tool_uses", "tools", "calls")
ANSWERS = ("answer", "response", "final_answer", "text", "message", "content")
_REMARKS = """
    id call_id tool_call_id index role status stop_reason type thought thoughts thinking reason reasoning rationale
    explanation confidence final
"""
REMARKS = frozenset((*_REMARKS.split(), *NAMES, *WRAPPERS, *LISTS, *ARGS))
"""Keys beside the arguments that are not arguments."""
NOTHING = frozenset(("", "none", "null", "n/a", "...", "…"))
"""Names and answers that stand for their own absence."""
FINALS = frozenset(("final", "final_answer", "final answer", "finalanswer"))
PLACEHOLDERS = frozenset(("...", "…"))

ResolveName = Callable[[str], str | None]


def find_decisions(value: Any, resolve: ResolveName) -> list[Candidate]:
    """Return the decisions that a value holds, in order; none where it is not a decision.

    Args:
        value: As `values.read` gave it.
        resolve: Returns the real name of a tool under any of its spellings, or None.
    """
    value = decode(value)
    if isinstance(value, list):
        return [found for part in value for found in find_decisions(part, resolve) if isinstance(part, dict | list)]
    if not isinstance(value, dict) or "$schema" in value:
        return []
    return list(_read_object({_fold_key(key): inner for key, inner in value.items()}, resolve))


def decode(value: Any) -> Any:
    """Return the object or list that a text encodes, else the value as it is."""
    is_code = isinstance(value, str) and value.strip()[:1] in ("{", "[")
    return read_or(value, value.strip()) if is_code else value


def _fold_key(key: str) -> str:
    return key.strip().lower() if key.strip().lower() in REMARKS | set(ANSWERS) else key.strip()


def _read_object(said: dict[str, Any], resolve: ResolveName) -> Iterator[Candidate]:
    if any(isinstance(said.get(key), ConflictingValues) for key in (*NAMES, *WRAPPERS, *LISTS, *ARGS, "final")):
        yield FailedAttempt("ambiguous", "A key stands there twice with different values.")
        return
    calls = [*_read_lists(said, resolve), *_read_call(said, resolve)]
    yield from calls
    yield from _read_answer(said, spoken=bool(calls))


def _read_lists(said: dict[str, Any], resolve: ResolveName) -> Iterator[Candidate]:
    """The decisions in a list of calls or of content blocks, or in a wrapper."""
    for key in (*LISTS, "tool", "content"):
        if isinstance(inner := decode(said.get(key)), list):
            yield from find_decisions(inner, resolve)
    for key in WRAPPERS:
        if isinstance(inner := decode(said.get(key)), dict):
            yield from find_decisions(inner, resolve)


def _read_call(said: dict[str, Any], resolve: ResolveName) -> Iterator[Candidate]:
    for key in ("tool", "function", "action"):
        if isinstance(inner := decode(said.get(key)), dict):
            yield from _read_inner_call(key, inner, resolve)
            return
    names = [name for key in NAMES if (name := _read_name(said.get(key))) and not _is_kind(key, said)]
    if len({resolve(name) or name for name in names}) > 1:
        yield FailedAttempt("ambiguous", f"Several tools are named: {', '.join(names)}.")
    elif names:
        yield from _make_call(names[0], said, resolve, exact="tool" in said)
    else:
        yield from _read_name_as_key(said, resolve)


def _is_kind(key: str, said: dict[str, Any]) -> bool:
    """Whether the word under a key says what the object is, not which tool."""
    return key != "name" and said.get(key) in ("function", "tool") and "name" in said


def _read_inner_call(key: str, inner: dict[str, Any], resolve: ResolveName) -> Iterator[Candidate]:
    """The object below `tool` and the like: a call, or the tool's name as the key."""
    inner = {_fold_key(k): v for k, v in inner.items()}
    names = {name for k in NAMES if (name := _read_name(inner.get(k)))}
    if any(isinstance(inner.get(k), ConflictingValues) for k in (*NAMES, *ARGS)) or len(names) > 1:
        yield FailedAttempt("ambiguous", "The call names several tools, or gives its arguments twice.")
    elif names:
        yield from _make_call(names.pop(), inner, resolve, exact=key == "tool")
    else:
        yield from _read_name_as_key(inner, resolve)


def _read_name_as_key(said: dict[str, Any], resolve: ResolveName) -> Iterator[Candidate]:
    """{"create_item": {...}}: the tool's name as the key."""
    named = [key for key in said if key not in REMARKS and resolve(key)]
    if len(named) == 1 and isinstance(decode(said[named[0]]), dict):
        yield ParsedCall(named[0], decode(said[named[0]]))


def _read_name(value: Any) -> str | None:
    """A tool's name, also without quotes."""
    word = value.raw if isinstance(value, NotAValue) and value.raw.replace("_", "").isalnum() else value
    return word.strip() if isinstance(word, str) and word.strip().lower() not in NOTHING else None


def _make_call(name: str, said: dict[str, Any], resolve: ResolveName, *, exact: bool) -> Iterator[Candidate]:
    if _is_schema(said):  # models echo the prompt
        return
    given = [decode(said[key]) for key in ARGS if said.get(key) is not None]
    others = {key: value for key, value in said.items() if key not in REMARKS}
    if any(not is_same(given[0], other) for other in given[1:]):
        yield FailedAttempt("ambiguous", "The call has two sets of arguments that differ.")
    elif name.lower() in FINALS:
        yield from _make_answer(given[0] if given else others)
    elif any(key in said for key in ARGS):
        args = given[0] if given else None
        if not _is_placeholder(args):
            yield ParsedCall(name, args, beside=tuple(others), exact=exact)
    elif exact or resolve(name):
        yield ParsedCall(name, others, exact=exact)


def _is_schema(said: dict[str, Any]) -> bool:
    """Whether it is a tool's description, echoed."""
    shape = said.get("parameters")
    inner = shape.get("properties") if isinstance(shape, dict) else None
    declared = isinstance(inner, dict) and all(isinstance(kind, dict) for kind in inner.values())
    return declared and isinstance(shape, dict) and ("type" in shape or "description" in said)


def _is_placeholder(args: Any) -> bool:
    return isinstance(args, dict) and bool(PLACEHOLDERS & set(args))


def _read_answer(said: dict[str, Any], *, spoken: bool) -> Iterator[Candidate]:
    """An answer below `final`, or one that stands alone."""
    final = decode(said.get("final"))
    if final is not None and final is not True:
        yield from _make_answer(final)
    elif said.get("type") == "text" and isinstance(said.get("text"), str):
        yield from _make_answer(said["text"], weak=True)
    elif not spoken:  # text beside a call is not the answer
        message = said.get("role") == "assistant" or "tool_calls" in said
        keys = [key for key in ("answer", "response", "final_answer", *["content"][:message]) if key in said]
        yield from (found for key in keys[:1] for found in _make_answer(said[key]))


def _make_answer(value: Any, *, weak: bool = False) -> Iterator[Candidate]:
    value = decode(value)
    if isinstance(value, dict):
        texts = [inner for key, inner in value.items() if key.strip().lower() in ANSWERS]
        value = texts[0] if texts else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and value.strip() and value.strip() not in PLACEHOLDERS:
        yield ParsedAnswer(value, weak)
