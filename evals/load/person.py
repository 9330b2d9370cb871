"""Somebody who talks to a server, or to several on one database, and knows afterwards what has to be kept."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import httpx
from langgraph_sdk import get_client

from ana.handles import open_data
from ana.settings import Settings
from ana.workspace import open_workspace

SECONDS = 600.0
"""When a request gives up. Nothing here is about speed; what never ends is a failure all the same."""


@dataclass
class Person:
    """Somebody who talks.

    Args:
        name: Who.
        token: Theirs.
        urls: The servers, which the messages come to in turn.
    """

    name: str
    token: str
    urls: Sequence[str]
    said: dict[str, list[str]] = field(default_factory=dict)
    """What was said, by the thread."""
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._clients = cycle([get_client(url=url, api_key=self.token, timeout=SECONDS) for url in self.urls])

    @property
    def sdk(self) -> Any:
        """A client of the next server."""
        return next(self._clients)

    async def open_thread(self) -> str:
        """Begin a conversation and return its id."""
        thread = str(uuid.uuid4())
        self.said[thread] = []
        await self.sdk.threads.create(thread_id=thread)
        return thread

    async def stream(self, thread: str) -> None:
        """Say something that is to be kept, and follow the run."""
        text, last = self._make_text(thread), dict[str, Any]()
        async for part in self.sdk.runs.stream(thread, "ana", input=say(text)):
            last = part.data if part.event == "values" else last
        self._look(text, last)

    async def wait(self, thread: str) -> None:
        """Say it, and wait for the run."""
        text = self._make_text(thread)
        self._look(text, await self.sdk.runs.wait(thread, "ana", input=say(text)))

    async def begin(self, thread: str) -> None:
        """Say it, and wait for nothing."""
        await self.sdk.runs.create(thread, "ana", input=say(self._make_text(thread)))

    async def ask(self, thread: str) -> None:
        """Ask until the thread is free: 409 says that it was not within the server's patience."""
        text = self._make_text(thread)
        while (reply := await self.post("/ask", question=text, thread_id=thread)).status_code == 409:
            pass
        if not reply.is_success or "Kept." not in reply.json()["answer"]:
            self.wrong.append(f"{self.name} was not answered: {reply.text[:300]}")

    async def post(self, path: str, **body: Any) -> httpx.Response:
        """Send a request that the SDK has no method for."""
        reply: httpx.Response = await self.sdk.http.client.post(path, json=body)
        return reply

    async def read(self, thread: str) -> list[str]:
        """Return what stands as said in a thread."""
        return _read_questions((await self.sdk.threads.get_state(thread))["values"])

    async def find_faults(self, settings: Settings) -> list[str]:
        """Return what is wrong with what is kept of the person."""
        workspace = open_workspace(settings, self.name)
        threads = {row["thread_id"] for row in await self.sdk.threads.search(limit=1000)}
        with open_data(workspace, "load") as handles:
            kept = Counter(item.content for item in handles.memory.items())
        said = Counter(text for texts in self.said.values() for text in texts)
        wrong = [*self.wrong]
        wrong += [] if kept == said else [f"{self.name} has other items: {kept - said}, and not {said - kept}"]
        wrong += [] if threads == {*self.said} else [f"{self.name} has other threads: {threads}"]
        for thread, texts in self.said.items():
            traced = [record["question"] for record in workspace.open_traces().read(thread)]
            wrong += await self._find_faults_of(thread, texts, traced)
        return wrong

    async def _find_faults_of(self, thread: str, texts: list[str], traced: list[str]) -> list[str]:
        held = await self.read(thread)
        runs = reversed(await self.sdk.runs.list(thread, limit=1000))
        begun = [run["kwargs"]["input"]["messages"][-1]["content"] for run in runs]
        in_order = [each for each in traced if each in {*begun}]
        wrong = [] if sorted(traced) == sorted(texts) else [f"{self.name} has other messages: {traced} and not {texts}"]
        wrong += [] if traced == held else [f"{self.name}'s traces have another order: {traced} and not {held}"]
        return wrong + ([] if begun == in_order else [f"{self.name}'s runs overtook: {begun} and not {in_order}"])

    def _make_text(self, thread: str) -> str:
        self.said[thread].append(f"{self.name} put {uuid.uuid4().hex} into the drawer")
        return self.said[thread][-1]

    def _look(self, text: str, state: Mapping[str, Any]) -> None:
        """Note it if a state is not the one with which the turn of this message ended."""
        if _read_questions(state)[-1:] != [text] or "Kept." not in state["messages"][-1]["content"]:
            self.wrong.append(f"{self.name} was not answered: {str(state)[-300:]}")


def say(text: str) -> dict[str, Any]:
    """Return the input of a run with this message."""
    return {"messages": [{"role": "user", "content": text}]}


def _read_questions(state: Mapping[str, Any]) -> list[str]:
    return [message["content"] for message in state.get("messages", ()) if message["type"] == "human"]
