"""`ana chat` in a pseudo-terminal, as a person has it."""

import os
import pty
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ana.settings import PROJECT
from tests.forks import fork


class Terminal:
    """`ana chat` in a pseudo-terminal."""

    def __init__(self, env: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        env = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "PYTHONPATH": str(PROJECT)} | env
        self.process = fork("-m", "app.cli", "chat", env=env, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.seen = ""

    def until(self, text: str, seconds: float = 40) -> None:
        end = time.monotonic() + seconds
        while text not in self.seen and time.monotonic() < end:
            if select.select([self._master], [], [], 0.2)[0]:
                self.seen += os.read(self._master, 65536).decode(errors="replace")
        assert text in self.seen, self.seen[-2000:]

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


@contextmanager
def chatting(env: dict[str, str]) -> Iterator[Terminal]:
    """A terminal at its first prompt."""
    terminal = Terminal(env)
    try:
        terminal.until("/help shows the commands.")
        yield terminal
    finally:
        terminal.close()
