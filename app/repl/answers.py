"""Answers in the REPL: what the receipt says is not said twice, and a hint is given once."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ana.memory.receipts import list_changes
from app.show.answers import show_answer, show_changes, show_text
from app.show.text import say

if TYPE_CHECKING:
    from app.outcome import Done

_TOLD = re.compile(
    r"(?:Kept|Done:|Moved:|Deleted:|I will remember about you:) .*?(?=“undo” takes it back\.)"
    r"|Taken back\. “undo [^”]+”(?= brings it back\.)",
    re.DOTALL,
)
"""How the offline reader tells what it wrote, which its receipt tells as well."""

_HINTS = re.compile(r"“undo” takes it back\.|I cannot ring: .*?in `ana due`\.|(?<=^ )brings it back\.")

_MORE = re.compile(r"^(… and \d+ more): `ana due`, `ana items`\.$", re.MULTILINE)

_TWINS = (
    (re.compile(r"`ana due`"), "/due"),
    (re.compile(r"`ana threads list`"), "/threads"),
    (re.compile(r" `ana history` shows [^.]+\."), ""),
)
"""Commands of the shell, and what does the same here."""


def name_commands(text: str) -> str:
    """Return a sentence of ours with this program's commands in place of the shell's."""
    for of_shell, ours in _TWINS:
        text = of_shell.sub(ours, text)
    return text


class Answers:
    """Shows answers, and remembers which hints it gave."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def show(self, answer: "Done") -> None:
        """Print an answer and what was changed."""
        text = answer.answer
        if not answer.composed or not answer.changes:
            show_answer(replace(answer, answer=_MORE.sub(r"\1: /due, /items.", text) if answer.composed else text))
            return
        text = _TOLD.sub("", text, count=1)
        hints = [f"/redo {hint}" if hint.startswith("brings") else name_commands(hint) for hint in _HINTS.findall(text)]
        if text := _HINTS.sub("", text).strip():
            show_text(text)
        show_changes(list_changes(answer.changes, answer.receipt, answer.question))
        if new := [hint for hint in hints if hint not in self._given]:
            say(f"  {' '.join(new)}", style="dim")
        self._given.update(hints)
