"""Runs that wait in PostgreSQL, begun by one process, carried out by another, and followed by a third."""

import asyncio
import json
import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from ana.errors import PersonRemoved
from ana.people import People
from ana.postgres.database import open_database
from ana.runs.local import make_run
from ana.runs.queue import QueuedRuns
from ana.settings import load_settings
from ana.tables import Statement
from ana.workspace import open_workspace
from app.server.bodies import NewRun
from evals.load.server import Process, Server, running
from nodes.receipt import strip_receipt
from tests.conftest import folders
from tests.forks import fork
from tests.openai_stub import Gate, Said, Stub, openai_stub
from tests.postgres.server import make_template, new_database
from tests.sent import typed
from tests.servers import fork_module

pytestmark = pytest.mark.timeout(120)

WORK = """
    import asyncio, os, signal, sys
    os.environ.clear()
    import json
    os.environ.update(json.loads(sys.argv[1]))
    from ana.threads import postgres_locks
    from app.server.worker import run_worker

    postgres_locks.SECONDS = 2.0

    async def work():
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await run_worker(stop, 8, beat=1.0, grace=1.0)

    asyncio.run(work())
"""
"""A worker that is missed soon."""


class Fleet:
    """Processes on one database, and the model that they all ask."""

    def __init__(self, stack: ExitStack, folder: Path, url: str, stub: Stub) -> None:
        self.stub, self._stack, self._folder = stub, stack, folder
        model = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": stub.url}
        self.env = folders(folder, ANA_DATABASE_URL=url, ANA_AUTONOMY="act", **model)

    def serve(self, workers: int = 0) -> Server:
        """Start a process that carries out nothing itself, with workers beside it."""
        log = self._folder / f"web {uuid.uuid4()}.log"
        return self._stack.enter_context(
            running(self.env, log, ("app.cli", "serve", "--workers", f"{workers}"), start=fork_module)
        )

    def work(self) -> Process:
        """Start a worker."""
        with open("/dev/null") as nothing, (self._folder / "workers.log").open("ab") as log:
            out = log.fileno()
            env = json.dumps({**os.environ, **self.env})
            process = fork("-c", WORK, env, stdin=nothing.fileno(), stdout=out, stderr=out, cwd=Path.cwd(), env={})
        self._stack.callback(end, process)
        return process

    def find_holder(self) -> int:
        """Return the process that works in a conversation."""
        ((program,),) = open_workspace(load_settings(self.env)).rows.ask("SELECT program FROM leases")
        return int(program.partition("pid ")[2].partition(" ")[0])

    def count_jobs(self) -> int:
        """Return how many jobs of the queue have not ended."""
        return len(open_workspace(load_settings(self.env)).rows.ask("SELECT 1 FROM procrastinate_jobs"))

    def wait_for_jobs(self) -> None:
        """Wait until the queue has none that has not ended."""
        while self.count_jobs():
            time.sleep(0.02)

    def items(self) -> list[str]:
        workspace = open_workspace(load_settings(self.env))
        rows = workspace.rows.ask("SELECT record FROM records WHERE kind = 'item' ORDER BY row")
        return [record["content"] for (record,) in rows]


def end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGCONT)
    if process.poll() is None:
        process.kill()
    process.wait()


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with ExitStack() as stack:
        stub, url = stack.enter_context(openai_stub(Said("Hello."))), stack.enter_context(new_database(make_template()))
        stack.callback(lambda: open_database(url).close())
        yield Fleet(stack, tmp_path, url, stub)


def body(text: str, **more: Any) -> dict[str, Any]:
    said = {"messages": [{"role": "user", "content": text, "id": str(uuid.uuid4())}]}
    return {"assistant_id": "ana", "input": said, "if_not_exists": "create", **more}


def begin(server: Server, thread: str, text: str, **more: Any) -> str:
    answer = httpx.post(f"{server.url}/threads/{thread}/runs", json=body(text, **more), timeout=60)
    answer.raise_for_status()
    return str(answer.json()["run_id"])


def ask(server: Server, thread: str, text: str) -> None:
    httpx.post(f"{server.url}/ask", json={"question": text, "thread_id": thread}, timeout=90).raise_for_status()


def follow(
    server: Server, thread: str, run: str, after: int = 0, until: Callable[[int], bool] = lambda _: False
) -> list[int]:
    """Return the positions of what a run tells, until it has ended or it is enough."""
    seen = list[int]()
    path = f"{server.url}/threads/{thread}/runs/{run}/stream"
    with httpx.stream("GET", path, headers={"last-event-id": str(after)}, timeout=90) as told:
        for line in told.iter_lines():
            if line.startswith("id:"):
                seen.append(int(line[3:]))
                if until(seen[-1]):
                    break
    return seen


def get(server: Server, path: str) -> Any:
    answer = httpx.get(f"{server.url}{path}", timeout=90)
    answer.raise_for_status()
    return answer.json()


