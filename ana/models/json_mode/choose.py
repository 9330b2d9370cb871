"""Which of a reply's decisions counts. One a step; the rest is told, never run."""

import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ana.models.json_mode.arguments import check_call
from ana.models.json_mode.decision import Broken, Decision, Final, Found, ParsedCall
from ana.models.json_mode.markup import FENCE, MARKER
from ana.models.json_mode.segments import Piece
from ana.models.tool_schema import Tools

_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBERED = re.compile(r"\A[\s>*#`|\-]*(?:\d{1,3}[.)])?[\s>*#`|\-]*")
_TAG = re.compile(r"</?[a-z][a-z0-9]{0,15}>")
_COMMENT = re.compile(r"[ \t;,.]*(?://|#)")
_FENCE = re.compile(FENCE)
_EMPTY = re.compile(r"[\s\[\]{}()`~|,.;:…\-]*")
_ATTEMPT = (
    r"(?m)^\s{{0,8}}(?:(?:CALL|call|ParsedCall)[ ]+(?:{0})\b|(?:{0})[ ]?:|\[(?:{0})\])"
    r"|\b(?:will|going to|'ll) call (?:{0}) with\b"
)
_CODE = re.compile(r"[A-Za-z_][\w.]{0,80}\([^\n]*\)", re.DOTALL)

EMBEDDED = (
    "A decision stands inside a sentence, where it is not run. Send it alone, or answer in words inside "
    '{"final": {"answer": "..."}}.'
)
SEVERAL = "The reply holds several different decisions. Send exactly one."
NONE = 'The reply holds no decision that can be read. Send exactly one: {"tool": ...} or {"final": ...}.'


def chosen(text: str, pieces: Sequence[Piece], tools: Tools) -> Decision:
    """What a reply comes to.

    Args:
        text: The reply.
        pieces: What is no prose in it.
        tools: What may be called.
    """
    ours, theirs = _parted(text, pieces)
    text = text[: theirs[0].start] if theirs else text
    found = [one for piece in ours for one in piece.found]
    if _spoken(text, ours):
        found = [one for one in found if not _stray(one, tools)]
    if not found:
        return _prose(text, ours, tools)
    if _embedded(text, ours) or _apart(text, ours):
        return Decision(error="ambiguous", why=EMBEDDED if _embedded(text, ours) else SEVERAL)
    one = _first(found)
    dropped = len([other for other in found if not (isinstance(other, Final) and other.weak)]) - 1
    dropped += sum(len(piece.found) for piece in theirs)
    return replace(_decision(one, found, tools), dropped=max(dropped, 0))


def _parted(text: str, pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """The assistant's pieces, and those behind an invented turn of the user's. A turn at the very start is an echo."""
    for position, piece in enumerate(pieces):
        if piece.kind == "user":
            before = list(pieces[:position])
            if any(p.found for p in before) or _left(text[: piece.start], before):
                return before, list(pieces[position:])
            after = [p for p in pieces[position + 1 :] if p.kind != "user"]
            begun = next((p.end for p in after if p.kind == "mark"), len(text))
            return [Piece("gone", 0, begun), *(p for p in after if p.start >= begun)], []
    return list(pieces), []


def _first(found: Sequence[Found]) -> Found:
    """The first call, unless an attempt that failed stands before it; an answer where there is none."""
    for one in found:
        if not isinstance(one, Final):
            return one
    return next((one for one in found if isinstance(one, Final) and not one.weak), found[0])


def _decision(one: Found, found: Sequence[Found], tools: Tools) -> Decision:
    if isinstance(one, Broken):
        return Decision(error=one.code, why=one.why)
    if isinstance(one, ParsedCall):
        return check_call(one, tools)
    answers = {other.answer for other in found if isinstance(other, Final) and other.weak == one.weak}
    if len(answers) > 1 and not one.weak:
        return Decision(error="ambiguous", why=SEVERAL)
    return Decision(answer=one.answer)


def _gaps(text: str, pieces: Sequence[Piece]) -> Iterator[str]:
    """The prose before each piece, and behind the last."""
    at = 0
    for piece in pieces:
        yield text[at : piece.start]
        at = max(at, piece.end)
    yield text[at:]


def _spoken(text: str, pieces: Sequence[Piece]) -> bool:
    return any(_WORD.search(gap) for gap in _gaps(text, pieces))


def _stray(one: Found, tools: Tools) -> bool:
    """JSON shown to the person that only resembles a call."""
    return (
        isinstance(one, ParsedCall)
        and not one.exact
        and isinstance(one.args, dict)
        and tools.resolve_name(one.name) is None
    )


def _embedded(text: str, pieces: Sequence[Piece]) -> bool:
    """Whether a decision stands inside a sentence: quoted text could become a command."""
    around = pairwise(_gaps(text, pieces))
    return any(
        piece.found and piece.value and _in_sentence(before, after)
        for piece, (before, after) in zip(pieces, around, strict=True)
    )


def _in_sentence(before: str, after: str) -> bool:
    above, _, line = before.rpartition("\n")
    if line.lstrip().startswith(">") and _unmarked(above.strip().rpartition("\n")[2]):
        return True  # a block quote is how stored text is shown
    before = _NUMBERED.sub("", line)
    after = _TAG.sub("", after.partition("\n")[0])
    led = _unmarked(_TAG.sub("", before))
    followed = _WORD.search(after) and not _COMMENT.match(after)
    return bool(led or followed)


def _unmarked(line: str) -> bool:
    """Whether a line holds words other than those that announce a decision."""
    return bool(_WORD.search(line)) and not MARKER.fullmatch(line.strip(" *_#"))


def _apart(text: str, pieces: Sequence[Piece]) -> bool:
    """Whether prose stands between different decisions."""
    last: Piece | None = None
    worded = False
    for piece, gap in zip(pieces, _gaps(text, pieces), strict=False):
        worded = worded or bool(_WORD.search(gap))
        if piece.found:
            if last and worded and last.found != piece.found:
                return True
            last, worded = piece, False
    return False


def _left(text: str, pieces: Sequence[Piece]) -> str:
    """The reply without marks, thoughts and invented results."""
    kept, at = "", 0
    for piece in pieces:
        if piece.kind in ("mark", "gone", "user"):
            kept += text[at : piece.start]
            at = max(at, piece.end)
    return (kept + text[at:]).strip()


def _prose(text: str, pieces: Sequence[Piece], tools: Tools) -> Decision:
    """An answer in plain words, unless it was an attempt at something else."""
    left = _left(text, pieces)
    names = "|".join(re.escape(name) for name in tools.schemas if "_" in name)
    attempt = re.search(_ATTEMPT.format(names), left) if names else None
    code = left.partition("(")[0]
    if _CODE.fullmatch(left) and not hasattr(builtins, code):
        return check_call(ParsedCall(code), tools)
    value = any(piece.kind in ("other", "said") for piece in pieces) and not _spoken(text, pieces)
    wordless = _EMPTY.fullmatch(_FENCE.sub("", left)) or left in ("null", "None")
    if attempt or value or wordless or _CODE.fullmatch(left) or left.startswith('{"'):
        return Decision(error="no_decision", why=NONE)
    return Decision(answer=left)
