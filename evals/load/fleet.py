"""Web processes and workers on one database, and the model that they ask: each a process, on loopback, in a folder."""

import os
import signal
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import httpx

from ana.children import STDOUT, Popen, TimeoutExpired, start_python
from ana.settings import PROJECT, load_settings
from evals.load.server import Server, start_process
from evals.postgres import add_worker, serving

STOP_SECONDS = 60.0
"""How long a worker has to stop by itself."""

_TICKS = os.sysconf("SC_CLK_TCK")


class Fleet:
    """A database and what works on it. What is started here ends with the stack.

    Args:
        stack: Ends it.
        folder: Where everything is, empty.
    """

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack, self._folder, self._numbers = stack, folder, count(1)
        self._started: list[tuple[str, int]] = []
        database = folder / "postgres"
        database.mkdir()
        folder.chmod(0o711)  # PostgreSQL runs as another user, of root
        url = add_worker(stack.enter_context(serving(database)))
        env = {"ANA_DATA_DIR": folder / "data", "TRACES_DIR": folder / "traces", "LOG_FILE_PATH": folder / "ana.log"}
        self._env = {key: str(path) for key, path in env.items()}
        self._env |= {"ANA_DATABASE_URL": url, "ANA_EMBEDDINGS": "wordllama", "ANA_AUTONOMY": "act"}
        # a long history is cut, and then the state would no longer hold every message
        self._env |= {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "none", "ANA_HISTORY_TOKENS": "100000"}
        self._model = self._start("evals.load.model")
        self._env["OPENAI_BASE_URL"] = f"{self._model.url}/v1"
        self.settings = load_settings(self._env)

    def set_seconds(self, seconds: float) -> None:
        """Let the model take so long for each request."""
        httpx.put(f"{self._model.url}/seconds", json=seconds).raise_for_status()

    def serve(self) -> Server:
        """Start a web process, which carries out no run."""
        web = self._start("app.cli", "serve", "--workers", "0")
        self._started.append(("web", web.process.pid))
        return web

    def work(self) -> Popen[bytes]:
        """Start a worker."""
        with self._log("worker").open("wb") as log:
            worker = start_python("-m", "app.cli", "worker", env=self._env, stdout=log, stderr=STDOUT)
        self._stack.callback(_end, worker)
        self._started.append(("worker", worker.pid))
        return worker

    def read_processor(self) -> str:
        """Return how many seconds of processor each process has used."""
        return ", ".join(f"{name} {_read_processor(pid):.0f} s" for name, pid in self._started)

    def _start(self, *command: str) -> Server:
        server = Server(self._env, self._log(command[0]), command, PROJECT, start_process)
        self._stack.callback(server.kill)
        return server

    def _log(self, name: str) -> Path:
        return self._folder / f"{name} {next(self._numbers)}.log"


def stop(worker: Popen[bytes]) -> list[str]:
    """Ask a worker to stop, and return what is wrong if it does not by itself."""
    worker.send_signal(signal.SIGTERM)
    try:
        code = worker.wait(STOP_SECONDS)
    except TimeoutExpired:
        return [f"a worker did not stop within {STOP_SECONDS:g} s"]
    return [f"a worker ended with {code}"] if code else []


def _end(worker: Popen[bytes]) -> None:
    if worker.poll() is None:
        worker.kill()
    worker.wait()


def _read_processor(pid: int) -> float:
    """Return how many seconds of processor a process has used; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS
