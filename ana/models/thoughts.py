"""What a model thinks before it answers, where a server leaves that in the text: taken off while it streams.

A thought stands between tags. Some templates open it in the prompt, so that the reply has the end alone; and where a
reply is cut, the end is missing. A tag in quotes is only spoken of. All is read once, from left to right.
"""

import re
from dataclasses import dataclass, field

TAGS = {
    **{f"<{name}>": f"</{name}>" for name in ("think", "thinking", "thought", "reasoning")},
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel|>analysis<|message|>": "<|end|>",
}
"""What begins a thought, and what ends it."""
LONE = ("</think>", "</thinking>")
"""Ends that may stand alone: everything before them was thought."""

_ALL = (*TAGS, *LONE)
_TAG = re.compile("|".join(map(re.escape, _ALL)))
_QUOTES = tuple("\"'`“‘«„*(")
"""What stands before a tag that is only spoken of."""
_BLANKS = (" ", "\t")


@dataclass
class Part:
    """What a piece of a reply comes to.

    Args:
        said: What is said in it, piece by piece.
        thought: What is thought in it.
        withdraws: Whether what was said before it was thought, and is so no longer.
    """

    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    withdraws: bool = False


class Thoughts:
    """Takes thoughts off a reply that comes in pieces."""

    def __init__(self) -> None:
        self._end = ""
        """What ends the thought in which the reply is; empty outside of one."""
        self._doubtful: list[str] = []
        """What has come of a thought that began amid a line: without its end it is none."""
        self._held = ""
        """The end of what has come, where it may become a tag."""
        self._first = self._last = ""
        """The first and the last character that were said; empty before."""
        self._is_fresh = True
        """Whether only blanks were said in this line."""

    @property
    def is_open(self) -> bool:
        """Whether a thought has not ended."""
        return bool(self._end)

    def feed(self, piece: str) -> Part:
        """Return what the next piece of the reply comes to."""
        part, text, at = Part(), self._held + piece, 0
        self._held = ""
        while at < len(text):
            at = self._think(text, at, part) if self._end else self._speak(text, at, part)
        return part

    def finish(self) -> Part:
        """Return what was held back."""
        part, held, self._held = Part(), self._held, ""
        if self._end and not self._doubtful:
            part.thought.append(held)
        else:
            self._end = ""
            self._say("".join([*self._doubtful, held]), part)
        return part

    def _think(self, text: str, at: int, part: Part) -> int:
        """Read a thought, and return where it ends."""
        thought, end = self._doubtful or part.thought, text.find(self._end, at)
        if end < 0:
            end = _find_beginning(text, at, (self._end,))
            thought.append(text[at:end])
            self._held = text[end:]
            return len(text)
        thought.append(text[at:end])
        part.thought += self._doubtful[1:]
        end += len(self._end)
        self._end, self._doubtful = "", []
        return end

    def _speak(self, text: str, at: int, part: Part) -> int:
        """Read up to the next tag and over it, and return where that is."""
        tag = _TAG.search(text, at)
        end = tag.start() if tag else _find_beginning(text, at, _ALL)
        self._say(text[at:end], part)
        if tag is None:
            self._held = text[end:]
            return len(text)
        if tag[0] in TAGS and self._is_meant():
            self._end = TAGS[tag[0]]
            self._doubtful = [] if self._is_fresh else [tag[0]]
        elif tag[0] in LONE and self._ends_alone():
            part.thought += part.said
            part.said, part.withdraws = [], True
            self._first, self._is_fresh = "", True
        else:
            self._say(tag[0], part)
        return tag.end()

    def _say(self, text: str, part: Part) -> None:
        if not self._first:  # blanks before an answer and after a thought are neither
            text = text.lstrip()
            self._first = text[:1]
        if text:
            part.said.append(text)
            line = text.rpartition("\n")
            self._is_fresh = (self._is_fresh or bool(line[1])) and not line[2].strip()
            self._last = text[-1]

    def _is_meant(self) -> bool:
        """Return whether a tag here is one; in JSON it is content."""
        return self._first not in ("{", "[") and (self._is_fresh or self._last not in _QUOTES)

    def _ends_alone(self) -> bool:
        """Return whether an end here ends a thought that the prompt began."""
        return self._is_meant() and (self._is_fresh or self._last not in _BLANKS)


def _find_beginning(text: str, at: int, tags: tuple[str, ...]) -> int:
    """Return where a text ends in the beginning of a tag; its length if it does not."""
    for start in range(max(at, len(text) - max(map(len, tags)) + 1), len(text)):
        if any(tag.startswith(text[start:]) for tag in tags):
            return start
    return len(text)
