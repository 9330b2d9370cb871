"""The CPU of a turn through our server, against that of the same turn through a plain route around create_agent."""

import asyncio
import statistics
import tempfile
import uuid
from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

import httpx

from evals.bench.store import show_ratio
from evals.load.server import SERVE, Server, name_model, name_places, read_processor, running

AT_ONCE = 4
"""Conversations that go on at the same time."""

TURNS = 4
"""Of each conversation, after a first one that is not counted."""

STEP_SECONDS = 0.5
"""What a model call takes, so that the conversations meet; a turn has two calls."""

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
    mine, other = (statistics.median(side) * 1000 for side in zip(*rounds, strict=True))
    yield "CPU of a turn through the API, ours / a plain route (goal 1.5)", show_ratio(mine, other)


async def _ask_ours(client: httpx.AsyncClient, thread: str) -> httpx.Response:
    body = {"assistant_id": "ana", "input": {"messages": [_say()]}, "if_not_exists": "create"}
    return await client.post(f"/threads/{thread}/runs/wait", json=body)


async def _ask_plain(client: httpx.AsyncClient, thread: str) -> httpx.Response:
    return await client.post(f"/turn/{thread}", json={"messages": [_say()]})


def _say() -> dict[str, str]:
    return {"role": "user", "content": "where is the milk?"}


async def _play(server: Server, ask: Ask) -> float:
    """Return a turn's CPU seconds."""
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        threads = [str(uuid.uuid4()) for _ in range(AT_ONCE)]
        await asyncio.gather(*(_converse(client, ask, thread, 1) for thread in threads))
        before = read_processor(server.process.pid)
        await asyncio.gather(*(_converse(client, ask, thread, TURNS) for thread in threads))
        return (read_processor(server.process.pid) - before) / (AT_ONCE * TURNS)


async def _converse(client: httpx.AsyncClient, ask: Ask, thread: str, turns: int) -> None:
    for _ in range(turns):
        (await ask(client, thread)).raise_for_status()
