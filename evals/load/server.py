"""The real dev server, started on loopback for a measurement or a test and stopped by its process id."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from ana.settings import PROJECT


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A running dev server.

    Args:
        env: Its environment, beside this process's own.
        log: Where its output goes.
        command: A module and its arguments, instead of `ana serve`.
        cwd: Its current folder.
    """

    def __init__(
        self, env: Mapping[str, str], log: Path, command: Sequence[str] | None = None, cwd: Path = PROJECT
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = log
        command = [sys.executable, "-m", *(command or ("app.cli", "serve")), "--port", str(self.port), "--no-reload"]
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                command, cwd=cwd, env=os.environ | dict(env), stdout=output, stderr=subprocess.STDOUT
            )
        self._wait()

    def kill(self) -> None:
        """End it at once, as a crash would (kill -9)."""
        self.process.kill()
        self.process.wait()

    def _wait(self) -> None:
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                if httpx.get(f"{self.url}/ok", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.1)
        self.kill()
        raise AssertionError(f"the server did not start:\n{self._log.read_text()[-3000:]}")


@contextmanager
def running(
    env: Mapping[str, str], log: Path, command: Sequence[str] | None = None, cwd: Path = PROJECT
) -> Iterator[Server]:
    server = Server(env, log, command, cwd)
    try:
        yield server
    finally:
        server.kill()
