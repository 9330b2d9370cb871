"""Removes a model's thoughts before its answer, if a server leaves them in the text: taken off while streaming.

A thought is between tags. Some templates open it in the prompt, so that the reply has only the end tag; if a
reply is cut, the end tag is missing. A tag in quotes is a mention. Everything is read once, from left to right.
"""

import re
from dataclasses import dataclass, field

TAGS = {
    **{f"<{name}>": f"</{name}>" for name in ("think", "thinking", "thought", "reasoning")},
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel|>analysis<|message|>": "<|end|>",
}
"""Tags that begin and end a thought."""
LONE = ("</think>", "</thinking>")
"""End tags that may come alone: everything before them was a thought."""

_ALL = (*TAGS, *LONE)
_TAG = re.compile("|".join(map(re.escape, _ALL)))
_QUOTES = tuple("\"'`“‘«„*(")
"""Characters before a tag that is only mentioned."""
_BLANKS = (" ", "\t")


@dataclass
class Part:
    """The contents of a chunk.

    Args:
        said: Its answer text, piece by piece.
        thought: Its thoughts.
        withdraws: Whether earlier answer text turned out to be a thought.
    """

    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    withdraws: bool = False


class Thoughts:
    """Removes thoughts from a reply that comes in chunks."""

    def __init__(self) -> None:
        self._end = ""
        """The end tag of the current thought; empty outside a thought."""
        self._doubtful: list[str] = []
        """The text of a thought that began within a line; without an end tag it is not a thought."""
        self._held = ""
        """The end of the text so far, if it may become a tag."""
        self._first = self._last = ""
        """The first and last characters of the answer so far; or empty."""
        self._is_fresh = True
        """Whether this line has only blanks so far."""

    def feed(self, piece: str) -> Part:
        """Return the contents of the next chunk."""
        part, text, at = Part(), self._held + piece, 0
        self._held = ""
        while at < len(text):
            at = self._think(text, at, part) if self._end else self._speak(text, at, part)
        return part

    def finish(self) -> Part:
        """Return the text that was held back."""
        part, held, self._held = Part(), self._held, ""
        if self._end and not self._doubtful:
            part.thought.append(held)
        else:
            self._end = ""
            self._say("".join([*self._doubtful, held]), part)
        return part

    def _think(self, text: str, at: int, part: Part) -> int:
        """Read a thought, and return its end position."""
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
        """Read up to and including the next tag, and return its position."""
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
        """Return whether a tag at this position is a tag; inside JSON it is content."""
        return self._first not in ("{", "[") and (self._is_fresh or self._last not in _QUOTES)

    def _ends_alone(self) -> bool:
        """Return whether an end tag at this position ends a thought that began in the prompt."""
        return self._is_meant() and (self._is_fresh or self._last not in _BLANKS)


def _find_beginning(text: str, at: int, tags: tuple[str, ...]) -> int:
    """Return the position of an incomplete tag at the end of a text; the text's length if there is none."""
    for start in range(max(at, len(text) - max(map(len, tags)) + 1), len(text)):
        if any(tag.startswith(text[start:]) for tag in tags):
            return start
    return len(text)