def texts(server: Server, thread: str) -> list[str]:
    messages = get(server, f"/threads/{thread}/state")["values"].get("messages", [])
    return [strip_receipt(each["content"]) for each in messages if each["type"] != "tool" and each["content"]]


def begin_turn(fleet: Fleet, web: Server, thread: str, gate: Gate) -> tuple[Process, str]:
    """Begin a run; return the worker that carries it out, and the run, when its model waits."""
    fleet.stub.script = [gate]
    worker = fleet.work()
    run = begin(web, thread, "keep milk", stream_mode=["values"])
    gate.wait()
    return worker, run


def begin_and_kill(fleet: Fleet, web: Server, thread: str) -> tuple[Gate, str]:
    """Kill a worker in mid-turn, after it has kept milk; return the gate at which its model waits, and the run."""
    gate = Gate(store("milk"), Said("Saved."), before=1)
    worker, run = begin_turn(fleet, web, thread, gate)
    worker.kill()
    worker.wait()
    return gate, run


def store(text: str) -> Said:
    return Said(calls=[("create_item", {"content": text, "properties": {}})])


def test_a_run_is_followed_and_stopped_at_another_process_than_it_was_begun_at(fleet: Fleet) -> None:
    one, two, thread = fleet.serve(), fleet.serve(), str(uuid.uuid4())
    fleet.work()
    gate = Gate(store("milk"), Said("Saved."), before=1)
    fleet.stub.script = [gate]
    run = begin(one, thread, "keep milk", stream_mode=["values", "updates"])
    gate.wait()
    first = follow(one, thread, run, until=lambda position: position >= 3)
    one.kill()
    gate.opened.set()
    rest = follow(two, thread, run, after=first[-1])
    assert first + rest == [*range(1, len(first) + len(rest) + 1)]
    assert texts(two, thread)[-1] == "Saved."
    fleet.stub.script = [Said(hang="silent")]
    hanging = begin(two, thread, "and then?")
    three = fleet.serve()
    while get(three, f"/threads/{thread}/runs/{hanging}")["status"] == "pending":
        time.sleep(0.02)
    httpx.post(f"{three.url}/threads/{thread}/runs/{hanging}/cancel?wait=1", timeout=60).raise_for_status()
    assert get(two, f"/threads/{thread}/runs/{hanging}")["status"] == "interrupted"
    assert fleet.items() == ["milk"]


def test_what_somebody_had_asked_who_was_removed_nobody_of_the_same_name_gets(fleet: Fleet) -> None:
    people, thread = People(load_settings(fleet.env)), str(uuid.uuid4())
    tokens = [people.add("anna")]
    web = fleet.serve()
    fleet.work()
    gate = Gate(Said("Hello."))
    fleet.stub.script = [gate]
    gone = open_workspace(load_settings(fleet.env), "anna").rows
    assert gone.number

    def tell(text: str, thread: str, door: str = "") -> None:
        path, token = f"{web.url}/threads/{thread}/runs{door}", {"Authorization": f"Bearer {tokens[-1]}"}
        httpx.post(path, json=body(text), headers=token, timeout=60).raise_for_status()

    tell("the diary", thread)
    gate.wait()
    tell("more of it", thread)
    people.remove("anna")
    tokens.append(people.add("anna"))
    tell("hello", str(uuid.uuid4()), "/wait")
    late = make_run(
        str(uuid.uuid4()), thread, NewRun(**body("late")).model_dump(by_alias=True), is_persistent=True, size=0
    )
    with pytest.raises(PersonRemoved):
        asyncio.run(QueuedRuns(gone).start(late, "enqueue"))
    fleet.wait_for_jobs()
    with gone.database.connect() as connection:  # as whoever brings them back
        connection.execute("UPDATE people SET name = 'anna-again' WHERE number = $1", (gone.number,))
    assert gone.ask("SELECT status, done FROM runs ORDER BY seq") == [("interrupted", True)] * 2
    assert thread not in open_workspace(load_settings(fleet.env), "anna").open_thread_store().marks()
    gate.opened.set()


def test_a_run_of_whom_the_settings_cannot_be_read_is_given_up_with_the_reason(fleet: Fleet) -> None:
    web, thread, rows = fleet.serve(), str(uuid.uuid4()), open_workspace(load_settings(fleet.env)).rows
    run = begin(web, thread, "hello")
    rows.change(Statement("INSERT INTO settings (fields) VALUES (?)", ['{"ana_autonomy": 7}']))
    fleet.work()
    while rows.ask("SELECT 1 FROM procrastinate_jobs"):
        time.sleep(0.02)
    ((status, error),) = rows.ask("SELECT status, error FROM runs WHERE id = ?", run)
    assert (status, "settings cannot be read" in error) == ("error", True)


