"""Processes on one database, which can be killed and started again: servers, workers, and PostgreSQL itself."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from ana.people import People
from ana.postgres.database import open_database
from ana.settings import PROJECT, load_settings
from evals.load.server import Process, Server, name_model, name_places, read_processor, start_process
from evals.postgres import PostgresServer, add_worker


class Fleet:
    """What runs for people: two servers, some workers, a database that keeps what it acknowledged, and a model.

    Args:
        stack: Ends all of it.
        folder: Where everything is; empty.
        names: The people's.
        workers: How many there are at first.
        ana: The module that is run as `ana`.
    """

    def __init__(self, stack: ExitStack, folder: Path, names: Sequence[str], workers: int, ana: str) -> None:
        self._folder, self._ana, self._begun = folder, ana, 0
        folder.chmod(0o711)  # PostgreSQL runs as another user than root
        (folder / "postgres").mkdir()
        self.database = PostgresServer(folder / "postgres")
        self.database.start()
        stack.callback(self.database.stop)
        self._model = self._start({}, "evals.load.model")
        stack.callback(self._model.kill)
        self.env = name_places(folder, ANA_EMBEDDINGS="wordllama", **name_model(self._model))
        self.env["ANA_DATABASE_URL"] = add_worker(self.database.url)
        # a long history is cut, and then the state would no longer hold every message
        self.env["ANA_HISTORY_TOKENS"] = "100000"
        self.settings = load_settings(self.env)
        people = People(self.settings)
        self.tokens = {name: people.add(name) for name in names}
        self.disconnect()
        self.workers, self.servers = list[Process](), list[Server]()
        stack.callback(self._end)
        self.workers += [self.start_worker() for _ in range(workers)]
        self.servers += [self.start_server() for _ in range(2)]

    def set_seconds(self, seconds: float) -> None:
        """Let the model take so long for each request."""
        httpx.put(f"{self._model.url}/seconds", json=[seconds, seconds]).raise_for_status()

    def start_server(self) -> Server:
        return self._start(self.env, self._ana, "serve", "--workers", "0")

    def start_worker(self) -> Process:
        """Start a worker, and return it when it works: one that finds no database at first ends with a sentence."""
        self._begun += 1
        log = self._folder / f"worker {self._begun}.log"
        with log.open("wb") as output:
            process = start_process([self._ana, "worker"], self.env, PROJECT, output)
        while "A worker for" not in log.read_text() and process.poll() is None:
            time.sleep(0.05)
        return process

    def kill_worker(self, number: int) -> None:
        """Kill a worker and start another."""
        self.workers[number].kill()
        self.workers[number].wait()
        self.workers[number] = self.start_worker()

    def kill_server(self, number: int) -> None:
        """Kill a server and start another, which has another address."""
        self.servers[number].kill()
        self.servers[number] = self.start_server()

    def kill_database(self, down: float) -> None:
        """Kill PostgreSQL, and start it again after so many seconds."""
        self.database.kill()
        time.sleep(down)
        self.database.start()

    def disconnect(self) -> None:
        """Close the connections that this process has: they would be lost with the database."""
        open_database(self.env["ANA_DATABASE_URL"]).close()

    def find_ended(self) -> list[str]:
        """Return which processes have ended that nobody killed."""
        codes = [("worker", worker.poll()) for worker in self.workers]
        codes += [("server", server.process.poll()) for server in self.servers]
        return [f"a {kind} ended by itself: exit code {code}" for kind, code in codes if code is not None]

    def read_processors(self) -> str:
        """Return how many seconds of processor each process has used."""
        pids = [("server", each.process.pid) for each in self.servers] + [("worker", each.pid) for each in self.workers]
        return ", ".join(f"{name} {read_processor(pid):.0f} s" for name, pid in pids)

    def _start(self, env: dict[str, str], *command: str) -> Server:
        return Server(env, self._folder / f"{command[0]}.log", command, PROJECT, start_process)

    def _end(self) -> None:
        for process in [*self.workers, *(each.process for each in self.servers)]:
            process.kill()
            process.wait()


@contextmanager
def open_fleet(folder: Path, names: Sequence[str], workers: int = 2, ana: str = "app.cli") -> Iterator[Fleet]:
    """Yield a fleet, which ends when the context is left. Arguments as of the class."""
    with ExitStack() as stack:
        yield Fleet(stack, folder, names, workers, ana)
