"""What people cost in one server: the memory of their open workspaces, and the first turn of the last of them."""

import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import httpx

from ana.people import People
from ana.settings import load_settings
from evals.load.server import Server, name_places, running

MANY = 100


def measure() -> Iterable[tuple[str, str]]:
    """Let many people say one thing each, one after the other."""
    with tempfile.TemporaryDirectory() as name:
        env = name_places(Path(name), ANA_EMBEDDINGS="wordllama")
        people = People(load_settings(env))
        tokens = [people.add(f"person{n}") for n in range(MANY)]
        with running(env, Path(name) / "server.log") as server:
            first = _say_hello(server, tokens[0])
            alone = _megabytes(server)
            seconds = [_say_hello(server, token) for token in tokens[1:]]
            together = _megabytes(server)
            again = _say_hello(server, tokens[-1])
    yield f"memory of `ana serve`, 1 / {MANY} people's workspaces open", f"{alone:.0f} / {together:.0f} MB"
    figures = f"{first:.2f} / {seconds[-1]:.2f} / {again:.2f} s"
    yield f"a first turn, the first person's / the {MANY}th's / the {MANY}th's next", figures


def _say_hello(server: Server, token: str) -> float:
    """Return the seconds that a turn takes."""
    begun = time.perf_counter()
    headers = {"authorization": f"Bearer {token}"}
    body = {"question": "note: the spare key is in the blue tin", "thread_id": str(begun)}
    httpx.post(f"{server.url}/ask", json=body, headers=headers, timeout=60).raise_for_status()
    return time.perf_counter() - begun


def _megabytes(server: Server) -> float:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024