def test_what_a_killed_worker_had_begun_another_ends_and_doubles_nothing(fleet: Fleet) -> None:
    web, thread = fleet.serve(), str(uuid.uuid4())
    gate, run = begin_and_kill(fleet, web, thread)
    fleet.work()
    seen = follow(web, thread, run)
    assert seen == [*range(1, len(seen) + 1)]
    assert get(web, f"/threads/{thread}/runs/{run}")["status"] == "success"
    assert fleet.items() == ["milk"]
    assert texts(web, thread) == ["keep milk", "Saved."]
    gate.opened.set()


def test_a_worker_that_was_held_up_for_long_writes_nothing(fleet: Fleet) -> None:
    web, thread = fleet.serve(), str(uuid.uuid4())
    gate = Gate(store("late"), store("milk"), Said("Saved."))
    late, run = begin_turn(fleet, web, thread, gate)
    late.send_signal(signal.SIGSTOP)
    fleet.work()
    follow(web, thread, run)
    before = texts(web, thread)
    late.send_signal(signal.SIGCONT)
    gate.opened.set()
    late.send_signal(signal.SIGTERM)
    assert late.wait(60) == 0
    assert fleet.items() == ["milk"]
    assert texts(web, thread) == before
    assert get(web, f"/threads/{thread}/runs/{run}")["status"] == "success"


def test_what_a_killed_worker_had_begun_and_another_door_has_ended_is_done(fleet: Fleet) -> None:
    web, thread = fleet.serve(), str(uuid.uuid4())
    gate, run = begin_and_kill(fleet, web, thread)
    ask(web, thread, "and?")
    fleet.work()
    follow(web, thread, run)
    assert get(web, f"/threads/{thread}/runs/{run}")["status"] == "success"
    assert (fleet.items(), texts(web, thread)) == (["milk"], ["keep milk", "Saved.", "and?", "Saved."])
    gate.opened.set()


def test_a_run_that_was_stopped_after_its_worker_was_killed_no_other_door_goes_on_with(fleet: Fleet) -> None:
    web, thread = fleet.serve(), str(uuid.uuid4())
    gate, run = begin_and_kill(fleet, web, thread)
    httpx.post(f"{web.url}/threads/{thread}/runs/{run}/cancel", timeout=60).raise_for_status()
    ask(web, thread, "and?")
    assert texts(web, thread) == ["keep milk", "Stopped.", "and?", "Saved."]
    gate.opened.set()


def test_what_another_door_has_ended_while_a_worker_was_held_up_is_done(fleet: Fleet) -> None:
    web, thread = fleet.serve(), str(uuid.uuid4())
    gate = Gate(store("late"), store("milk"), Said("Saved."))
    late, run = begin_turn(fleet, web, thread, gate)
    late.send_signal(signal.SIGSTOP)
    ask(web, thread, "and?")
    late.send_signal(signal.SIGCONT)
    gate.opened.set()
    follow(web, thread, run)
    assert get(web, f"/threads/{thread}/runs/{run}")["status"] == "success"
    assert (fleet.items(), texts(web, thread)) == (["milk"], ["keep milk", "Saved.", "and?", "Saved."])


def test_a_worker_that_stops_leaves_a_run_that_does_not_end_in_time(fleet: Fleet) -> None:
    web, thread = fleet.serve(), str(uuid.uuid4())
    gate = Gate(store("milk"), Said("Saved."), before=1)
    first, run = begin_turn(fleet, web, thread, gate)
    first.send_signal(signal.SIGTERM)
    assert first.wait(60) == 0
    assert get(web, f"/threads/{thread}/runs/{run}")["status"] == "pending"
    fleet.work()
    seen = follow(web, thread, run)
    assert seen == [*range(1, len(seen) + 1)]
    assert (fleet.items(), texts(web, thread)) == (["milk"], ["keep milk", "Saved."])
    gate.opened.set()


def test_a_worker_of_a_server_that_ended_is_followed_by_another(fleet: Fleet) -> None:
    web, thread = fleet.serve(workers=1), str(uuid.uuid4())
    gate = Gate(Said("Hello."))
    fleet.stub.script = [gate]
    run = begin(web, thread, "hi")
    gate.wait()
    worker = fleet.find_holder()
    gate.opened.set()
    follow(web, thread, run)
    fleet.wait_for_jobs()  # else it would be missed first
    os.kill(worker, signal.SIGKILL)
    run = begin(web, thread, "hi again")
    follow(web, thread, run)
    assert get(web, f"/threads/{thread}/runs/{run}")["status"] == "success"


def test_many_messages_at_once_to_a_thread_are_answered_in_order(fleet: Fleet) -> None:
    one, two, thread = fleet.serve(), fleet.serve(), str(uuid.uuid4())
    fleet.work()
    fleet.work()
    fleet.stub.script = [lambda request: Said(f"heard {typed(request['messages'][-1]['content'])}")]
    begin(one, thread, "message 0")
    runs = [begin((one, two)[n % 2], thread, f"message {n}") for n in range(1, 12)]
    get(two, f"/threads/{thread}/runs/{runs[-1]}/join")
    assert texts(one, thread) == [text for n in range(12) for text in (f"message {n}", f"heard message {n}")]
