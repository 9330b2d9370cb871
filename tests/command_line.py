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
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ana.output import prepare_streams
from ana.settings import PROJECT
from app.cli.main import cli, run_command

Done = subprocess.CompletedProcess[str]


def run_here(*arguments: str, given: str = "", cwd: Path = PROJECT, env: Mapping[str, str] | None = None) -> Done:
    """Run a command of `ana` to its end.

    Args:
        arguments: The command and what it is given.
        given: What is typed, or piped in.
        cwd: Its current folder.
        env: Its environment, beside this process's own.
    """
    stdin, stdout, stderr = (
        io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors=errors, newline=newline, write_through=True)
        for data, errors, newline in (
            (given.encode("utf-8", "surrogateescape"), "surrogateescape", None),
            (b"", "strict", ""),
            (b"", "backslashreplace", ""),
        )
    )
    streams = patch.multiple(sys, stdin=stdin, stdout=stdout, stderr=stderr, argv=["ana", *arguments])
    with chdir(cwd), patch.dict(os.environ, env or {}), streams, _own_log(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as Python does for a program
        prepare_streams()
        try:
            code: Any = run_command(lambda: cli(list(arguments)))
        except SystemExit as exc:
            code = exc.code
    texts = (each.buffer.getvalue().decode("utf-8", "replace") for each in (stdout, stderr))  # type: ignore[attr-defined]
    return Done(arguments, int(code or 0), *texts)


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
