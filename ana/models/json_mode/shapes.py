"""The shapes in which an object says a decision.

Beside the shape that was asked for, {"tool": {"name", "args"}} or {"final": {"answer"}}, these are what models were
trained on: OpenAI's `tool_calls`, `function_call` and Responses items ("Function calling" in OpenAI's guide),
Anthropic's `tool_use` blocks ("Tool use with Claude"), Gemini's `functionCall`, LangChain's action blobs, Cohere's
`tool_name` and `parameters` (model card of C4AI Command-R), Hermes' `name` and `arguments` (card of Hermes 2 Pro).
"""

from collections.abc import Callable, Iterator
from typing import Any

from ana.models.json_mode.decision import Broken, Final, Found, ParsedCall
from ana.models.lenient_json import Cut, Malformed, Twice, Unsent, read_whole, same

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
"""What stands beside arguments and is none."""
NOTHING = frozenset(("", "none", "null", "n/a", "...", "…"))
"""Names and answers that stand for their own absence."""
FINALS = frozenset(("final", "final_answer", "final answer", "finalanswer"))
PLACEHOLDERS = frozenset(("...", "…"))

Known = Callable[[str], str | None]


def decisions(value: Any, known: Known) -> list[Found]:
    """What a value decides, in order; nothing where it is no decision.

    Args:
        value: As `values.read` gave it.
        known: The real name of a tool under any of its spellings, or None.
    """
    value = decoded(value)
    if isinstance(value, list):
        return [found for part in value for found in decisions(part, known) if isinstance(part, dict | list)]
    if not isinstance(value, dict) or "$schema" in value:
        return []
    return list(_of_object({_plain(key): inner for key, inner in value.items()}, known))


def decoded(value: Any) -> Any:
    """An object or list in place of the text that encodes one."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        try:
            return read_whole(value.strip())
        except (Malformed, Cut):
            return value
    return value


def _plain(key: str) -> str:
    return key.strip().lower() if key.strip().lower() in REMARKS | set(ANSWERS) else key.strip()


def _of_object(said: dict[str, Any], known: Known) -> Iterator[Found]:
    if any(isinstance(said.get(key), Twice) for key in (*NAMES, *WRAPPERS, *LISTS, *ARGS, "final")):
        yield Broken("ambiguous", "A key stands there twice with different values.")
        return
    calls = [*_listed(said, known), *_called(said, known)]
    yield from calls
    yield from _answered(said, spoken=bool(calls))


def _listed(said: dict[str, Any], known: Known) -> Iterator[Found]:
    """What stands in a list of calls or of content blocks, or in a wrapper."""
    for key in (*LISTS, "tool", "content"):
        if isinstance(inner := decoded(said.get(key)), list):
            yield from decisions(inner, known)
    for key in WRAPPERS:
        if isinstance(inner := decoded(said.get(key)), dict):
            yield from decisions(inner, known)


def _called(said: dict[str, Any], known: Known) -> Iterator[Found]:
    for key in ("tool", "function", "action"):
        if isinstance(inner := decoded(said.get(key)), dict):
            yield from _inner(key, inner, known)
            return
    names = [name for key in NAMES if (name := _name(said.get(key))) and not _is_kind(key, said)]
    if len({known(name) or name for name in names}) > 1:
        yield Broken("ambiguous", f"Several tools are named: {', '.join(names)}.")
    elif names:
        yield from _call(names[0], said, known, exact="tool" in said)
    else:
        yield from _by_key(said, known)


def _is_kind(key: str, said: dict[str, Any]) -> bool:
    """Whether the word under a key says what the object is, not which tool."""
    return key != "name" and said.get(key) in ("function", "tool") and "name" in said


def _inner(key: str, inner: dict[str, Any], known: Known) -> Iterator[Found]:
    """The object below `tool` and the like: a call, or the tool's name as the key."""
    inner = {_plain(k): v for k, v in inner.items()}
    names = {name for k in NAMES if (name := _name(inner.get(k)))}
    if any(isinstance(inner.get(k), Twice) for k in (*NAMES, *ARGS)) or len(names) > 1:
        yield Broken("ambiguous", "The call names several tools, or gives its arguments twice.")
    elif names:
        yield from _call(names.pop(), inner, known, exact=key == "tool")
    else:
        yield from _by_key(inner, known)


def _by_key(said: dict[str, Any], known: Known) -> Iterator[Found]:
    """{"create_item": {...}}: the tool's name as the key."""
    named = [key for key in said if key not in REMARKS and known(key)]
    if len(named) == 1 and isinstance(decoded(said[named[0]]), dict):
        yield ParsedCall(named[0], decoded(said[named[0]]))


def _name(value: Any) -> str | None:
    """A tool's name, also without quotes."""
    word = value.raw if isinstance(value, Unsent) and value.raw.replace("_", "").isalnum() else value
    return word.strip() if isinstance(word, str) and word.strip().lower() not in NOTHING else None


def _call(name: str, said: dict[str, Any], known: Known, *, exact: bool) -> Iterator[Found]:
    if _is_schema(said):
        return
    given = [decoded(said[key]) for key in ARGS if said.get(key) is not None]
    others = {key: value for key, value in said.items() if key not in REMARKS}
    if any(not same(given[0], other) for other in given[1:]):
        yield Broken("ambiguous", "The call has two sets of arguments that differ.")
    elif name.lower() in FINALS:
        yield from _final(given[0] if given else others)
    elif any(key in said for key in ARGS):
        args = given[0] if given else None
        if not _is_placeholder(args):
            yield ParsedCall(name, args, beside=tuple(others), exact=exact)
    elif exact or known(name):
        yield ParsedCall(name, others, exact=exact)


def _is_schema(said: dict[str, Any]) -> bool:
    """Whether it is a tool's description, echoed."""
    shape = said.get("parameters")
    inner = shape.get("properties") if isinstance(shape, dict) else None
    declared = isinstance(inner, dict) and all(isinstance(kind, dict) for kind in inner.values())
    return declared and isinstance(shape, dict) and ("type" in shape or "description" in said)


def _is_placeholder(args: Any) -> bool:
    return isinstance(args, dict) and bool(PLACEHOLDERS & set(args))


def _answered(said: dict[str, Any], *, spoken: bool) -> Iterator[Found]:
    """An answer below `final`, or one that stands alone."""
    final = decoded(said.get("final"))
    if final is not None and final is not True:
        yield from _final(final)
    elif said.get("type") == "text" and isinstance(said.get("text"), str):
        yield from _final(said["text"], weak=True)
    elif not spoken:
        message = said.get("role") == "assistant" or "tool_calls" in said
        keys = [key for key in ("answer", "response", "final_answer", *["content"][:message]) if key in said]
        yield from (found for key in keys[:1] for found in _final(said[key]))


def _final(value: Any, *, weak: bool = False) -> Iterator[Found]:
    value = decoded(value)
    if isinstance(value, dict):
        texts = [inner for key, inner in value.items() if key.strip().lower() in ANSWERS]
        value = texts[0] if texts else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and value.strip() and value.strip() not in PLACEHOLDERS:
        yield Final(value, weak)
