"""`ana` in this process: what it prints, and its exit code, as a process of its own would give them.

A fork (tests/forks.py) is for what a process alone has: it can be killed, it may have a terminal, others see it run.
"""

import io
import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from unittest.mock import patch

from ana.output import prepare_streams
from ana.settings import PROJECT
from ana.translation import speaking
from app.cli.main import cli, run_command

Done = subprocess.CompletedProcess[str]


class Stream(io.TextIOWrapper):
    """A stream that may pass for one of a terminal's."""

    is_terminal = False

    def isatty(self) -> bool:
        return self.is_terminal


def run_here(
    *arguments: str,
    given: str = "",
    cwd: Path = PROJECT,
    env: Mapping[str, str] | None = None,
    is_terminal: bool = False,
) -> Done:
    """Run a command of `ana` to its end.

    Args:
        arguments: The command and what it is given.
        given: What is typed, or piped in.
        cwd: Its current folder.
        env: Its environment, beside this process's own.
        is_terminal: Whether it asks and shows as in a terminal.
    """
    shown = io.BytesIO(), io.BytesIO()
    stdout, stderr = (Stream(each, encoding="utf-8", newline="", write_through=True) for each in shown)
    with ExitStack() as stack:
        stdin = stack.enter_context(_typed(given))
        stdin.is_terminal = stdout.is_terminal = stderr.is_terminal = is_terminal
        stack.enter_context(chdir(cwd))
        stack.enter_context(speaking("en"))
        stack.enter_context(patch.dict(os.environ, env or {}))
        stack.enter_context(patch.multiple(sys, stdin=stdin, stdout=stdout, stderr=stderr, argv=["ana", *arguments]))
        stack.enter_context(_own_log())
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", DeprecationWarning)  # as Python does for a program
        prepare_streams()
        try:
            code: Any = run_command(lambda: cli(list(arguments)))
        except SystemExit as exc:
            code = exc.code
    texts = (each.getvalue().decode("utf-8", "replace") for each in shown)
    return Done(arguments, int(code or 0), *texts)


def run(*arguments: str) -> tuple[int, str]:
    """Run a command where this process is; return its exit code, and all that it printed."""
    done = run_here(*arguments, cwd=Path.cwd())
    return done.returncode, done.stdout + done.stderr


@contextmanager
def _typed(text: str) -> Iterator[Stream]:
    """Let standard input be a file with a text, for Python and for the system."""
    before = os.dup(0)
    with TemporaryFile() as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        file.seek(0)
        os.dup2(file.fileno(), 0)
        try:
            yield Stream(file, encoding="utf-8")
        finally:
            os.dup2(before, 0)
            os.close(before)


@contextmanager
def _own_log() -> Iterator[None]:
    """Let the command set up a log of its own, and have the one of the tests again afterwards."""
    root = logging.root
    handlers, level = [*root.handlers], root.level
    root.handlers[:] = [logging.NullHandler()]
    try:
        yield
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers[:] = handlers
        root.setLevel(level)
        logging.getLogger("ana").setLevel(logging.NOTSET)
