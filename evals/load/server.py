"""A real server, started on loopback for a measurement or a test and stopped by its process id."""

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

import httpx

from ana.children import STDOUT, start_python
from ana.settings import PROJECT


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Process(Protocol):
    """What a server needs of its process: subprocess.Popen has it, and a fork of the tests."""

    pid: int

    def poll(self) -> int | None: ...

    def send_signal(self, number: int, /) -> None: ...

    def kill(self) -> None: ...

    def wait(self, timeout: float = ...) -> int: ...


Start = Callable[[Sequence[str], Mapping[str, str], Path, IO[bytes]], Process]
"""Starts a module with its arguments: given them, its environment, its current folder, and where its output goes."""


def start_process(command: Sequence[str], env: Mapping[str, str], cwd: Path, output: IO[bytes]) -> Process:
    """Start a module and its arguments from nothing, as people do; env is beside this process's own."""
    return start_python("-m", *command, cwd=cwd, env=env, stdout=output, stderr=STDOUT)


class Server:
    """A running server.

    Args:
        env: Its environment, beside this process's own.
        log: Where its output goes.
        command: A module and its arguments.
        cwd: Its current folder.
        start: Starts it.
    """

    def __init__(self, env: Mapping[str, str], log: Path, command: Sequence[str], cwd: Path, start: Start) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = log
        with log.open("ab") as output:
            self.process = start([*command, "--port", str(self.port)], env, cwd, output)
        self._wait()

    def kill(self) -> None:
        """End it at once, as a crash would (kill -9)."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End it as a person does. One that reloads is two processes, and a killed one would leave the other."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def _wait(self) -> None:
        for _ in range(1200):
            if self.process.poll() is not None:
                break
            try:
                if httpx.get(f"{self.url}/ok", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        self.kill()
        raise AssertionError(f"the server did not start:\n{self._log.read_text()[-3000:]}")


def read_processor(pid: int) -> float:
    """Return how many seconds of processor a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


SERVE = ("app.cli", "serve")


def name_places(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of an `ana` that keeps everything in a folder and asks no model, with more of it."""
    places = {"ANA_DATA_DIR": "data", "TRACES_DIR": "traces", "LOG_FILE_PATH": "ana.log"}
    return {name: str(folder / place) for name, place in places.items()} | {"LLM_PROVIDER": "offline"} | more


def name_model(model: Server) -> dict[str, str]:
    """Return the environment of an `ana` that asks a model on this machine."""
    return {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{model.url}/v1"}


@contextmanager
def running(
    env: Mapping[str, str],
    log: Path,
    command: Sequence[str] = SERVE,
    cwd: Path = PROJECT,
    start: Start = start_process,
) -> Iterator[Server]:
    server = Server(env, log, command, cwd, start)
    try:
        yield server
    finally:
        server.kill()
