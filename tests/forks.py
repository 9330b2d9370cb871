"""Processes without the cost of starting one: forks of a process that has imported the program already.

Importing the program takes a second or two, which most tests of a command or a crash are not about. A fork is a process
of its own all the same: it has its own environment, current folder, input and output, it ends as an interpreter does,
and it can be killed. What a start from nothing does is tested with subprocess.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NoReturn

from ana import children
from ana.backends.chroma.client import read_settings
from ana.embedders.wordllama import embed_words
from evals.imports import source_files
from tests.shared import connect_to_shared

PROJECT = Path(__file__).parent.parent
PRELOADED = (
    *("langchain_chroma", "chromadb.api.rust", "chromadb.telemetry.product.posthog"),
    *("langchain_openai", "langchain_core.tracers.run_collector", "langchain_core.tracers.stdout"),
    *("langchain_core.tracers.context", "langchain_core.messages.block_translators.langchain_v0"),
    *("openai.resources.chat", "httpcore2", "anyio._backends._asyncio", "truststore", "jiter", "numpy.ma"),
    *("typer._adapters", "typer._click.decorators", "prompt_toolkit"),
    *("rich._emoji_codes", "rich.markdown", "rich.traceback", "encodings.ascii", "encodings.cp437"),
)
"""What libraries import when they are used."""

SAID = (
    "note: buy milk",
    "new task: call Anna tomorrow at 5",
    "done with buy milk",
    "move it to Friday",
    "what is due?",
)
"""Messages that compile what most messages are read by."""

ADDRESS = "ANA_TEST_FORKS"
"""Names the socket of the process that forks. All workers of a run of tests share it, and so do their forks."""


class Fork:
    """A process that was forked.

    Args:
        pid: Its process id.
        status: Where its exit code comes from.
    """

    def __init__(self, pid: int, status: IO[str]) -> None:
        self.pid = pid
        self._status = status
        self._code: int | None = None

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it if it still runs."""
        if self._code is None:
            with suppress(ProcessLookupError):
                self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float = 60) -> int:
        """Return its exit code, negative for a signal; kill it and raise TimeoutExpired if it does not end."""
        if (code := self._read_code(timeout)) is None:
            self.kill()
            self._read_code(60)
            raise subprocess.TimeoutExpired(f"fork {self.pid}", timeout)
        return code

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""
        return self._read_code(0)

    def _read_code(self, timeout: float) -> int | None:
        if self._code is None and select.select([self._status], [], [], timeout)[0]:
            with self._status:
                self._code = int(self._status.readline())
        return self._code


def fork(
    *arguments: str,
    stdin: int,
    stdout: int,
    stderr: int,
    cwd: Path = PROJECT,
    env: Mapping[str, str] | None = None,
) -> Fork:
    """Start `python *arguments` as a fork.

    Args:
        arguments: "-m" and a module or "-c" and a script, then what it finds in sys.argv.
        stdin: A file descriptor, as are stdout and stderr.
        stdout: Where its results go.
        stderr: Where its messages go.
        cwd: Its current folder.
        env: Its environment, beside this process's own.
    """
    request_out, request_in = os.pipe()
    status_out, status_in = os.pipe()
    given = [request_out, status_in, stdin, stdout, stderr]
    socket.send_fds(_parent(), [b"!"], given)
    os.close(request_out)
    os.close(status_in)
    os.umask(umask := os.umask(0o077))
    asked = {"arguments": arguments, "cwd": str(cwd), "env": os.environ | dict(env or {}), "umask": umask}
    with open(request_in, "w") as request:
        json.dump(asked, request)
    status = os.fdopen(status_out, buffering=1)
    return Fork(int(status.readline()), status)


@contextmanager
def start_forked(*arguments: str) -> Iterator[tuple[Fork, IO[str], IO[str]]]:
    """Start `python *arguments` as a fork: the process, where its input goes, where its output comes from.

    It is killed at the end of the block, if it still runs.
    """
    input_out, input_in = os.pipe()
    output_out, output_in = os.pipe()
    child = fork(*arguments, stdin=input_out, stdout=output_in, stderr=2)
    os.close(input_out)
    os.close(output_in)
    with os.fdopen(input_in, "w", buffering=1) as given, os.fdopen(output_out) as told:
        try:
            yield child, given, told
        finally:
            child.kill()
            child.wait()


def run_forked(
    *arguments: str, stdin: str = "", cwd: Path = PROJECT, env: Mapping[str, str] | None = None, timeout: float = 60
) -> "subprocess.CompletedProcess[str]":
    """Run `python *arguments` as a fork to its end, as subprocess.run does."""
    with ExitStack() as stack:
        source = stack.enter_context(TemporaryFile("w+", errors="surrogateescape"))
        stdout, stderr = (stack.enter_context(TemporaryFile("w+", errors="replace")) for _ in range(2))
        source.write(stdin)
        for file in (source, stdout, stderr):
            file.seek(0)
        files = {"stdin": source.fileno(), "stdout": stdout.fileno(), "stderr": stderr.fileno()}
        code = fork(*arguments, **files, cwd=cwd, env=env).wait(timeout)
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, code, stdout.read(), stderr.read())


