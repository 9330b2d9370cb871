"""Requests that were spoiled at random, at every route: no error of ours, no traceback, and every thread goes on."""

import json
import random
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from ana.settings import PROJECT
from evals.load.server import Server
from tests.app.conftest import say
from tests.app.server.routes import ROUTES, fill, shape
from tests.conftest import folders
from tests.examples import LONG
from tests.mutations import mutate
from tests.openai_stub import Said, openai_stub
from tests.servers import own_serving

MANY = Said(calls=[("create_item", {"content": f"Chair {n}"}) for n in range(6)])
"""What asks for approval."""

NODES = ("load_context", "reason", "execute_tools", "approve", "reflect", "__start__", "__input__", "__end__")
TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?: .*\n)+.*")
FRAME = re.compile(r'File "([^"]+)", line \d+, in .*\n +(.*)')
PASSES_ON = ("self._app(", "self._carry_out(", "self._answer(", "await answer(", "async for part in parts")
"""Lines of ours below which the server's own code stands in a traceback."""


class Client:
    """Sends requests to a server, each on a connection of its own: the server closes one after an error.

    Args:
        server: The server.
    """

    def __init__(self, server: Server) -> None:
        self._http = httpx.Client(base_url=server.url, timeout=30, limits=httpx.Limits(max_keepalive_connections=0))

    def send(self, method: str, path: str, body: Any = None) -> httpx.Response:
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        headers = {"accept": "application/json, text/event-stream"}
        headers |= {"content-type": "application/json"} if data else {}
        with self._http.stream(method, path, content=data, headers=headers) as reply:
            if "event-stream" not in reply.headers.get("content-type", ""):  # which may never end
                reply.read()
            return reply

    def post(self, path: str, body: Any) -> Any:
        reply = self.send("POST", path, body)
        assert reply.status_code == 200, reply.text
        return reply.json()


def answer(request: dict[str, Any]) -> Said:
    last = request["messages"][-1]
    return MANY if last["role"] == "user" and "chairs" in str(last["content"]) else Said("Hello there.")


def begin(client: Client) -> dict[str, dict[str, Any]]:
    """Begin three threads, one of which waits for approval; return their states."""
    states = {}
    for question in ("hello", "I need chairs", "hello too"):
        thread = client.post("/threads", {})["thread_id"]
        client.post(f"/threads/{thread}/runs/wait", {"assistant_id": "ana", "input": say(question)})
        states[thread] = client.send("GET", f"/threads/{thread}/state").json()
    assert [bool(state["interrupts"]) for state in states.values()] == [False, True, False]
    return states


def spoil_state(chance: random.Random, state: Mapping[str, Any]) -> dict[str, Any]:
    values = mutate(state["values"], chance)
    if isinstance(values, dict):
        values = {name: value for name, value in values.items() if chance.random() < 0.7}
    return {"values": values} | chance.choice([{}, *({"as_node": node} for node in NODES)])


def spell(chance: random.Random, id: str) -> str:
    odd = (id.replace("-", ""), f"{{{id}}}", f"urn:uuid:{id}", id.upper(), f"{id}0", "x", "%00")
    return chance.choice(odd) if chance.random() < 0.15 else id


def find_ours(log: str) -> list[str]:
    """Return the tracebacks of a log that our code is to blame for, or has not foreseen."""
    found = []
    for traceback in TRACEBACK.findall(log):
        frames = [line for file, line in FRAME.findall(traceback) if f"{PROJECT}/" in file and ".venv" not in file]
        if any(not line.startswith(PASSES_ON) and not any(each in line for each in PASSES_ON) for line in frames):
            found.append(traceback)
    return found


def attack(client: Client, chance: random.Random, count: int, states: dict[str, dict[str, Any]]) -> list[str]:
    """Send spoiled requests; return what was answered as it should not be."""
    assistant = client.post("/assistants/search", {})[0]["assistant_id"]
    runs = {thread: client.send("GET", f"/threads/{thread}/runs").json()[0]["run_id"] for thread in states}
    faults = []
    for number in range(count):
        thread = chance.choice([*states])
        names = {"thread": thread, "run_id": runs[thread], "assistant_id": assistant}
        names |= {
            "checkpoint": states[thread]["checkpoint"]["checkpoint_id"],
            "new": str(uuid.UUID(int=chance.getrandbits(128))),
        }
        names |= {"thread_id": spell(chance, thread), "checkpoint_id": names["checkpoint"]}
        method, path, body = ROUTES[number % len(ROUTES)]
        body = fill(body, names)
        if chance.random() < 0.35:
            method, path, body = "POST", "/threads/{thread_id}/state", spoil_state(chance, states[thread])
        elif body is not None:
            body = json.dumps(mutate(body, chance)).encode()
            body = body[: chance.randrange(len(body))] if chance.random() < 0.03 else body
        reply = client.send(method, fill(path, names), body)
        if reply.status_code >= 500 and reply.status_code != 501 and "not foreseen" not in reply.text:
            faults.append(f"{method} {path} {body!r:.2000} {reply.status_code} {reply.text}")
    return faults


def attack_and_ask(server: Server, seed: int, count: int) -> list[str]:
    """Send spoiled requests to a server; return its threads, which have answered since."""
    client = Client(server)
    paths = client.send("GET", "/openapi.json").json()["paths"]
    told = {(method.upper(), shape(path)) for path, methods in paths.items() for method in methods}
    assert told <= {(method, shape(path)) for method, path, _ in ROUTES}
    states = begin(client)
    assert attack(client, random.Random(seed), count, states) == []
    for thread in states:
        client.post("/ask", {"question": "and now?", "thread_id": thread})
    return [*states]


def ask_again(server: Server, threads: list[str]) -> None:
    client = Client(server)
    for thread in threads:
        # where something waits for a yes, the first message is held, and the second is carried out
        for _ in range(2):
            values = client.post(f"/threads/{thread}/runs/wait", {"assistant_id": "ana", "input": say("again")})
        assert values["messages"][-1]["content"].startswith("Hello there.")
    assert {*threads} <= {row["thread_id"] for row in client.post("/threads/search", {"limit": 1000})}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("count", [len(ROUTES), pytest.param(1500, marks=pytest.mark.long)], ids=["short", "long"])
def test_no_request_breaks_the_server_or_a_thread(tmp_path: Path, count: int) -> None:
    seed = random.randrange(10**6) if LONG else 1
    print(f"seed {seed}")
    with openai_stub(answer) as stub:
        model = {"OPENAI_BASE_URL": stub.url, "OPENAI_API_KEY": "sk-test", "OPENAI_MODEL": "one"}
        env = folders(tmp_path, LLM_PROVIDER="openai", ANA_AUTONOMY="advise", **model)
        with own_serving(env, tmp_path / "server.log") as server:
            threads = attack_and_ask(server, seed, count)
        with own_serving(env, tmp_path / "server.log") as server:
            ask_again(server, threads)
    assert find_ours(Path(env["LOG_FILE_PATH"]).read_text(errors="replace")) == []
