"""A reply in segments: decisions, markup, and parts that are left out; everything between is prose.

One pass from left to right. The inside of a value's strings is content and never seen here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ana.models.json_mode import call_syntax, markup
from ana.models.json_mode.decision import Candidate, FailedAttempt, ParsedAnswer, ParsedCall
from ana.models.json_mode.repair import repair
from ana.models.json_mode.shapes import NOTHING, ResolveName, find_decisions
from ana.models.lenient_json import MalformedValue, TruncatedValue, read, read_or

Kind = Literal["decision", "value", "fence", "mark", "left_out", "user"]

_ALONE: dict[str, Kind] = {"user": "user", "aside": "left_out", "fence": "fence"}
_ALONE |= {"role": "mark", "token": "mark", "label": "mark"}
"""Markup that is a segment by itself, whatever follows it."""
MOST_CUTS = 8
"""Values that may turn out to be cut short; each was read up to the end, so more would take quadratic time."""
_ATTEMPT = re.compile(r"\{\s{0,20}(?:[\"'“”‘’`]|(?:tool|final|action)\s{0,4}[:：])")
_FENCE = re.compile(r"\s*(?:```+|~~~+)?[ \t]*(?:json)?\s*")
_LEFT_OPEN = re.compile(r"\s*(?:```|~~~|</|<\||<｜)")
_LAST_FENCE = re.compile(r"\s*(?:```|~~~)\s*\Z")
_LINE = re.compile(r"[^\n]*")
_CUT = FailedAttempt("truncated", "The reply was cut short.")
_UNREADABLE = FailedAttempt("no_decision", "The JSON cannot be read.")


@dataclass(frozen=True)
class Segment:
    """A stretch of a reply that is not prose.

    Args:
        kind: decision; value: one that is not a decision; fence; mark: markup, which is not part of an answer;
            left_out: thoughts and invented results; user: where an invented turn of the user's begins.
        candidates: Its decisions.
        value: Whether they stand in a value, which may be embedded in a sentence.
    """

    kind: Kind
    start: int
    end: int
    candidates: tuple[Candidate, ...] = ()
    value: bool = False


class Scanner:
    """Cuts one reply into segments.

    Args:
        text: The reply.
        resolve: Returns the real name of a tool under any of its spellings, or None.
    """

    def __init__(self, text: str, resolve: ResolveName) -> None:
        self.text = text
        self.resolve = resolve
        self.segments: list[Segment] = []
        self._cuts = 0

    def scan(self) -> list[Segment]:
        """Return all segments, in order."""
        at = 0
        while mark := markup.SCAN.search(self.text, at):
            kind = next(name for name, found in mark.groupdict().items() if name.endswith("_") and found is not None)
            at = self._take(kind[:-1], mark)
        return self.segments

    def _take(self, kind: str, mark: re.Match[str]) -> int:
        """Add the segment that a mark begins, and return where the scan goes on."""
        if kind in _ALONE:
            return self._add(_ALONE[kind], mark.start(), mark.end())
        end: int = getattr(self, f"_take_{kind}")(mark)
        return end

    def _add(self, kind: Kind, start: int, end: int, *found: Candidate, value: bool = False) -> int:
        self.segments.append(Segment(kind, start, end, found, value))
        return end

    def _stop(self, start: int, broken: FailedAttempt) -> int:
        """End the scan: nothing after an attempt that is cut short or cannot be read is believed."""
        return self._add("decision", start, len(self.text), broken, value=True)

    def _find_closer(self, mark: re.Match[str], closer: str) -> tuple[int, int]:
        """The ends of the text up to a closer, and of the closer."""
        found = self.text.find(closer, mark.end())
        return (len(self.text), len(self.text)) if found < 0 else (found, found + len(closer))

    def _take_skipped(self, mark: re.Match[str]) -> int:
        closer = (markup.THOUGHTS | markup.SKIPPED)[mark[0]]
        return self._add("left_out", mark.start(), self._find_closer(mark, closer)[1])

    _take_thought = _take_skipped

    def _take_unthought(self, mark: re.Match[str]) -> int:
        # the end of a thought without its beginning: all before it was thought
        self.segments = [Segment("left_out", 0, mark.end())]
        return mark.end()

    def _take_result(self, mark: re.Match[str]) -> int:
        """An invented result: the value after the label, else its line."""
        at = mark.end()
        if self.text[at : at + 1] in ("{", "["):
            try:
                return self._add("left_out", mark.start(), read(self.text, at)[1])
            except (MalformedValue, TruncatedValue):
                pass
        line = _LINE.match(self.text, at)
        return self._add("left_out", mark.start(), line.end() if line else at)

    def _take_answer(self, mark: re.Match[str]) -> int:
        closer = next(end for begin, end in markup.ANSWERS.items() if re.match(begin, mark[0]))
        stop, end = self._find_closer(mark, closer) if closer else (self._find_answer_end(mark.end()),) * 2
        answer = self.text[mark.end() : stop].strip()
        answers = [ParsedAnswer(answer)] if answer.lower() not in NOTHING else []
        return self._add("decision", mark.start(), end, *answers)

    def _find_answer_end(self, at: int) -> int:
        """The end of an answer without an end mark."""
        found = re.compile(f"{markup.USER}|{markup.TOKEN}|{markup.RESULT}", re.MULTILINE).search(self.text, at)
        return found.start() if found else len(self.text)

    def _take_header(self, mark: re.Match[str]) -> int:
        form, name = next((k, v) for k, v in mark.groupdict().items() if v and not k.endswith("_"))
        if name.lower() in NOTHING:
            return self._add("mark", mark.start(), mark.end())
        fence = _FENCE.match(self.text, mark.end())
        at = fence.end() if fence else mark.end()
        if self.text[at : at + 1] == "{":
            return self._take_value_of_header(mark, name, at)
        line = _LINE.match(self.text, mark.end())
        assert line is not None
        if form not in markup.BARE:
            return self._add("decision", mark.start(), line.end(), ParsedCall(name))
        text = line[0].strip().removesuffix(markup.BARE[form])
        return self._add("decision", mark.start(), line.end(), ParsedCall(name, call_syntax.read_bare_text(text)))

    def _take_value_of_header(self, mark: re.Match[str], name: str, at: int) -> int:
        value, end = self._read_value(at)
        if isinstance(value, FailedAttempt):
            return self._stop(mark.start(), value)
        return self._add("decision", mark.start(), end, ParsedCall(name, call_syntax.strip_escape_marks(value)))

    def _read_value(self, at: int) -> tuple[object, int]:
        """The value at a place, repaired where that is certain, or why there is none, and the end of what was read."""
        try:
            return read(self.text, at)
        except TruncatedValue:
            return self._read_open_answer(at), len(self.text)
        except MalformedValue as exc:
            attempt = _ATTEMPT.match(self.text, at)
            if attempt and _LEFT_OPEN.match(self.text, exc.at):
                return self._read_open_answer(at), len(self.text)
            return (attempt and repair(self.text, at)) or (_UNREADABLE, max(exc.at, at + 1))

    def _read_open_answer(self, at: int) -> object:
        """The decision where a reply ends after an answer's text: only braces are missing, nothing of it is lost."""
        begun = _LAST_FENCE.sub("", self.text[at:])
        for closed in (f"{begun}}}", f"{begun}}}}}"):
            value = read_or(None, closed)
            said = value.get("final") if isinstance(value, dict) and len(value) == 1 else None
            if isinstance(said, dict) and len(said) == 1 and isinstance(said.get("answer"), str):
                return value
        return _CUT

    def _take_tag(self, mark: re.Match[str]) -> int:
        """A call in tags; the name of the tool stands in the group that has the name of the notation."""
        notation = "tagged" if mark["tagged"] else "keyed"
        try:
            args, end = call_syntax.read_tags(self.text, mark.end(), notation)
        except TruncatedValue:
            return self._stop(mark.start(), _CUT)
        return self._add("decision", mark.start(), end, ParsedCall(mark[notation], args, all_text=True))

    _take_keys = _take_tag

    def _take_call(self, mark: re.Match[str]) -> int:
        """Python calls, one after another; anything else that looks like one is prose."""
        start, name, at = mark.start(), mark["code"], mark.end()
        found: list[Candidate] = []
        while self.resolve(name):
            try:
                call, at = call_syntax.read_python_call(self.text, name, at)
            except TruncatedValue:
                return self._stop(start, _CUT)
            found.append(call)
            if (further := call_syntax.FURTHER.match(self.text, at)) is None:
                break
            name, at = further["code"], further.end()
        if found and (end := call_syntax.find_line_end(self.text, at)) is not None:
            opened = "print(" in mark["before"] and not call_syntax.PRINTED.match(self.text, at)
            return self._stop(start, _CUT) if opened else self._add("decision", start, end, *found)
        return mark.start("code") + 1 if not mark["before"] else mark.start("code")

    def _take_value(self, mark: re.Match[str]) -> int:
        value, end = self._read_value(mark.start())
        if not isinstance(value, FailedAttempt):
            found = find_decisions(value, self.resolve)
            return self._add("decision" if found else "value", mark.start(), end, *found, value=True)
        if _ATTEMPT.match(self.text, mark.start()):
            return self._stop(mark.start(), value)
        # an open bracket in prose: go on after it, but only so often
        self._cuts += value is _CUT
        if self._cuts > MOST_CUTS:
            return len(self.text)
        return mark.end() if value is _CUT else end


def mark_all_text(candidates: list[Candidate]) -> Iterator[Candidate]:
    """Return the same decisions with every argument marked as a text."""
    return (replace(one, all_text=True) if isinstance(one, ParsedCall) else one for one in candidates)
