"""The dev server as a fork (see tests/forks.py): it imports little more than langgraph_api, which reads settings then.

The start from nothing is shown by the tests that use `running` itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO

from evals.load.server import Process, Server, running
from tests.forks import fork

Serve = Callable[[Mapping[str, str], Path], AbstractContextManager[Server]]
"""Runs a server with an environment and a file for its output."""

BECOME = """
    import asyncio, os, runpy, sys

    sleep = asyncio.sleep
    asyncio.sleep = lambda delay, result=None: sleep(0.02 if delay == 0.5 else delay, result)

    def become(_, command, env):
        os.environ.clear()
        os.environ.update(env)
        sys.argv[1:] = command[3:]
        runpy.run_module(command[2], run_name="__main__", alter_sys=True)

    os.execve = become
    sys.argv.pop(1)
    from app.cli.main import main
    main()
"""
"""`ana dev`, but it becomes the server in the same process, which looks for runs more often than twice a second."""


def _start(command: Sequence[str], env: Mapping[str, str], cwd: Path, output: IO[bytes]) -> Process:
    out = output.fileno()
    with open("/dev/null") as nothing:
        return fork("-c", BECOME, *command, stdin=nothing.fileno(), stdout=out, stderr=out, cwd=cwd, env=env)


def serving(env: Mapping[str, str], log: Path) -> AbstractContextManager[Server]:
    """A running `ana dev`."""
    return running(env, log, ("app.cli", "dev", "--no-reload"), start=_start)


def fork_module(command: Sequence[str], env: Mapping[str, str], cwd: Path, output: IO[bytes]) -> Process:
    out = output.fileno()
    with open("/dev/null") as nothing:
        return fork("-m", *command, stdin=nothing.fileno(), stdout=out, stderr=out, cwd=cwd, env=env)


def own_serving(env: Mapping[str, str], log: Path) -> AbstractContextManager[Server]:
    """A running `ana serve`."""
    return running(env, log, start=fork_module)


@contextmanager
def demo_serving(env: Mapping[str, str], log: Path) -> Iterator[Server]:
    """A running `ana demo`, which removes its folder at the end."""
    with running(env, log, ("app.cli", "demo"), start=fork_module) as server:
        yield server
        if server.process.poll() is None:
            server.stop()
