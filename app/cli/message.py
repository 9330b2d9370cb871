"""The message of `ana ask`: its argument, standard input, or both."""

import os
import select
import stat
import sys

from ana.errors import UserError

PATIENCE = 1.0
"""How long a pipe may be silent, in seconds: cron leaves one open in which nothing ever comes."""
LARGEST = 1_000_000
"""The longest text that is read, in bytes."""


def read_message(question: str | None) -> str | None:
    """Return the message; None if there is none.

    Args:
        question: The argument; - or None stands for standard input. Text that is piped in is added to any other.

    Raises:
        UserError: The text is too long.
    """
    if question == "-":
        return _read_input()
    text = _read_input() if _has_text() else ""
    if not question or not text:
        return text or question
    joint = "" if question.rstrip().endswith((":", "?", "!")) else ":"
    return f"{question.rstrip().rstrip('.')}{joint}\n\n{text}"


def _has_text() -> bool:
    """Whether standard input is a file, or a pipe with something in it or at its end."""
    try:
        kind = os.fstat(0).st_mode
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            return bool(select.select([0], [], [], PATIENCE)[0])
    except OSError:  # it is closed
        return False
    return stat.S_ISREG(kind)


def _read_input() -> str:
    data = sys.stdin.buffer.read(LARGEST + 1) if sys.stdin else b""
    if len(data) > LARGEST:
        raise UserError(f"The text is longer than {LARGEST:,} bytes.", "Send a part of it.")
    return data.decode("utf-8", "replace").strip()
