"""Three people in one server, each with 40 messages at once to a thread of theirs; then long work beside a "hello".

Every message is answered once, in one order, where it belongs and nowhere else. What one person begins, be it runs
without an end or more requests than the server answers at once, does not hold up another.
"""

import asyncio
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk import get_client

from ana.handles import open_data
from ana.people import People
from ana.runs.slots import EACH
from ana.settings import PROJECT, Settings, load_settings
from ana.workspace import open_workspace
from evals.load.server import Server, start_process

NAMES = ("anna", "ben", "cleo")
STREAMED, WAITED, ASKED = 14, 13, 13
"""How many messages of each person come through each door."""

SECONDS = 150.0
"""When all of it gives up. Nothing here is about speed; what never ends is a failure all the same."""

LONG_REQUESTS = 60
"""Requests of one person that wait behind their long runs: more than a server has threads to wait in."""


@dataclass
class Person:
    """Somebody who talks.

    Args:
        name: Who.
        token: Theirs.
        url: The server.
        thread: The thread of theirs.
    """

    name: str
    token: str
    url: str
    thread: str = field(default_factory=lambda: str(uuid.uuid4()))
    said: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sdk: Any = get_client(url=self.url, api_key=self.token, timeout=SECONDS)

    async def talk(self) -> None:
        """Send all messages at once, through every door."""
        doors = [*[self.stream] * STREAMED, *[self.wait] * WAITED, *[self.ask] * ASKED]
        self.said = [f"{self.name} put {uuid.uuid4().hex} into the drawer" for _ in doors]
        await self.sdk.threads.create(thread_id=self.thread)
        await asyncio.gather(*(door(text) for door, text in zip(doors, self.said, strict=True)))

    async def stream(self, text: str) -> None:
        last: Any = {}
        async for part in self.sdk.runs.stream(self.thread, "ana", input=_say(text)):
            last = part.data if part.event == "values" else last
        self._look(text, last)

    async def wait(self, text: str) -> None:
        self._look(text, await self.sdk.runs.wait(self.thread, "ana", input=_say(text)))

    async def ask(self, text: str) -> None:
        """Ask until the thread is free: 409 says that it was not within the server's patience."""
        while (reply := await self.post("/ask", question=text, thread_id=self.thread)).status_code == 409:
            pass
        if not reply.is_success or "Kept." not in reply.json()["answer"]:
            self.wrong.append(f"{self.name} was not answered: {reply.text[:300]}")

    async def post(self, path: str, **body: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.token}"}
        async with httpx.AsyncClient(base_url=self.url, headers=headers, timeout=SECONDS) as client:
            return await client.post(path, json=body)

    def _look(self, text: str, state: Mapping[str, Any]) -> None:
        """Note it if a state is not the one with which the turn of this message ended."""
        asked = [message["content"] for message in state.get("messages", ()) if message["type"] == "human"]
        if asked[-1:] != [text] or "Kept." not in state["messages"][-1]["content"]:
            self.wrong.append(f"{self.name} was not answered: {str(state)[-300:]}")

    async def all_work(self, runs: Mapping[str, str]) -> bool:
        """Return whether these runs, by their threads, all work."""
        states = [await self.sdk.runs.get(thread, run) for thread, run in runs.items()]
        return all(state["status"] == "running" for state in states)

    async def find_faults(self, settings: Settings) -> list[str]:
        """Return what is wrong with what is kept of the person."""
        workspace = open_workspace(settings, self.name)
        state = await self.sdk.threads.get_state(self.thread)
        held = [message["content"] for message in state["values"]["messages"] if message["type"] == "human"]
        traced = [record["question"] for record in workspace.open_traces().read(self.thread)]
        threads = [row["thread_id"] for row in await self.sdk.threads.search(limit=1000)]
        runs = reversed(await self.sdk.runs.list(self.thread, limit=1000))
        begun = [run["kwargs"]["input"]["messages"][-1]["content"] for run in runs]
        with open_data(workspace, "load") as handles:
            kept = Counter(item.content for item in handles.memory.items())
        wrong = [*self.wrong]
        wrong += [] if sorted(held) == sorted(self.said) else [f"{self.name} has other messages: {held}"]
        wrong += [] if traced == held else [f"{self.name}'s traces have another order: {traced} and not {held}"]
        wrong += [] if begun == [each for each in held if each in begun] else [f"{self.name}'s runs overtook: {begun}"]
        wrong += [] if kept == Counter(self.said) else [f"{self.name} has other items: {kept}"]
        return wrong + ([] if threads == [self.thread] else [f"{self.name} has other threads: {threads}"])


async def hold_up(busy: Person, other: Person) -> list[str]:
    """Let one person begin runs without an end, and send more behind them; return whether another is held up."""
    runs = {}
    for _ in range(EACH):
        thread = str(uuid.uuid4())
        run = await busy.sdk.runs.create(thread, "ana", input=_say("long work"), if_not_exists="create")
        runs[thread] = run["run_id"]
    requests = [busy.post("/ask", question="hello", thread_id=next(iter(runs))) for _ in range(LONG_REQUESTS)]
    waiting = [asyncio.create_task(each) for each in requests]
    while not await busy.all_work(runs):
        await asyncio.sleep(0.05)
    begun = time.monotonic()
    await asyncio.gather(other.ask("hello"), other.wait("hello again"))
    print(
        f"two hellos beside {EACH} long runs and {LONG_REQUESTS} requests of another: {time.monotonic() - begun:.1f} s"
    )
    ended = [each for each in waiting if each.done()]
    held_up = [] if await busy.all_work(runs) and not ended else [f"{other.name} waited for what {busy.name} began"]
    for each in waiting:
        each.cancel()
    for thread, run in runs.items():
        await busy.sdk.runs.cancel(thread, run, wait=True)
    return [*held_up, *other.wrong]


async def play(url: str, settings: Settings, tokens: Mapping[str, str]) -> list[str]:
    """Return what is wrong after all have talked at once."""
    people = [Person(name, token, url) for name, token in tokens.items()]
    try:
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*(each.talk() for each in people))
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
        model = _start(stack, folder, {}, "evals.load.model")
        env["OPENAI_BASE_URL"] = f"{model.url}/v1"
        settings = load_settings(env)
        tokens = {name: People(settings).add(name) for name in NAMES}
        server = _start(stack, folder, env, "app.cli", "serve")
        return asyncio.run(play(server.url, settings, tokens))


def main() -> int:
    """Run it once."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        faults = run(Path(name))
    print(f"{len(NAMES)} people in one server, {STREAMED + WAITED + ASKED} messages of each at once")
    print("\n".join([f"{len(faults)} faults, {time.monotonic() - begun:.0f} s", *(f"- {each}" for each in faults)]))
    return 1 if faults else 0


def _start(stack: ExitStack, folder: Path, env: Mapping[str, str], *command: str) -> Server:
    server = Server(env, folder / f"{command[-1]}.log", command, PROJECT, start_process)
    stack.callback(server.kill)
    return server


def _say(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


if __name__ == "__main__":
    raise SystemExit(main())
