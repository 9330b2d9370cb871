"""From a reply to a decision: find the decision, require that it is the only one, check it.

A decision counts only on lines without other words, with nothing beside it that looks like another call, an answer, a
thought or the person's next message, because quoted stored text must not give orders. A reply without any is an answer.
"""

import json
import re

from ana.errors import ToolError
from ana.models.json_mode.notations import MARKUP, TOKEN, read_named_call
from ana.models.json_mode.shapes import ParsedReply, find_decisions
from ana.models.lenient_json import SPACE, read_value
from ana.models.tool_schema import Tools

LONGEST = 300_000
"""Characters of a reply that is read."""
ASKED = 'Send exactly one: {"tool": {"name": ..., "args": {...}}} or {"final": {"answer": ...}}.'

HERE = "\ufffc"
"""Stands in the prose where a decision was."""
_COMMENT = re.compile(rf"(?<={HERE}) {{0,9}}//[^\n]*")
_OPENING = re.compile(
    r"(?:\[\s{0,40}){0,3}\{\s*(?:[\"'“‘`\\\u200b#]|&quot;|//|(?:tool|final|action|name|function)\s*[:：])"
)
"""The beginning of an object; any other brace is a brace."""
_MARKUP = re.compile(MARKUP)
_WORD = re.compile(r"[^\W\d_]{2,}")
_EDGE = re.compile(rf"{TOKEN}(?:assistant|final)?|<start_of_turn>(?:model)?|</?(?:s|end_of_turn|answer|final)>")
_FINAL = re.compile(r"(?:(?:Thought|Action):[^\n]*\n)*(?:Final Answer:|>>>all\n|<final><answer>|<answer>)")
"""The beginning of an answer in other forms than JSON."""
_OTHERS = (
    r"(?mi)(?:^[^\w\n]*+|\bcall[^\w\n]+|(?<=[>=.:▁\]]))(?:NAMES)\b|\b(?:NAMES)\("
    r"|^[^\w\n]*+(?:action[ \t*]*:[ \t*]*(?!none\b)\w+|final answer:)|^(?:tool|final):|^>>>"
    r"|<(?:｜DSML｜)?(?:function=|invoke |param|arg_key)|</?think|<(?:final|answer)>|\[/?THINK"
    r"|^(?:User|Human)[ \t]*:|(?:<\|\w+\|>|<start_of_turn>)\s?user\b|<\|user\|>"
)
"""What a reply may not hold beside what is read: another notation's call (NAMES are the tools whose names are no
words), a thought, another answer, the person's next message."""
_NOT_PROSE = re.compile(
    r"(?m)^[^\w\n]*+(?:Thought|Action|Observation)[^\w\n]*:|<(?:tool_call|start_function)|\[TOOL_CALLS\]|✿"
    r"|\A[A-Za-z_][\w.]*\(.*\)\Z|\A[{\[]\s*[{\[\"'#/]"
)


def read_decision(reply: str, tools: Tools) -> ParsedReply:
    """Read any text as a call that fits its tool's schema, an answer, or an error in words.

    Args:
        reply: The reply without thoughts.
    """
    try:
        if len(reply) > LONGEST:
            raise ToolError(f"The reply has {len(reply):,} characters; at most {LONGEST:,} are read.")
        return _check(_read(reply.strip(SPACE), tools), tools)
    except ToolError as exc:
        return ParsedReply(error=f"{exc.message} {ASKED}")
    except RecursionError:
        return ParsedReply(error="The JSON is nested too deep.")


def _read(text: str, tools: Tools) -> ParsedReply:
    if named := read_named_call(text, tools):
        return named
    prose, said = find_objects(text, tools)
    begun = None if said else _FINAL.match(text)
    names = "|".join(re.escape(name) for name in tools.schemas if "_" in name) or r"\Z."
    _refuse(_OTHERS.replace("NAMES", names), prose[begun.end() :] if begun else prose)
    if len({*map(repr, said)}) > 1:
        names = ", ".join((one.tool or f"final {one.answer!r}")[:40] for one in said[:5])
        raise ToolError(f"The reply holds different decisions: {names}. The next one follows a call's result.")
    for line in _COMMENT.sub("", prose).split("\n"):
        if HERE in line and (line.lstrip().startswith(">") or _WORD.search(_MARKUP.sub("", line))):
            beside = max(line.split(HERE), key=len).strip()
            raise ToolError(f"A decision stands inside a sentence, where it is not run: {beside[:80]!r}.")
    if said:
        return said[0]
    if not re.search(r"\w", _MARKUP.sub("", prose).replace("null", "")):
        raise ToolError(f"The reply holds no decision: {text[:80]!r}.")
    answer = _EDGE.sub("", text[begun.end() :] if begun else text).strip(SPACE)
    _refuse(_NOT_PROSE, answer)
    return ParsedReply(answer=answer)


def find_objects(text: str, tools: Tools) -> tuple[str, list[ParsedReply]]:
    """Return a reply without its objects, with a mark in place of each decision, and the decisions.

    Raises:
        ToolError: An object cannot be read, or is not quite a decision.
    """
    prose, said, begun = list[str](), list[ParsedReply](), 0
    while opening := _OPENING.search(text, begun):
        value, end = read_value(text, opening.start())
        found = list(find_decisions(value, tools))
        if not found and isinstance(value, dict) and {"tool", "final"} & value.keys():
            raise ToolError(f"The JSON is no decision: {text[opening.start() : end][:80]!r}.")
        prose += [text[begun : opening.start()], HERE if found else text[opening.start() : end]]
        said += found
        begun = end
    return "".join([*prose, text[begun:]]), said


def _refuse(form: str | re.Pattern[str], text: str) -> None:
    if found := re.search(form, text):
        raise ToolError(f"The reply should be one decision in JSON and has {found[0].strip()[:80]!r}.")


def _check(said: ParsedReply, tools: Tools) -> ParsedReply:
    """Return the decision: a call has its tool's real name, and arguments that fit its schema."""
    if said.tool is None:
        return said
    name = tools.resolve_name(said.tool)
    if name is None:
        raise ToolError(f"There is no tool {said.tool[:80]!r}. The tools are: {', '.join(tools.schemas)}.")
    parameters, args = tools.parameters(name), said.args or {}
    if isinstance(args, str | int | float) and len(parameters) == 1:
        args = {parameters[0]: args}
    if not isinstance(args, dict):
        known = ", ".join(parameters) or "nothing"
        raise ToolError(f"The arguments must be one object with: {known}; not {json.dumps(args)[:80]}.")
    return ParsedReply(name, tools.check(name, args))