def name_address() -> str:
    """Return where the process that forks is reached, by this process and those that it starts from now on."""
    return os.environ.setdefault(ADDRESS, f"{tempfile.gettempdir()}/ana-{os.getpid()}")


@functools.cache
def _parent() -> socket.socket:
    """A connection to the process that forks. Whoever needs it first starts it; it ends with the last connection."""
    return connect_to_shared(name_address(), _start)


def _start(address: str) -> None:
    """Start the process that forks; what connects before it is ready waits."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.forks", str(listener.fileno())],
            cwd=PROJECT,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # a process with threads cannot be forked safely
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    atexit.register(process.wait)  # after the connection is closed: the last one is called first


def fork_from_here() -> None:
    """Let this process, which must be a fork without threads, have its own forks: in the file systems that it has."""
    assert threading.active_count() == 1, threading.enumerate()
    del os.environ[ADDRESS]
    address = name_address()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        if os.fork() == 0:
            _serve(listener)
            os._exit(0)
    _parent()  # it ends with this connection, however this process ends


def _serve(listener: socket.socket) -> None:
    """Fork for each request, until the last connection is closed."""
    running: dict[int, int] = {}
    signal.signal(signal.SIGCHLD, lambda *_: _tell_ends(running))
    connections = [listener.accept()[0]]
    while connections:
        ready = select.select([listener, *connections], [], [])[0]
        if listener in ready:
            connections.append(listener.accept()[0])
        for connection in filter(connections.__contains__, ready):
            told, files, _, _ = socket.recv_fds(connection, 1, 5)
            if told:
                _fork(files, running, [listener, *connections])
            else:
                connections.remove(connection)
                connection.close()
    for name in (os.environ[ADDRESS], f"{os.environ[ADDRESS]}.lock"):
        os.unlink(name)


def _tell_ends(running: dict[int, int]) -> None:
    """Tell who asked for each fork that has ended, and forget it; a signal may call this while it runs."""
    for pid in [*running]:
        with suppress(ChildProcessError):  # told by the call inside this one
            if (ended := os.waitpid(pid, os.WNOHANG)) != (0, 0):
                status = running.pop(pid)
                with suppress(BrokenPipeError):  # whoever asked has ended
                    os.write(status, f"{os.waitstatus_to_exitcode(ended[1])}\n".encode())
                os.close(status)


def _fork(files: list[int], running: dict[int, int], sockets: list[socket.socket]) -> None:
    """Start a fork and note where its end is to be told. Return in the parent only."""
    request, status, *streams = files
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # a run of tests that a script started in the background hands on that interrupts are ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for file in (*(each.detach() for each in sockets), status, *running.values()):
            os.close(file)
        _become(request, streams)
    os.write(status, f"{pid}\n".encode())
    running[pid] = status
    for file in (request, *streams):
        os.close(file)
    # it may have ended before it was known; blocking the signal would not help, as threads of libraries get it
    _tell_ends(running)


def _become(request: int, streams: list[int]) -> NoReturn:
    """Turn this process into the one that is asked for."""
    with open(request) as file:
        asked = json.load(file)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", buffering=1 if os.isatty(1) else -1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    os.chdir(asked["cwd"])
    os.umask(asked["umask"])
    kind, what, *rest = asked["arguments"]
    sys.argv = [what if kind == "-m" else "-c", *rest]
    first = [] if os.environ.get("PYTHONSAFEPATH") else [asked["cwd"]]
    sys.path[:1] = [*first, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    _exit_code[:] = [1]
    vars(children)["run_python"] = run_forked
    try:
        if kind == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            exec(compile(textwrap.dedent(what), "<string>", "exec"), {"__name__": "__main__"})
        _exit_code[:] = [0]
    except SystemExit as end:
        _exit_code[:] = [end.code if isinstance(end.code, int) else int(end.code is not None)]
        raise
    raise SystemExit


_exit_code: list[int] = []
"""Of this process, once it is a fork."""


def _leave() -> None:
    """End a fork at the very last, without tearing down all that was imported: that takes longer than most commands."""
    if _exit_code:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_exit_code[0])


def _is_for_commands(module: str) -> bool:
    return not module.startswith("evals.") and not module.endswith(".__main__")


def _read_messages() -> None:
    """Let the offline reader read some messages; it only says what it would call."""
    from langchain_core.messages import HumanMessage, SystemMessage

    from ana.models.base import PROMPT_DATA
    from ana.models.offline.reader import reply

    present = SystemMessage("", additional_kwargs={PROMPT_DATA: {"now": "Wednesday 2026-01-07 09:00", "lines": {}}})
    for said in SAID:
        reply([present, HumanMessage(said)])


def _main() -> None:
    atexit.register(_leave)  # the first one is called last
    gc.disable()  # until all is imported, which stays
    for name in (*PRELOADED, *filter(_is_for_commands, source_files())):
        importlib.import_module(name)
    from tests.conftest import EMBEDDER
    from tools.catalog import schemas

    EMBEDDER.embed_query("loads its model")
    embed_words(["loads", "its", "table"])
    schemas()
    read_settings()
    _read_messages()
    gc.freeze()  # memory that no fork needs to copy
    gc.enable()
    assert threading.active_count() == 1, threading.enumerate()
    _serve(socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    _main()
