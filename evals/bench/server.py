"""A turn through our server against the same turn through a plain route around create_agent: CPU, and what is added."""

import asyncio
import statistics
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

import httpx

from evals.load.server import SERVE, Server, name_model, name_places, read_processor, running

AT_ONCE = 4
"""Conversations that go on at the same time."""

TURNS = 5
"""Of each conversation; the first is not counted."""

STEP_SECONDS = 0.5
"""What a model call takes; a turn has two, one that calls a tool and one that answers."""

PLAIN, MODEL = ("evals.bench.plain_server",), ("evals.load.model",)

Ask = Callable[[httpx.AsyncClient, str], Awaitable[httpx.Response]]


def measure() -> Iterable[tuple[str, str]]:
    """Measure both servers, one after the other, three times."""
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        folder = Path(place)
        model = stack.enter_context(running({}, folder / "model.log", MODEL))
        httpx.put(f"{model.url}/seconds", json=[STEP_SECONDS, STEP_SECONDS]).raise_for_status()
        ours, plain = (
            stack.enter_context(
                running(name_places(folder / name, **name_model(model)), folder / f"{name}.log", command)
            )
            for name, command in (("ours", SERVE), ("plain", PLAIN))
        )
        rounds = [(asyncio.run(_play(ours, _ask_ours)), asyncio.run(_play(plain, _ask_plain))) for _ in range(3)]
    cpu = [statistics.median(each[side][0] for each in rounds) for side in (0, 1)]
    added = [statistics.median(each[side][1] for each in rounds) - 2 * STEP_SECONDS for side in (0, 1)]
    figures = f"{cpu[0] * 1000:.0f} / {cpu[1] * 1000:.0f} ms = {cpu[0] / cpu[1]:.2f}"
    yield "CPU of a turn through the API, ours / a plain route (goal 1.5)", figures
    yield (
        f"  what is added to a model of 1 s, {AT_ONCE} at once, p50",
        f"{added[0] * 1000:.0f} / {added[1] * 1000:.0f} ms",
    )


async def _ask_ours(client: httpx.AsyncClient, thread: str) -> httpx.Response:
    body = {"assistant_id": "ana", "input": {"messages": [_say()]}, "if_not_exists": "create"}
    return await client.post(f"/threads/{thread}/runs/wait", json=body)


async def _ask_plain(client: httpx.AsyncClient, thread: str) -> httpx.Response:
    return await client.post(f"/turn/{thread}", json={"messages": [_say()]})


def _say() -> dict[str, str]:
    return {"role": "user", "content": "where is the milk?"}


async def _play(server: Server, ask: Ask) -> tuple[float, float]:
    """Return a turn's CPU seconds, and the median of its seconds."""
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        threads = [str(uuid.uuid4()) for _ in range(AT_ONCE)]
        await asyncio.gather(*(_time(client, ask, thread) for thread in threads))
        before = read_processor(server.process.pid)
        seconds = await asyncio.gather(*(_converse(client, ask, thread) for thread in threads))
        spent = read_processor(server.process.pid) - before
    times = [each for conversation in seconds for each in conversation]
    return spent / len(times), statistics.median(times)


async def _converse(client: httpx.AsyncClient, ask: Ask, thread: str) -> list[float]:
    return [await _time(client, ask, thread) for _ in range(TURNS - 1)]


async def _time(client: httpx.AsyncClient, ask: Ask, thread: str) -> float:
    begun = time.perf_counter()
    (await ask(client, thread)).raise_for_status()
    return time.perf_counter() - begun
