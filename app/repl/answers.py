"""Answers in the REPL: what the receipt says is not said twice, and a hint is given once."""

import re
from typing import TYPE_CHECKING

from ana.memory.receipts import list_changes
from app.show.answers import show_answer, show_changes, show_text
from app.show.text import say

if TYPE_CHECKING:
    from app.outcome import Done

_TOLD = re.compile(
    r"(?:Kept|Done:|Moved:|Deleted:|I will remember about you:) .*?(?=“undo” takes it back\.)|Taken back\. ", re.S
)
"""How the offline reader names what it wrote: the receipt below names it as well."""

_HINTS = re.compile(r"“undo” takes it back\.|I cannot ring: [^.]*\.|/redo brings it back\.")

_TWINS = (
    (re.compile(r"`ana undo --turn [^`]+`"), "/redo"),
    (re.compile(r"`ana (due|items)`"), r"/\1"),
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
        changes = list_changes(answer.changes, answer.receipt, answer.question)
        if not answer.composed:
            show_answer(answer)
            return
        text = name_commands(answer.answer)
        if answer.changes and changes:
            text = _TOLD.sub("", text, count=1)
        hints = _HINTS.findall(text)
        if text := " ".join(_HINTS.sub("", text).split(" ")).strip():
            show_text(text)
        show_changes(changes)
        if new := [hint for hint in hints if hint not in self._given]:
            say(f"  {' '.join(new)}", style="dim")
        self._given.update(hints)
