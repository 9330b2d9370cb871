"""From a reply to a decision: take off what is around it, find what it says, require that it is one thing, check it.

A decision counts only on lines without other words, with nothing beside it that looks like another call, an answer, a
thought or the person's next message: stored text that is quoted must not command. A reply without any is an answer.
"""

import json

import regex

from ana.errors import ToolError
from ana.models.json_mode.notations import FENCE, TAG, TOKEN, read_named_call, unwrap
from ana.models.json_mode.shapes import ParsedReply, find_decisions
from ana.models.lenient_json import read_value
from ana.models.tool_schema import Tools

LONGEST = 300_000
"""Characters of a reply that is read."""
ASKED = 'Send exactly one: {"tool": {"name": ..., "args": {...}}} or {"final": {"answer": ...}}.'

_HERE = "\ufffc"
"""Stands in the prose where a decision was."""
_OPENING = regex.compile(
    r"(?:\[\s{0,40}){0,3}\{\s*(?:[\"'“”‘’`\\\u200b]|&quot;|//|(?:tool|final|action|name|function)\s*[:：])"
)
"""The beginning of an object; any other brace is a brace."""
_RESULT = regex.compile(r"(?:(?:^|\n)(?:Observation|Tool result):|<tool_response>\n?|\[TOOL_RESULTS\])[ \t]*\Z")
_WORD = regex.compile(r"[^\W\d_]{2,}")
_EMPTY = regex.compile(r"(?:\W|null|None)*+")
_MARKUP = regex.compile(rf"{TOKEN}|{TAG}|{FENCE}|\[/?[A-Z_]{{3,20}}\]|<!--(?:(?!<!--|-->).)*+-->|[ \t;,.]//.*")
_LABEL = regex.compile(
    r"[\W\d]*(?:here (?:is|'s) |this is )?(?:the |my |a )?(?:(?:json|final|next|tool|function) )*"
    r"(?:decision|answer|response|output|json|call|action|assistant|ai|result|réponse(?: finale)?|antwort|entscheidung)"
    r"[*_ ]*[:：]\W*",
    regex.IGNORECASE,
)
"""The words that may stand before a decision on its line."""
_FINAL = regex.compile(r"(?:(?:Thought|Action):[^\n]*\n)*(?:Final Answer:|>>>all\n|(?:<final>\s*)?<answer>)\s*")
"""The beginning of an answer in other forms than JSON."""
_ANSWERED = regex.compile(r"(?m)^[^\w\n]*+Final Answer:|^>>>all|</?(?:final|answer)>|✿RETURN✿")
_OTHERS = (
    r"(?:^[^\w\n]*+|\bcall[^\w\n]+|(?<=[>=.:▁\]]))(?:{0})\b",
    r"\b(?:{0})\(|^[^\w\n]*+(?:{1})\(",
    r"^[^\w\n]*+action[ \t*]*:[ \t*]*(?!none\b)\w+",
    r"^(?:tool|final):",
    r"<(?:｜DSML｜)?(?:function=|invoke |param|arg_key)",
    r"</?think|\[/?THINK",
    r"^(?:User|Human)[ \t]*:|(?:<\|\w+\|>|<start_of_turn>)\s?user\b|<\|user\|>",
)
"""What a reply may not hold beside what is read: another notation's call ({0} are the tools whose names are no words,
{1} all), a thought that is not closed, the person's next message."""
_NOT_PROSE = regex.compile(
    r"(?m)^[^\w\n]*+(?:Thought|Action|Observation)[^\w\n]*:"
    r"|<(?:tool_call|start_function)|<[|｜][^<>\n]*>|\[TOOL_CALLS\]|✿|^>>>"
    r"|\A[A-Za-z_][\w.]*\(.*\)\Z|\A[{\[]\s*[{\[\"']"
)


def read_decision(reply: str, tools: Tools) -> ParsedReply:
    """Read any text at all as a call that fits its tool's schema, an answer, or an error in words."""
    try:
        if len(reply) > LONGEST:
            raise ToolError(f"The reply has {len(reply):,} characters; at most {LONGEST:,} are read.")
        return _check(_read(unwrap(reply), tools), tools)
    except ToolError as exc:
        return ParsedReply(error=f"{exc.message} {ASKED}")
    except RecursionError:
        return ParsedReply(error="The JSON is nested too deep.")


