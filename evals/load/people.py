"""Three people in one server, each with 40 messages at once to a thread of theirs; then long work beside a "hello".

Every message is answered once, in one order, where it belongs and nowhere else. What one person begins, be it runs
without an end or more requests than the server answers at once, does not hold up another.
"""

import asyncio
import tempfile
import time
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from ana.people import People
from ana.runs.slots import EACH
from ana.settings import Settings, load_settings
from evals.load.person import Person, say
from evals.load.server import running

NAMES = ("anna", "ben", "cleo")
STREAMED, WAITED, ASKED = 14, 13, 13
"""How many messages of each person come through each door."""

SECONDS = 150.0
"""When all of it gives up. Nothing here is about speed; what never ends is a failure all the same."""

LONG_REQUESTS = 60
"""Requests of one person that wait behind their long runs: more than a server has threads to wait in."""


async def talk(person: Person) -> None:
    """Send all messages of a person to one thread at once, through every door."""
    doors = [*[person.stream] * STREAMED, *[person.wait] * WAITED, *[person.ask] * ASKED]
    thread = await person.open_thread()
    await asyncio.gather(*(door(thread) for door in doors))


async def hold_up(busy: Person, other: Person) -> list[str]:
    """Let one person begin runs without an end, and send more behind them; return whether another is held up."""
    runs = {}
    for _ in range(EACH):
        thread = str(uuid.uuid4())
        run = await busy.sdk.runs.create(thread, "ana", input=say("long work"), if_not_exists="create")
        runs[thread] = run["run_id"]
    requests = [busy.post("/ask", question="hello", thread_id=next(iter(runs))) for _ in range(LONG_REQUESTS)]
    waiting = [asyncio.create_task(each) for each in requests]
    while not await _all_work(busy, runs):
        await asyncio.sleep(0.05)
    thread = await other.open_thread()
    begun = time.monotonic()
    await asyncio.gather(other.ask(thread), other.wait(thread))
    took = time.monotonic() - begun
    print(f"two messages beside {EACH} long runs and {LONG_REQUESTS} requests of another: {took:.1f} s")
    ended = [each for each in waiting if each.done()]
    held_up = [] if await _all_work(busy, runs) and not ended else [f"{other.name} waited for what {busy.name} began"]
    for each in waiting:
        each.cancel()
    for thread, run in runs.items():
        await busy.sdk.runs.cancel(thread, run, wait=True)
    return [*held_up, *other.wrong]


async def _all_work(person: Person, runs: Mapping[str, str]) -> bool:
    """Return whether these runs, by their threads, all work."""
    states = [await person.sdk.runs.get(thread, run) for thread, run in runs.items()]
    return all(state["status"] == "running" for state in states)


async def play(url: str, settings: Settings, tokens: Mapping[str, str]) -> list[str]:
    """Return what is wrong after all have talked at once."""
    people = [Person(name, token, [url]) for name, token in tokens.items()]
    try:
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*(talk(each) for each in people))
            faults = [fault for each in people for fault in await each.find_faults(settings)]
            return faults or await hold_up(people[0], people[1])
    except TimeoutError:
        return [f"it did not end within {SECONDS:g} s", *(fault for each in people for fault in each.wrong)]


def run(folder: Path) -> list[str]:
    """Play it in a folder, on servers of its own."""
    places = {"ANA_DATA_DIR": folder / "data", "TRACES_DIR": folder / "traces", "LOG_FILE_PATH": folder / "ana.log"}
    env = {key: str(path) for key, path in places.items()} | {"ANA_EMBEDDINGS": "wordllama", "LLM_PROVIDER": "openai"}
    # a long history is cut, and then the state would no longer hold every message
    env |= {"OPENAI_API_KEY": "none", "ANA_HISTORY_TOKENS": "100000"}
    with ExitStack() as stack:
        model = stack.enter_context(running({}, folder / "model.log", ("evals.load.model",)))
        env["OPENAI_BASE_URL"] = f"{model.url}/v1"
        settings = load_settings(env)
        tokens = {name: People(settings).add(name) for name in NAMES}
        server = stack.enter_context(running(env, folder / "serve.log", ("app.cli", "serve")))
        return asyncio.run(play(server.url, settings, tokens))


def main() -> int:
    """Run it once."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        faults = run(Path(name))
    print(f"{len(NAMES)} people in one server, {STREAMED + WAITED + ASKED} messages of each at once")
    print("\n".join([f"{len(faults)} faults, {time.monotonic() - begun:.0f} s", *(f"- {each}" for each in faults)]))
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
