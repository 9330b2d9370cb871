"""The choice among a reply's decisions: one a step; the model is told of the others, which are never run."""

import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ana.models.json_mode.arguments import check_call
from ana.models.json_mode.decision import Candidate, Decision, FailedAttempt, ParsedAnswer, ParsedCall
from ana.models.json_mode.markup import FENCE, MARKER
from ana.models.json_mode.segments import Segment
from ana.models.tool_schema import Tools

_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBERED = re.compile(r"\A[\s>*#`|\-]*(?:\d{1,3}[.)])?[\s>*#`|\-]*")
_TAG = re.compile(r"</?[a-z][a-z0-9]{0,15}>")
_COMMENT = re.compile(r"[ \t;,.]*(?://|#)")
_FENCE = re.compile(FENCE)
_EMPTY = re.compile(r"[\s\[\]{}()`~|,.;:…\-]*")
_ATTEMPT = (
    r"(?m)^\s{{0,8}}(?:(?:CALL|call|Call)[ ]+(?:{0})\b|(?:{0})[ ]?:|\[(?:{0})\])"
    r"|\b(?:will|going to|'ll) call (?:{0}) with\b"
)
_CODE = re.compile(r"[A-Za-z_][\w.]{0,80}\([^\n]*\)", re.DOTALL)

EMBEDDED = (
    "A decision stands inside a sentence, where it is not run. Send it alone, or answer in words inside "
    '{"final": {"answer": "..."}}.'
)
SEVERAL = "The reply holds several different decisions. Send exactly one."
NO_DECISION = 'The reply holds no decision that can be read. Send exactly one: {"tool": ...} or {"final": ...}.'


def choose_decision(text: str, segments: Sequence[Segment], tools: Tools) -> Decision:
    """Return the decision that a reply comes to.

    Args:
        text: The reply.
        segments: All of it that is not prose.
        tools: The tools that may be called.
    """
    ours, theirs = _split_at_user(text, segments)
    text = text[: theirs[0].start] if theirs else text
    candidates = [one for segment in ours for one in segment.candidates]
    if _has_words(text, ours):
        candidates = [one for one in candidates if not _is_stray(one, tools)]
    if not candidates:
        return _read_prose(text, ours, tools)
    if _is_embedded(text, ours) or _are_apart(text, ours):
        return Decision(error="ambiguous", why=EMBEDDED if _is_embedded(text, ours) else SEVERAL)
    one = _pick_first(candidates)
    dropped = len([other for other in candidates if not (isinstance(other, ParsedAnswer) and other.weak)]) - 1
    dropped += sum(len(segment.candidates) for segment in theirs)
    return replace(_to_decision(one, candidates, tools), dropped=max(dropped, 0))


def _split_at_user(text: str, segments: Sequence[Segment]) -> tuple[list[Segment], list[Segment]]:
    """The assistant's segments, and those after an invented turn of the user's; one at the very start is an echo."""
    for position, segment in enumerate(segments):
        if segment.kind == "user":
            before = list(segments[:position])
            # what follows was written by the model in the person's name
            if any(p.candidates for p in before) or _remove_markup(text[: segment.start], before):
                return before, list(segments[position:])
            after = [p for p in segments[position + 1 :] if p.kind != "user"]
            begun = next((p.end for p in after if p.kind == "mark"), len(text))
            return [Segment("left_out", 0, begun), *(p for p in after if p.start >= begun)], []
    return list(segments), []


def _pick_first(candidates: Sequence[Candidate]) -> Candidate:
    """The first call or failed attempt; an answer where there is neither."""
    for one in candidates:
        if not isinstance(one, ParsedAnswer):
            return one
    return next((one for one in candidates if isinstance(one, ParsedAnswer) and not one.weak), candidates[0])


