"""Child processes, which import nothing from the current folder, because it may contain anything.

`python -m` puts the current folder first on sys.path, before the standard library. PYTHONSAFEPATH prevents that and,
unlike the option -P, holds for a child's children too, such as those that the dev server starts when the code changes.
This is the one module that starts processes.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import PIPE, STDOUT, CompletedProcess, Popen, TimeoutExpired, run
from typing import Any, NoReturn, TypeAlias

from ana.settings import PROJECT

__all__ = ["PIPE", "STDOUT", "CompletedProcess", "Popen", "TimeoutExpired"]

SAFE = {"PYTHONSAFEPATH": "1"}
Environment: TypeAlias = Mapping[str, str] | None


def run_python(
    *arguments: str,
    stdin: str = "",
    env: Environment = None,
    timeout: float | None = None,
    under: Sequence[str] = (),
) -> CompletedProcess[str]:
    """Run `python *arguments` in the project's folder to its end.

    Args:
        arguments: "-m" and a module, then the module's arguments.
        env: Its environment, beside this process's own.
        under: A program that runs it and watches it, with its options.

    Raises:
        TimeoutExpired: It did not end in time, and was killed.
    """
    command, env = [*under, sys.executable, *arguments], make_environment(env)
    pipes: dict[str, Any] = {"capture_output": True, "text": True, "errors": "replace"}
    return run(command, input=stdin, cwd=PROJECT, env=env, timeout=timeout, check=False, **pipes)


def start_python(*arguments: str, cwd: Path = PROJECT, env: Environment = None, **options: Any) -> Popen[Any]:
    """Start `python *arguments` and return the process; options as of Popen, the others as of `run_python`."""
    return Popen([sys.executable, *arguments], cwd=cwd, env=make_environment(env), **options)


def become_python(*arguments: str, env: Mapping[str, str]) -> NoReturn:
    """Replace this process by `python *arguments` with this environment, in the current folder."""
    os.execve(sys.executable, [sys.executable, *arguments], {**env, **SAFE})


def make_python_command(*arguments: str) -> list[str]:
    """Return the command `python *arguments`, for another program that must run it with SAFE."""
    return [sys.executable, *arguments]


def run_program(
    *command: str, stdin: str = "", env: Environment = None, timeout: float | None = None
) -> CompletedProcess[str]:
    """Run a program of the system to its end; a missing program counts as one that failed.

    Raises:
        TimeoutExpired: It did not end in time, and was killed.
    """
    pipes: dict[str, Any] = {"capture_output": True, "text": True, "errors": "replace"}
    try:
        whole = {**os.environ, **(env or {})}
        return run(command, input=stdin, cwd="/", env=whole, timeout=timeout, check=False, **pipes)
    except OSError as exc:
        return CompletedProcess(command, 127, "", str(exc))


def make_environment(more: Environment = None) -> dict[str, str]:
    return {**os.environ, **(more or {}), **SAFE}
