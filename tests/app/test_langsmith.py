"""LangSmith, as a collector on loopback sees it: what is sent, what never is, and what a dead endpoint costs."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from ana.handles import open_data
from ana.memory.changes import make_edit
from ana.memory.sources import name_assistant
from ana.settings import PROJECT, load_settings
from ana.tracing.files import TraceFiles
from ana.tracing.langsmith import settle_environment
from ana.workspace import open_workspace
from evals.load.server import Server, running
from nodes.receipt import strip_receipt
from tests.app.conftest import Run, say
from tests.conftest import folders
from tests.langsmith_collector import KEY, Collector, langsmith_collector
from tests.openai_stub import Said, Stub, openai_stub, without_tools
from tests.servers import serving

SECRET = "sk-test-secret"
MILK = Said(calls=[("create_item", {"content": "Buy milk", "properties": {"type": "task"}})])
DONE = Said("See your list: buy milk.")
LONG = 20.0
"""Seconds that a process with a dead endpoint never takes to end; the library's own time-outs are longer."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with langsmith_collector() as collector:
        yield collector


@pytest.fixture
def ana(ana_forked: Run) -> Run:
    """A process of its own: what is sent last is sent when it ends."""
    return ana_forked


@pytest.fixture
def stub() -> Iterator[Stub]:
    with openai_stub(MILK, DONE) as stub:
        yield stub