def _to_decision(one: Candidate, candidates: Sequence[Candidate], tools: Tools) -> Decision:
    if isinstance(one, FailedAttempt):
        return Decision(error=one.code, why=one.why)
    if isinstance(one, ParsedCall):
        return check_call(one, tools)
    answers = {other.answer for other in candidates if isinstance(other, ParsedAnswer) and other.weak == one.weak}
    if len(answers) > 1 and not one.weak:
        return Decision(error="ambiguous", why=SEVERAL)
    return Decision(answer=one.answer)


def _iter_prose(text: str, segments: Sequence[Segment]) -> Iterator[str]:
    """The prose before each segment, and after the last."""
    at = 0
    for segment in segments:
        yield text[at : segment.start]
        at = max(at, segment.end)
    yield text[at:]


def _has_words(text: str, segments: Sequence[Segment]) -> bool:
    return any(_WORD.search(gap) for gap in _iter_prose(text, segments))


def _is_stray(one: Candidate, tools: Tools) -> bool:
    """Whether it is JSON for the person that only resembles a call."""
    if not isinstance(one, ParsedCall) or one.exact:
        return False
    return isinstance(one.args, dict) and tools.resolve_name(one.name) is None


def _is_embedded(text: str, segments: Sequence[Segment]) -> bool:
    """Whether a decision stands inside a sentence: quoted text could become a command."""
    around = pairwise(_iter_prose(text, segments))
    return any(
        segment.candidates and segment.value and _is_in_sentence(before, after)
        for segment, (before, after) in zip(segments, around, strict=True)
    )


def _is_in_sentence(before: str, after: str) -> bool:
    above, _, line = before.rpartition("\n")
    if line.lstrip().startswith(">") and _has_other_words(above.strip().rpartition("\n")[2]):
        return True  # a block quote is how stored text is shown
    before = _NUMBERED.sub("", line)
    after = _TAG.sub("", after.partition("\n")[0])
    led = _has_other_words(_TAG.sub("", before))
    followed = _WORD.search(after) and not _COMMENT.match(after)
    return bool(led or followed)


def _has_other_words(line: str) -> bool:
    """Whether a line holds words other than those that announce a decision."""
    return bool(_WORD.search(line)) and not MARKER.fullmatch(line.strip(" *_#"))


def _are_apart(text: str, segments: Sequence[Segment]) -> bool:
    """Whether prose stands between different decisions."""
    last: Segment | None = None
    has_words = False
    for segment, gap in zip(segments, _iter_prose(text, segments), strict=False):
        has_words = has_words or bool(_WORD.search(gap))
        if segment.candidates:
            if last and has_words and last.candidates != segment.candidates:
                return True
            last, has_words = segment, False
    return False


def _remove_markup(text: str, segments: Sequence[Segment]) -> str:
    """The reply without markup, thoughts and invented results."""
    kept, at = "", 0
    for segment in segments:
        if segment.kind in ("mark", "left_out", "user"):
            kept += text[at : segment.start]
            at = max(at, segment.end)
    return (kept + text[at:]).strip()


def _read_prose(text: str, segments: Sequence[Segment], tools: Tools) -> Decision:
    """An answer in plain words, unless it was an attempt at something else."""
    left = _remove_markup(text, segments)
    names = "|".join(re.escape(name) for name in tools.schemas if "_" in name)
    attempt = re.search(_ATTEMPT.format(names), left) if names else None
    code = left.partition("(")[0]
    # print("done") is an answer about code, delete_everything() an attempt at a tool that is not there
    if _CODE.fullmatch(left) and not hasattr(builtins, code):
        return check_call(ParsedCall(code), tools)
    is_value = any(segment.kind in ("value", "decision") for segment in segments) and not _has_words(text, segments)
    is_empty = _EMPTY.fullmatch(_FENCE.sub("", left)) or left in ("null", "None")
    if attempt or is_value or is_empty or _CODE.fullmatch(left) or left.startswith('{"'):
        return Decision(error="no_decision", why=NO_DECISION)
    return Decision(answer=left)
