"""A reply in pieces: decisions, marks, what is left out; everything between is prose.

One pass from left to right. What stands inside a value's strings is content and never seen here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ana.models.json_mode import call_syntax, markup
from ana.models.json_mode.decision import Broken, Final, Found, ParsedCall
from ana.models.json_mode.repair import repaired
from ana.models.json_mode.shapes import NOTHING, Known, decisions
from ana.models.lenient_json import Cut, Malformed, read

Kind = Literal["said", "other", "fence", "mark", "gone", "user"]

MOST_CUTS = 8
_ATTEMPT = re.compile(r"\{\s{0,20}(?:[\"'“”‘’`]|(?:tool|final|action)\s{0,4}[:：])")
_FENCE = re.compile(r"\s*(?:```+|~~~+)?[ \t]*(?:json)?\s*")
_LEFT_OPEN = re.compile(r"\s*(?:```|~~~|</|<\||<｜)")
_LINE = re.compile(r"[^\n]*")
_CUT = Broken("truncated", "The reply was cut short.")
_UNREADABLE = Broken("no_decision", "The JSON cannot be read.")


@dataclass(frozen=True)
class Piece:
    """A stretch of a reply that is no prose.

    Args:
        kind: said: decisions; other: a value that is none; fence; mark: not part of an answer; gone: thoughts and
            invented results; user: an invented turn of the user's begins.
        found: Its decisions.
        value: Whether they stand in a value, which may be embedded in a sentence.
    """

    kind: Kind
    start: int
    end: int
    found: tuple[Found, ...] = ()
    value: bool = False


class Scanner:
    """Cuts one reply into pieces.

    Args:
        text: The reply.
        known: The real name of a tool under any of its spellings, or None.
        parameters: A tool's parameters in order.
    """

    def __init__(self, text: str, known: Known) -> None:
        self.text = text
        self.known = known
        self.pieces: list[Piece] = []
        self._cuts = 0

    def scan(self) -> list[Piece]:
        """All pieces, in order."""
        at = 0
        while mark := markup.SCAN.search(self.text, at):
            kind = next(name for name, found in mark.groupdict().items() if name.endswith("_") and found is not None)
            at = getattr(self, f"_{kind[:-1]}")(mark)
        return self.pieces

    def _add(self, kind: Kind, start: int, end: int, *found: Found, value: bool = False) -> int:
        self.pieces.append(Piece(kind, start, end, found, value))
        return end

    def _stop(self, start: int, broken: Broken) -> int:
        """Nothing behind an attempt that is cut short or cannot be read is believed."""
        return self._add("said", start, len(self.text), broken, value=True)

    def _until(self, mark: re.Match[str], closer: str) -> tuple[int, int]:
        """Where the text up to a closer ends, and where the closer does."""
        found = self.text.find(closer, mark.end())
        return (len(self.text), len(self.text)) if found < 0 else (found, found + len(closer))

    def _thought(self, mark: re.Match[str]) -> int:
        return self._add("gone", mark.start(), self._until(mark, markup.THOUGHTS[mark[0]])[1])

    def _unthought(self, mark: re.Match[str]) -> int:
        self.pieces = [Piece("gone", 0, mark.end())]
        return mark.end()

    def _skipped(self, mark: re.Match[str]) -> int:
        return self._add("gone", mark.start(), self._until(mark, markup.SKIPPED[mark[0]])[1])

    def _user(self, mark: re.Match[str]) -> int:
        return self._add("user", mark.start(), mark.end())

    def _role(self, mark: re.Match[str]) -> int:
        return self._add("mark", mark.start(), mark.end())

    _token = _label = _role

    def _aside(self, mark: re.Match[str]) -> int:
        return self._add("gone", mark.start(), mark.end())

    def _fence(self, mark: re.Match[str]) -> int:
        return self._add("fence", mark.start(), mark.end())

    def _result(self, mark: re.Match[str]) -> int:
        """An invented result: the value behind the label, else its line."""
        at = mark.end()
        if self.text[at : at + 1] in ("{", "["):
            try:
                return self._add("gone", mark.start(), read(self.text, at)[1])
            except (Malformed, Cut):
                pass
        line = _LINE.match(self.text, at)
        return self._add("gone", mark.start(), line.end() if line else at)

    def _answer(self, mark: re.Match[str]) -> int:
        closer = next(end for begin, end in markup.ANSWERS.items() if re.match(begin, mark[0]))
        stop, end = self._until(mark, closer) if closer else (self._rest(mark.end()),) * 2
        answer = self.text[mark.end() : stop].strip()
        return self._add("said", mark.start(), end, *([Final(answer)] if answer.lower() not in NOTHING else []))

    def _rest(self, at: int) -> int:
        """Where an answer without an end mark ends."""
        found = re.compile(f"{markup.USER}|{markup.TOKEN}|{markup.RESULT}", re.MULTILINE).search(self.text, at)
        return found.start() if found else len(self.text)

    def _header(self, mark: re.Match[str]) -> int:
        form, name = next((k, v) for k, v in mark.groupdict().items() if v and not k.endswith("_"))
        if name.lower() in NOTHING:
            return self._add("mark", mark.start(), mark.end())
        fence = _FENCE.match(self.text, mark.end())
        at = fence.end() if fence else mark.end()
        if self.text[at : at + 1] == "{":
            return self._headed(mark, name, at)
        line = _LINE.match(self.text, mark.end())
        assert line is not None
        if form not in markup.BARE:
            return self._add("said", mark.start(), line.end(), ParsedCall(name))
        text = line[0].strip().removesuffix(markup.BARE[form])
        return self._add("said", mark.start(), line.end(), ParsedCall(name, call_syntax.bare(text)))

    def _headed(self, mark: re.Match[str], name: str, at: int) -> int:
        value, end = self._read(at)
        if isinstance(value, Broken):
            return self._stop(mark.start(), value)
        return self._add("said", mark.start(), end, ParsedCall(name, call_syntax.unmarked(value)))

    def _read(self, at: int) -> tuple[object, int]:
        """The value at a place, mended where that is certain, or why there is none and how far it was looked at."""
        try:
            return read(self.text, at)
        except Cut:
            return _CUT, len(self.text)
        except Malformed as exc:
            attempt = _ATTEMPT.match(self.text, at)
            if attempt and _LEFT_OPEN.match(self.text, exc.at):
                return _CUT, len(self.text)
            return (attempt and repaired(self.text, at)) or (_UNREADABLE, max(exc.at, at + 1))

    def _tag(self, mark: re.Match[str]) -> int:
        args, end = call_syntax.tagged(self.text, mark.end())
        if args is None:
            return self._stop(mark.start(), _CUT)
        return self._add("said", mark.start(), end, ParsedCall(mark["tagged"], args, all_text=True))

    def _keys(self, mark: re.Match[str]) -> int:
        args, end = call_syntax.keyed(self.text, mark.end())
        if args is None:
            return self._stop(mark.start(), _CUT)
        return self._add("said", mark.start(), end, ParsedCall(mark["keyed"], args, all_text=True))

    def _call(self, mark: re.Match[str]) -> int:
        """Python calls, one behind another; anything else that looks like one is prose."""
        start, name, at = mark.start(), mark["code"], mark.end()
        found: list[Found] = []
        while self.known(name):
            try:
                call, at = call_syntax.arguments(self.text, name, at)
            except Cut:
                return self._stop(start, _CUT)
            found.append(call)
            if (further := call_syntax.FURTHER.match(self.text, at)) is None:
                break
            name, at = further["code"], further.end()
        if found and (end := call_syntax.line_ends(self.text, at)) is not None:
            opened = "print(" in mark["before"] and not call_syntax.PRINTED.match(self.text, at)
            return self._stop(start, _CUT) if opened else self._add("said", start, end, *found)
        return mark.start("code") + 1 if not mark["before"] else mark.start("code")

    def _value(self, mark: re.Match[str]) -> int:
        value, end = self._read(mark.start())
        if not isinstance(value, Broken):
            found = decisions(value, self.known)
            return self._add("said" if found else "other", mark.start(), end, *found, value=True)
        if _ATTEMPT.match(self.text, mark.start()):
            return self._stop(mark.start(), value)
        self._cuts += value is _CUT
        if self._cuts > MOST_CUTS:
            return len(self.text)
        return mark.end() if value is _CUT else end


def texted(pieces: list[Found]) -> Iterator[Found]:
    """The same decisions, every argument of theirs a text."""
    return (replace(found, all_text=True) if isinstance(found, ParsedCall) else found for found in pieces)
