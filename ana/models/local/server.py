"""The server of a GGUF file: started, started again after it was killed, and gone with this process."""

import atexit
import json
import logging
import os
import secrets
import socket
import tempfile
import threading
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from ana import children
from ana.errors import ConfigError, ModelFailed
from ana.installing import describe_install
from ana.models.local.child import Order
from ana.output import tell

LIBRARY = "xllamacpp"
CHILD = ("-m", "ana.models.local.child")
MAGIC = b"GGUF"
SECONDS = 600
"""How long a file may take to load."""
ROOM = 8192
"""Tokens of a conversation beside its history: the prompt, tools, results and the reply."""
LONGEST = 1024
"""Tokens of a reply unless MAX_TOKENS says otherwise: a weak model may repeat itself until it is stopped."""
_ANOTHER = "Set ANA_LOCAL_MODEL to another GGUF file."
_SMALLER = "Set ANA_LOCAL_MODEL to a smaller GGUF file, or lower ANA_HISTORY_TOKENS."

_log = logging.getLogger(__name__)


class LocalServer:
    """llama.cpp's server for one file.

    Args:
        context: The length of a conversation, in tokens.
        longest: The length of a reply, in tokens.

    Raises:
        ConfigError: The library is not installed, or the file is none that could be loaded.
    """

    def __init__(self, path: Path, context: int, longest: int) -> None:
        check_installed()
        check_file(path)
        self.path = path
        self.key = secrets.token_urlsafe(24)
        self.url = ""
        self._order = Order(path=str(path), port=0, key=self.key, context=context, longest=longest)
        self._process: children.Popen[str] | None = None
        self._starting = threading.Lock()

    def start(self) -> None:
        """Return when the server answers; nothing is done while it runs.

        Raises:
            ConfigError: The file could not be loaded.
            ModelFailed: It was killed, and its port is taken by another program meanwhile.
        """
        with self._starting:
            if self._process is not None and self._process.poll() is None and self._listens():
                return
            again = bool(self.url)
            tell(f"Loading {self.path.name} ({self.path.stat().st_size / 1e6:,.0f} MB)…")
            with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
                answer = self._launch(log)
                if url := answer.get("url"):
                    self.url, self._order["port"] = url, int(url.rpartition(":")[2])
                    return
                self._explain_failure(answer, log, again=again)

    def stop(self) -> None:
        """End the server; `start` starts it again."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                pipe.close()

    def _listens(self) -> bool:
        """Return whether the port is open: a process that dies has closed it a moment before it is gone."""
        try:
            socket.create_connection(("127.0.0.1", self._order["port"]), timeout=SECONDS).close()
        except ConnectionRefusedError:
            return False
        return True

    def _launch(self, log: IO[str]) -> dict[str, str]:
        """Start the process and return its answer; empty if it ended without one."""
        self.stop()
        # Ctrl-C in a terminal goes to every process of a session: there it stops a turn, and not the model
        pipes: dict[str, Any] = {"stdin": children.PIPE, "stdout": children.PIPE, "stderr": log, "text": True}
        process = self._process = children.start_python(*CHILD, start_new_session=True, **pipes)
        assert process.stdin is not None
        assert process.stdout is not None
        patience = threading.Timer(SECONDS, process.kill)
        patience.start()
        try:
            process.stdin.write(json.dumps(self._order) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:  # it ended before it read
            line = ""
        if not line:
            process.wait()  # or it would be ended here before it is known how it ended
        patience.cancel()
        return dict(json.loads(line)) if line else {}

    def _explain_failure(self, answer: dict[str, str], log: IO[str], *, again: bool) -> None:
        assert self._process is not None
        self.stop()
        log.seek(0)
        said = log.read()[-4000:]
        _log.warning("%s could not be served: %s\n%s", self.path, answer, said)
        if again and answer:
            raise ModelFailed(
                f"The server of {self.path.name} ended, and could not be started again.", "Start ana again."
            )
        if answer:
            raise ConfigError(f"{self.path} is damaged, or of a kind that llama.cpp cannot run.", _ANOTHER)
        if self._process.returncode < 0:  # a signal
            raise ConfigError(f"Loading {self.path} was ended by the system: the memory may be too small.", _SMALLER)
        why = "".join(said.strip().splitlines()[-1:])
        raise ConfigError(f"llama.cpp could not be started: {why}.", f"{describe_install('llama.cpp')} again.")


@cache
def open_server(path: Path, context: int, longest: int) -> LocalServer:
    """Return the process's running server of a file. Arguments and errors as of `LocalServer`."""
    server = LocalServer(path, context, longest)
    server.start()
    atexit.register(server.stop)
    return server


def check_installed() -> None:
    """Check that the library is there, without loading it.

    Raises:
        ConfigError: It is not.
    """
    if find_spec(LIBRARY) is None:
        raise ConfigError("LLM_PROVIDER is local, but llama.cpp is not installed.", f"{describe_install('llama.cpp')}.")


def check_file(path: Path) -> None:
    """Check that a file may be a model that this machine can run.

    Raises:
        ConfigError: It is missing, no GGUF file, or larger than the memory.
    """
    try:
        with path.open("rb") as file:
            begin, size = file.read(len(MAGIC)), os.fstat(file.fileno()).st_size
    except OSError as exc:
        raise ConfigError(f"The model {path} cannot be read: {exc.strerror}.", "Correct ANA_LOCAL_MODEL.") from exc
    if begin != MAGIC:
        raise ConfigError(f"{path} is not a GGUF file.", _ANOTHER)
    memory = _measure_memory()
    if memory and size > memory:
        raise ConfigError(
            f"{path} has {size / 1e9:,.1f} GB, and this machine {memory / 1e9:,.1f} GB of memory.",
            _SMALLER,
        )


def _measure_memory() -> int:
    """Return the machine's memory in bytes; 0 where it is not known."""
    names = getattr(os, "sysconf_names", {})
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if "SC_PHYS_PAGES" in names else 0
