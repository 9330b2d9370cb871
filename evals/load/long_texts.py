"""One person sends texts that a reader of texts might be slow with; another's requests are answered within a second.

On two servers: one with the offline reader, and one with a model that answers, whose drafts are checked.
"""

import asyncio
import random
import time
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

import httpx

from ana.people import People
from ana.settings import load_settings
from evals import long_runs
from evals.load.server import name_model, name_places, running

NUMBERS = ", ".join(str(random.Random(0).randrange(1000)) for _ in range(900))
TEXTS = {
    "a few words": "hello",
    "lines": "a\n" * 10_000,
    "question marks": "?" * 16_000,
    "fractions": "3/4 " * 5_000,
    "fractions in a question": f"What is {'3/4 ' * 5_000}?",
    "numbers": f"What of {NUMBERS}?",
    "spaces": f"a{' ' * 90_000}b",
    "quotes": "“'\"" * 30_000,
    "brackets": '{"a": [' * 14_000,
    "characters without spaces": "漢字。" * 33_000,
    "words": "tomorrow at 3 or every friday, " * 3_200,
}
"""What is sent, by its name: first what once stopped a server for all. A message has at most 100,000 characters."""

SECONDS = 1.0
"""How long another person may wait for an answer."""

PAUSE = 0.02
"""Seconds between two requests of the other person."""

MOST_SECONDS = 120.0
"""When a message that is not answered is given up."""


async def hold_up(busy: httpx.AsyncClient, other: httpx.AsyncClient, text: str) -> tuple[float, float, float]:
    """Let one person send a text; return how long it took, and how long at most another's GET /ok and POST /ask did."""
    begun = time.monotonic()
    sending = asyncio.create_task(busy.post("/ask", json={"question": text}))
    ok, ask = await asyncio.gather(*(_ask_until(sending, other, path) for path in ("/ok", "/ask")))
    (await sending).raise_for_status()
    return time.monotonic() - begun, ok, ask


async def _ask_until(sending: "asyncio.Task[httpx.Response]", person: httpx.AsyncClient, path: str) -> float:
    """Ask again and again until what is sent is answered, and return how long the slowest answer took."""
    slowest = 0.0
    while not sending.done():
        start = time.monotonic()
        reply = await (person.get(path) if path == "/ok" else person.post(path, json={"question": "hello"}))
        reply.raise_for_status()
        slowest = max(slowest, time.monotonic() - start)
        await asyncio.sleep(PAUSE)
    return slowest


async def play(url: str, tokens: Mapping[str, str], model: str) -> list[str]:
    """Return which texts held another person up, or were not answered."""
    wrong = list[str]()
    async with _sign_in(url, tokens["anna"]) as busy, _sign_in(url, tokens["ben"]) as other:
        for person in (busy, other):  # the first message opens a person's folder
            (await person.post("/ask", json={"question": "hello"})).raise_for_status()
        for name, text in TEXTS.items():
            try:
                async with asyncio.timeout(MOST_SECONDS):
                    took, ok, ask = await hold_up(busy, other, text)
            except TimeoutError:
                return [*wrong, f"{model}, {name}: not answered within {MOST_SECONDS:g} s"]
            print(f"{model}, {name}: answered in {took:.2f} s; meanwhile GET /ok {ok:.2f} s, POST /ask {ask:.2f} s")
            if max(ok, ask) > SECONDS:
                wrong.append(f"{model}, {name}: another person waited {max(ok, ask):.1f} s")
    return wrong


def _sign_in(url: str, token: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=MOST_SECONDS)


def run(folder: Path, _: Namespace) -> list[str]:
    """Return what is wrong on two servers in an empty folder: one with the offline reader, one with a model."""
    with running({}, folder / "model.log", ("evals.load.model",)) as model:
        models = {"offline": dict[str, str](), "a model": name_model(model)}
        return [fault for name, more in models.items() for fault in _serve(folder / name, name, more)]


def _serve(folder: Path, model: str, more: Mapping[str, str]) -> list[str]:
    folder.mkdir()
    env = name_places(folder, ANA_EMBEDDINGS="wordllama", **more)
    tokens = {name: People(load_settings(env)).add(name) for name in ("anna", "ben")}
    with running(env, folder / "serve.log") as server:
        return asyncio.run(play(server.url, tokens, model))


if __name__ == "__main__":
    raise SystemExit(long_runs.run(run, __doc__))
