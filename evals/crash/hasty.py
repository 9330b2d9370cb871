"""`ana`, missed a few seconds after it was killed or stopped and not half a minute; a fork, which has imported all.

Importing takes seconds, in which less would be begun that a kill could interrupt.
"""

import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO

from ana.threads import postgres_locks
from app.cli.main import main
from app.server import worker

LEASE_SECONDS = 2.0
BEAT_SECONDS = 1.0

_FORKS = multiprocessing.get_context("forkserver")
_IMPORTED = ("app.server.app", "app.cli.serve", "ana.embedders.wordllama", "ana.models.providers", "langchain_openai")


class Fork:
    """A process that runs `ana`."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], output: IO[bytes]) -> None:
        _FORKS.set_forkserver_preload([__name__, *_IMPORTED])
        self._process = _FORKS.Process(target=_become, args=(command, env, output.name), daemon=True)
        self._process.start()
        assert self._process.pid
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        assert self._process.exitcode is not None
        return self._process.exitcode


def start_hasty(command: Sequence[str], env: Mapping[str, str], cwd: Path, output: IO[bytes]) -> Fork:
    """Start a command of ana, as `evals.load.server.Start` does."""
    return Fork([*command], {**env}, output)


def _become(command: Sequence[str], env: Mapping[str, str], log: str) -> None:
    with Path(log).open("ab") as output:
        os.dup2(output.fileno(), sys.stdout.fileno())
        os.dup2(output.fileno(), sys.stderr.fileno())
    os.environ.update(env)
    sys.argv = [*command]
    postgres_locks.SECONDS = LEASE_SECONDS
    worker.run_worker = partial(worker.run_worker, beat=BEAT_SECONDS)
    main()