def _read(text: str, tools: Tools) -> ParsedReply:
    if named := read_named_call(text, tools):
        return named
    prose, said = _find_objects(text, tools)
    _require_no_other(prose, tools)
    if not said:
        return _read_prose(text, prose)
    if len({*map(repr, said)}) > 1:
        names = ", ".join((one.tool or f"final {one.answer!r}")[:40] for one in said[:5])
        raise ToolError(f"The reply holds different decisions: {names}. The next one follows a call's result.")
    _require_alone(prose)
    return said[0]


def _find_objects(text: str, tools: Tools) -> tuple[str, list[ParsedReply]]:
    """Return the reply without its objects, a mark in the place of each decision, and the decisions."""
    prose, said, begun = list[str](), list[ParsedReply](), 0
    while opening := _OPENING.search(text, begun):
        value, end = read_value(text, opening.start())
        is_result = _RESULT.search(text, begun, opening.start())
        found = [] if is_result else list(find_decisions(value, tools))
        if not (found or is_result) and isinstance(value, dict) and {"tool", "final"} & value.keys():
            raise ToolError(f"The JSON is no decision: {text[opening.start() : end][:80]!r}.")
        prose += [text[begun : opening.start()], _HERE if found else ""]
        said += found
        begun = end
    return "".join([*prose, text[begun:]]), said


def _require_no_other(prose: str, tools: Tools) -> None:
    """Refuse what looks like a further decision, or like the person's next message."""
    names = [regex.escape(name) for name in tools.schemas] or [r"\Z."]
    no_words = [name for name in names if "_" in name] or [r"\Z."]
    others = regex.compile(
        "|".join(_OTHERS).format("|".join(no_words), "|".join(names)), regex.MULTILINE | regex.IGNORECASE
    )
    if other := others.search(prose):
        raise ToolError(f"The reply should be one decision in JSON and has {other[0].strip()[:80]!r}.")


def _require_alone(prose: str) -> None:
    """Refuse a decision inside a brace that could not be read, or with words on its line.

    Quoted text could become a command.
    """
    if answer := _ANSWERED.search(prose):
        raise ToolError(f"The reply holds a decision, and {answer[0].strip()!r} beside it.")
    around = prose.partition(_HERE)[0]
    if around.count("{") > around.count("}") and regex.search(r"\w", around):
        raise ToolError(f"A decision stands inside a brace that is not closed: {around[-80:]!r}.")
    for line in prose.split("\n"):
        before, here, after = (_MARKUP.sub("", part) for part in line.partition(_HERE))
        is_led = before.lstrip().startswith(">") or (_WORD.search(before) and not _LABEL.fullmatch(before))
        if here and (is_led or _WORD.search(after)):
            shown = line.replace(_HERE, "{...}").strip()[:80]
            raise ToolError(f"A decision stands inside a sentence, where it is not run: {shown!r}.")


def _read_prose(text: str, prose: str) -> ParsedReply:
    """Return an answer in plain words, unless it was an attempt at something else."""
    if _EMPTY.fullmatch(_MARKUP.sub("", prose)):
        raise ToolError(f"The reply holds no decision: {text[:80]!r}.")
    begun = _FINAL.match(text)
    answer = text[begun.end() :] if begun else text
    if form := _NOT_PROSE.search(answer):
        raise ToolError(f"The reply should be one decision in JSON and has {form[0].strip()[:80]!r}.")
    return ParsedReply(answer=answer)


def _check(said: ParsedReply, tools: Tools) -> ParsedReply:
    """Return the decision: a call has its tool's real name, and arguments that fit its schema."""
    if said.tool is None:
        return said
    name = tools.resolve_name(said.tool)
    if name is None:
        raise ToolError(f"There is no tool {said.tool[:80]!r}. The tools are: {', '.join(tools.schemas)}.")
    parameters, args = tools.parameters(name), [] if said.args in (None, "") else said.args
    if isinstance(args, str | int | float) and len(parameters) == 1:
        args = [args]
    if isinstance(args, list) and len(args) <= len(parameters):
        args = dict(zip(parameters, args, strict=False))
    if not isinstance(args, dict):
        known = ", ".join(parameters) or "nothing"
        raise ToolError(f"The arguments must be one object with: {known}; not {json.dumps(args)[:80]}.")
    return ParsedReply(name, tools.check(name, args))
