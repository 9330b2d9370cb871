"""A pseudo-terminal in which `ana` runs."""

import os
import pty
import select
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.forks import PROJECT, fork
from tests.waiting import PATIENCE


class Terminal:
    """`ana` in a pseudo-terminal.

    Args:
        env: Its environment, beside this process's own.
        arguments: Its command line; none for the REPL.
        cwd: Its current folder.
        script: Python code that is run in place of `ana`.
    """

    def __init__(self, env: Mapping[str, str], *arguments: str, cwd: Path = PROJECT, script: str | None = None) -> None:
        self._master, slave = pty.openpty()
        env = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "PYTHONPATH": str(PROJECT), **env}
        streams = {"stdin": slave, "stdout": slave, "stderr": slave}
        started = ("-c", script) if script else ("-m", "app.cli", *arguments)
        self.process = fork(*started, **streams, cwd=cwd, env=env)
        os.close(slave)
        self.seen = ""

    def until(self, text: str, seconds: float = PATIENCE, times: int = 1) -> None:
        """Read until a text was shown so many times."""
        end = time.monotonic() + seconds
        while self.seen.count(text) < times and time.monotonic() < end:
            self._read(0.2)
        assert self.seen.count(text) >= times, self.seen[-2000:]

    def until_hidden(self) -> None:
        """Read until what is typed is not shown: what was typed before that is dropped."""
        end = time.monotonic() + PATIENCE
        while termios.tcgetattr(self._master)[3] & termios.ECHO:
            assert time.monotonic() < end, self.seen[-2000:]
            self._read(0.02)

    def read_to_end(self) -> str:
        """Return all that it shows until it ends."""
        while self._read(40):
            pass
        self.process.wait(PATIENCE)
        return self.seen

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            self.seen += os.read(self._master, 65536).decode(errors="replace")
        except OSError:  # nobody has the other side open any more
            return False
        return True


@contextmanager
def chatting(env: Mapping[str, str]) -> Iterator[Terminal]:
    """Yield a terminal at its first prompt."""
    with Terminal(env) as terminal:
        terminal.until("/help shows the commands.")
        yield terminal