@pytest.fixture
def env(collector: Collector, stub: Stub) -> dict[str, str]:
    """An assistant whose model is the stub, traced by the collector."""
    return {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": stub.url} | collector.env


def draw(collector: Collector, run: dict[str, Any]) -> Any:
    """A run and all below it, as (type, name) and a list; an llm run is named by its provider and model."""
    metadata = run["extra"]["metadata"]
    llm = f"{metadata.get('ls_provider')} {metadata.get('ls_model_name')}"
    return (
        run["run_type"],
        llm if run["run_type"] == "llm" else run["name"],
        [draw(collector, child) for child in collector.children(run)],
    )


def node(name: str, *inner: tuple[str, str, list[Any]]) -> tuple[str, str, list[Any]]:
    return "chain", name, [*inner]


LLM: tuple[str, str, list[Any]] = ("llm", "openai gpt-4o-mini", [])
TREE = (
    "chain",
    "ana",
    [
        node("load_context"),
        node("reason", LLM),
        node("execute_tools", ("tool", "create_item", [])),
        node("reason", LLM),
        node("reflect"),
    ],
)


def check_turn(collector: Collector, root: dict[str, Any]) -> None:
    """Hold a run against the turn with MILK and DONE, whichever door it came through."""
    assert draw(collector, root) == TREE
    assert root["inputs"]["messages"][-1]["content"] == "I need milk"
    assert strip_receipt(root["outputs"]["messages"][-1]["content"]) == "See your list: buy milk."
    below = [r for r in collector.runs.values() if r["trace_id"] == root["id"]]
    tool = next(r for r in below if r["run_type"] == "tool")
    assert tool["inputs"] == {"content": "Buy milk", "properties": {"type": "task"}}
    assert json.loads(tool["outputs"]["output"]["content"])["content"] == "Buy milk"
    usage = [r["extra"]["metadata"].get("usage_metadata") for r in below]
    assert sum(u["total_tokens"] for u in usage if u) == 220, "each of the two calls counts once"
    assert {r["extra"]["metadata"]["thread_id"] for r in below} == {root["extra"]["metadata"]["thread_id"]}
    assert not [r for r in below if r.get("error") or not r.get("end_time")]


def test_a_turn_of_the_command_line_is_one_tree(collector: Collector, env: dict[str, str], ana: Run) -> None:
    told = json.loads(ana("ask", "I need milk", "--json", **env).stdout)
    (root,) = collector.wait_for_roots(1)
    check_turn(collector, root)
    metadata = root["extra"]["metadata"]
    assert (metadata["thread_id"], metadata["turn_id"]) == (told["thread_id"], told["trace_id"])
    assert (metadata["provider"], metadata["model"]) == ("openai", "gpt-4o-mini")
    assert metadata["autonomy"] == "confirm"
    assert root["tags"] == []
    assert metadata["cost_usd"] == told["cost_usd"] > 0


def test_a_turn_that_failed_is_a_run_that_failed(
    collector: Collector, env: dict[str, str], stub: Stub, ana: Run
) -> None:
    stub.script = [Said(status=400, error="no")]
    ana("ask", "I need milk", **env)
    (root,) = collector.wait_for_roots(1)
    assert root["error"] == "TurnFailed: The model provider refused the request (400)."
    assert root["tags"] == ["failed"]


def test_a_turn_of_a_model_without_tool_calls_is_the_same_tree(
    collector: Collector, env: dict[str, str], stub: Stub, ana: Run
) -> None:
    decision = {"tool": {"name": "create_item", "args": {"content": "Buy milk", "properties": {"type": "task"}}}}
    stub.script = [*without_tools(json.dumps(decision), '{"final": {"answer": "See your list: buy milk."}}')]
    ana("ask", "I need milk", **env)
    check_turn(collector, *collector.wait_for_roots(1))


def test_a_turn_of_the_server_is_one_tree_and_a_dead_endpoint_does_not_hold_it(
    collector: Collector, env: dict[str, str], stub: Stub, tmp_path: Path
) -> None:
    env = folders(tmp_path, **env)
    with serving(env, tmp_path / "server.log") as server:
        thread = ask_server(server, "I need milk")
        (root,) = collector.wait_for_roots(1)
        check_turn(collector, root)
        metadata = root["extra"]["metadata"]
        (record,) = TraceFiles(load_settings(env).traces_dir).read(thread)
        assert (metadata["thread_id"], metadata["turn_id"]) == (thread, record["id"])
        assert "/metadata/submit" not in {r.path[-16:] for r in collector.requests}
        collector.answering.clear()
        ask_server(server, "I need milk")
        server.process.send_signal(signal.SIGINT)
        server.process.wait(LONG)


def ask_server(server: Server, question: str) -> str:
    """Run a turn through the API; return its thread."""
    with get_sync_client(url=server.url) as client:
        thread = client.threads.create()["thread_id"]
        client.runs.wait(thread, "ana", input=say(question))
    return str(thread)


@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_turn_with_a_violation_is_found_by_a_tag_whose_reason_is_hidden_with_what_it_may_quote(
    collector: Collector, env: dict[str, str], stub: Stub, ana: Run, is_hidden: bool
) -> None:
    stub.script = [Said("It is note abcd2e4f."), Said("I did not keep anything.")]
    ana("ask", "keep this", **env, **(HIDDEN if is_hidden else {}))
    (root,) = collector.wait_for_roots(1)
    assert {"policy_violation", "policy_violation:citation"} <= set(root["tags"])
    assert root["extra"]["metadata"]["policy_violations"] == "citation"
    sent_back, answer = [run["extra"]["metadata"] for run in find_calls(collector, root)]
    assert sent_back["policy_violation"] == "citation"
    assert ("abcd2e4f" in collector.bodies()) != is_hidden
    assert ("abcd2e4f" in sent_back.get("policy_violation_reason", "")) != is_hidden
    assert sent_back["usage_metadata"]["total_tokens"], "what it had is kept"
    assert "policy_violation" not in answer


def find_calls(collector: Collector, root: dict[str, Any]) -> list[dict[str, Any]]:
    """The model's runs of a turn, in their order."""
    runs = [run for node in collector.children(root) for run in collector.children(node)]
    return [run for run in runs if run["run_type"] == "llm"]


def test_a_tools_inputs_are_its_arguments_alone(
    collector: Collector, env: dict[str, str], stub: Stub, ana: Run
) -> None:
    given: dict[str, dict[str, Any]] = {
        "calculator": {"expression": "6 * 7"},
        "now": {},
        "query_items": {"text": "zanzibar"},
        "create_item": {"content": "Buy zanzibar milk"},
        "append_context": {"content": "Likes obelisk tea"},
        "history": {},
        "resolve_date": {"phrase": "tomorrow"},
    }
    stub.script = [Said(calls=[*given.items()]), Said("Done.")]
    ana("ask", "go", **env)
    (root,) = collector.wait_for_roots(1)
    tools = [run for node in collector.children(root) for run in collector.children(node) if run["run_type"] == "tool"]
    assert {run["name"]: run["inputs"] for run in tools} == given


@pytest.mark.parametrize(("hidden", "tag"), [("false", "source:assistant Friend"), ("true", "source:assistant")])
def test_who_told_what_was_in_view_is_a_tag(
    collector: Collector, env: dict[str, str], stub: Stub, ana: Run, tmp_path: Path, hidden: str, tag: str
) -> None:
    with open_data(open_workspace(load_settings(folders(tmp_path, **env))), "a test") as handles:
        handles.memory.append_line("Likes strong green tea", make_edit(source=name_assistant("Friend")))
    stub.script = [Said("Hello there.")]
    ana("ask", "hello", **env, LANGSMITH_HIDE_INPUTS=hidden)
    (root,) = collector.wait_for_roots(1)
    assert root["tags"] == [tag]


ASKS_TWICE = '''
from langchain_core.tools import tool
from langgraph.types import interrupt

@tool
def ask_twice() -> str:
    """Ask, and ask again."""
    request = {"name": "ask_twice", "args": {}, "description": "Asks."}
    review = {"action_name": "ask_twice", "allowed_decisions": ["approve"]}
    return str([interrupt({"action_requests": [request], "review_configs": [review]}) for _ in range(2)])

ask_twice.metadata = {"asksItself": True}
TOOLS = [ask_twice]
'''


def test_every_run_of_a_turn_that_waits_twice_carries_its_id(
    collector: Collector, env: dict[str, str], stub: Stub, ana: Run, tmp_path: Path
) -> None:
    (tmp_path / "asking.py").write_text(ASKS_TWICE)
    stub.script = [Said(calls=[("ask_twice", {})]), Said("Twice.")]
    env |= {"TOOLS_MODULES": "asking", "PYTHONPATH": f"{tmp_path}{os.pathsep}{PROJECT}"}
    told = json.loads(ana("ask", "go", "--thread", "t", "--json", **env).stdout)
    for _ in range(2):
        decide = ("--decide", "approve", "--request", told["pending"]["request_id"])
        told = json.loads(ana("ask", "--thread", "t", "--json", *decide, **env).stdout)
    roots = collector.wait_for_roots(3)
    metadata = [root["extra"]["metadata"] for root in roots]
    assert [each["turn_id"] for each in metadata] == [told["trace_id"]] * 3
    assert [root["tags"] for root in roots] == [["waiting"], ["waiting"], ["source:tool ask_twice"]]
    assert [each.get("cost_usd") for each in metadata] == [None, None, told["cost_usd"]], "it counts once"


def test_secrets_are_never_sent(collector: Collector, env: dict[str, str], stub: Stub, ana: Run) -> None:
    stub.script = [
        Said(calls=[("create_item", {"content": f"keys {SECRET}", "properties": {KEY: SECRET}})]),
        Said(calls=[("update_item", {"id": SECRET, "content": KEY})]),
        Said(status=401, error=f"Incorrect API key provided: {SECRET}"),
    ]
    ana("ask", f"keep {SECRET} and {KEY}", "--thread", f"about {SECRET}", **env)
    collector.wait_for_roots(1)
    assert "[secret]" in collector.bodies()
    assert "Incorrect API key" in collector.bodies()
    assert SECRET not in collector.bodies()
    assert KEY not in collector.bodies()


HIDDEN = {"LANGSMITH_HIDE_INPUTS": "true", "LANGSMITH_HIDE_OUTPUTS": "true"}
WORDS = ("zanzibar", "quetzal", "xylophone", "obelisk", "marzipan", "wombat", "platypus", "gazebo")
"""What is said, stored, answered and refused in a conversation, and nowhere else."""


def delete_found(request: dict[str, Any]) -> Said:
    (id,) = re.findall(r'"id": "([a-z2-7]{8})"', request["messages"][-1]["content"])
    return Said(calls=[("delete_item", {"id": id})])


CONVERSATION: list[tuple[str, list[Any]]] = [
    (
        "I need zanzibar milk",
        [Said(calls=[("create_item", {"content": "Buy zanzibar milk", "properties": {"shop": "quetzal"}})])],
    ),
    ("I like obelisk tea", [Said(calls=[("append_context", {"content": "Likes obelisk tea"})])]),
    ("Away with it, marzipan", [Said(calls=[("query_items", {"text": "milk"})]), delete_found]),
]
"""What is said, and the calls of the model; it answers with a word of its own each time."""


def find_leaks(collector: Collector) -> list[str]:
    """The words that are in any byte of what arrived."""
    sent = "".join(f"{r.path}{r.headers}{r.body.decode(errors='replace')}" for r in collector.requests).lower()
    return [word for word in WORDS if word in sent]


def test_nothing_of_a_conversation_with_the_server_is_sent_if_it_is_to_be_hidden(
    collector: Collector, env: dict[str, str], stub: Stub, tmp_path: Path
) -> None:
    stub.script = [each for _, replies in CONVERSATION for each in (*replies, Said("Done, xylophone."))]
    stub.script.append(Said(status=400, error="wombat is not allowed: platypus"))
    env = folders(tmp_path, **env, **HIDDEN, ANA_AUTONOMY="advise")
    with serving(env, tmp_path / "server.log") as server, get_sync_client(url=server.url) as client:
        thread, told = str(client.threads.create()["thread_id"]), list[str]()
        for question in (*(said for said, _ in CONVERSATION), "wombat gazebo"):
            told.append(finish(client, thread, client.runs.wait(thread, "ana", input=say(question))))
        collector.wait_for_roots(7)
    assert [text.split(".")[0] for text in told[:3]] == ["Done, xylophone"] * 3
    assert told[3].startswith("The model provider refused the request (400): “wombat")
    assert find_leaks(collector) == []
    errors = [run["error"] for run in collector.runs.values() if run.get("error")]
    kinds = sorted({error.split()[0] for error in errors})
    assert kinds == ["GraphInterrupt", "OpenAIInvalidRequestError", "TurnFailed"]
    assert all(error.endswith("(hidden)") for error in errors)


def finish(client: SyncLangGraphClient, thread: str, result: Any) -> str:
    """Approve what the turn asks; return its answer."""
    while waiting := result.get("__interrupt__"):
        decisions = [{"type": "approve"}] * len(waiting[0]["value"]["action_requests"])
        result = client.runs.wait(thread, "ana", command={"resume": {waiting[0]["id"]: {"decisions": decisions}}})
    return str(result["messages"][-1]["content"])


@pytest.mark.parametrize(("hidden", "shown"), [("inputs", "outputs"), ("outputs", "inputs")])
def test_inputs_and_outputs_are_hidden_apart(
    collector: Collector, env: dict[str, str], ana: Run, hidden: str, shown: str
) -> None:
    ana("ask", "I need milk", **env, **{f"LANGSMITH_HIDE_{hidden.upper()}": "Yes"})
    (root,) = collector.wait_for_roots(1)
    assert draw(collector, root) == TREE
    assert root[shown]
    assert not [run for run in collector.runs.values() if run[hidden]]


def test_with_tracing_off_nothing_is_sent_though_there_is_a_key(
    collector: Collector, env: dict[str, str], ana: Run
) -> None:
    done = ana("ask", "I need milk", **env | {"LANGSMITH_TRACING": "off", "LANGCHAIN_TRACING_V2": "true"})
    assert done.stdout == "See your list: buy milk.\n"
    assert collector.requests == []


def test_a_server_started_by_hand_sends_nothing_though_there_is_a_key(
    collector: Collector, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LANGSMITH_TRACING")
    del env["LANGSMITH_TRACING"]
    env = folders(tmp_path, **env) | {"LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    command = ["langgraph_cli", "dev", "--no-browser", "--config", str(PROJECT / "langgraph.json")]
    with running(env, tmp_path / "server.log", command, cwd=tmp_path) as server:
        try:
            thread = ask_server(server, "I need milk")
        finally:
            server.stop()
    assert TraceFiles(load_settings(env).traces_dir).read(thread)[-1]["answer"] == "See your list: buy milk."
    assert collector.requests == []


def test_the_library_is_off_though_it_has_read_an_older_name_of_the_switch() -> None:
    script = """
        from langsmith.utils import tracing_is_enabled
        from ana.settings import load_settings
        from ana.tracing.langsmith import connect, switch_on_or_off
        print(tracing_is_enabled(), switch_on_or_off(), connect(load_settings()), tracing_is_enabled())
    """
    # not a fork: the process that forks has read the environment already
    settled = {"LANGSMITH_TRACING": "", "LANGSMITH_TRACING_V2": "", "LANGCHAIN_TRACING_V2": "true"}
    env = {name: value for name, value in (os.environ | settled).items() if value}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "True False None False\n"


def test_the_environment_of_the_server_has_no_key_unless_tracing_is_on() -> None:
    given = {"LANGSMITH_API_KEY": KEY, "LANGCHAIN_API_KEY": KEY, "LANGSMITH_CONTROL_PLANE_API_KEY": KEY}
    assert KEY not in settle_environment(given | {"LANGCHAIN_TRACING_V2": "true"}).values()
    assert given.items() <= settle_environment(given | {"LANGSMITH_TRACING": "TRUE"}).items()


@pytest.mark.parametrize(
    ("said", "tracing", "hiding"),
    [("true", "true", "true"), (" 1 ", "true", "true"), ("TRUE", "true", "true"), ("yes", "false", "true")]
    + [(no, "false", "false") for no in ("", "false", "0", "No", "off")],
)
def test_a_switch_is_spelled_as_the_library_reads_it(said: str, tracing: str, hiding: str) -> None:
    names = ("LANGSMITH_TRACING", "LANGSMITH_HIDE_INPUTS", "LANGCHAIN_HIDE_OUTPUTS", "LANGSMITH_HIDE_METADATA")
    settled = settle_environment(dict.fromkeys(names, said) | {"LANGSMITH_TRACING_V2": "true"})
    assert [settled[name] for name in (*names, "LANGSMITH_TRACING_V2")] == [tracing, *[hiding] * 3, tracing]


@pytest.mark.parametrize("said", ["ask", "chat"])
def test_a_dead_endpoint_delays_no_answer_and_does_not_hold_the_exit(
    collector: Collector, env: dict[str, str], ana: Run, said: str
) -> None:
    collector.answering.clear()
    done = ana("ask", "I need milk", **env) if said == "ask" else ana("chat", given="I need milk\n", **env)
    assert "See your list: buy milk." in done.stdout
    assert time.monotonic() - collector.requests[0].at < LONG


def test_tracing_without_a_key_is_a_sentence(ana: Run) -> None:
    done = ana("ask", "hi", LANGSMITH_TRACING="true", LANGSMITH_API_KEY="")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("LANGSMITH_TRACING is on, but LANGSMITH_API_KEY is not set.")


def test_the_library_is_loaded_only_if_it_is_switched_on() -> None:
    script = "import sys; from app.startup import start; start(); print('langsmith' in sys.modules)"
    env = os.environ | {"LANGSMITH_TRACING": "true", "LANGSMITH_API_KEY": KEY}
    done = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, env=env, capture_output=True, text=True)
    assert done.stdout == "False\n"
