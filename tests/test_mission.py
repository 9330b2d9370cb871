"""The mission, a sentence a test. Whatever is rebuilt, this stays true.

It speaks through what people and programs use: commands, settings, routes, tools, the graph, files on disk. The details
of each sentence are tested elsewhere.
"""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool
from langgraph_sdk import get_sync_client

from ana.models.scripted import calls
from ana.settings import PROJECT, load_settings
from graph.builder import graph
from graph.context import LocalContext
from tests.conftest import EMBEDDER, MakeAssistant
from tests.home import Home
from tests.langsmith_collector import langsmith_collector
from tests.memory.conformance import GROUPS
from tests.memory.test_conformance import STORES
from tests.openai_stub import OLLAMA, Said, openai_stub, without_tools
from tests.sent import typed
from tests.servers import own_serving, serving
from tools.catalog import catalog

POLICY, INVALID = "⛔️policy_violation", "⛔️validation_error"
PRICES = {"OPENAI_INPUT_PRICE_PER_1K": "2", "OPENAI_OUTPUT_PRICE_PER_1K": "3"}
COST = 0.23
"""USD of one call at these prices: the stub counts 100 tokens in and 10 out."""

REPORT = {
    "content": "Review the quarterly report",
    "properties": {"type": "task", "due_date": "2026-01-13", "people": ["Ana", "Robin"], "note": None},
}
KEEP = Said(calls=[("create_item", REPORT), ("append_context", {"content": "Prefers deep work in the mornings"})])
DONE = Said("See your list.")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with openai_stub(DONE) as stub:
        yield Home(tmp_path, stub)


def tools_of(told: Any) -> list[str]:
    return [step["tool"] for step in told["steps"]]


def result_of(request: dict[str, Any]) -> str:
    """Return the last result that a model was sent."""
    assert request["messages"][-1]["role"] == "tool", request["messages"][-1]
    return str(request["messages"][-1]["content"])


# The graph


def test_a_turn_goes_through_four_named_nodes(make_assistant: MakeAssistant) -> None:
    handles = make_assistant(calls(("now", {})), "See above.").handles
    given: Any = {"messages": [HumanMessage("hello")]}
    steps = graph.stream(given, context=LocalContext(opened=handles), stream_mode="updates")
    nodes = [name for step in steps for name in step]
    assert nodes == ["load_context", "reason", "execute_tools", "reason", "reflect"]


def test_threads_are_checkpointed(home: Home) -> None:
    home.ask("My sister is called Robin", DONE)
    home.ask("And my brother?", DONE)
    home.ask("And my brother?", DONE, thread="another")
    seen = ["My sister is called Robin" in json.dumps(request["messages"]) for request in home.model.requests]
    assert seen == [True, True, False]


def test_langgraph_json_names_a_graph_with_a_context_schema_and_studio_is_asked(home: Home) -> None:
    assert list(json.loads((PROJECT / "langgraph.json").read_text())["graphs"]) == ["ana"]
    home.model.script = [KEEP, DONE]
    with serving(home.env, home.folder / "server.log") as server, get_sync_client(url=server.url) as studio:
        (assistant,) = studio.assistants.search(graph_id="ana")
        schema: Any = studio.assistants.get_schemas(assistant["assistant_id"])["context_schema"]
        assert schema["properties"].keys() >= {"model", "temperature", "max_steps", "autonomy"}
        thread = studio.threads.create()["thread_id"]
        said: Any = {"messages": [{"role": "user", "content": "Keep the report"}]}
        studio.runs.wait(thread, "ana", input=said, context={"autonomy": "advise"})
        (interrupt,) = studio.threads.get_state(thread)["interrupts"]
        requests = interrupt["value"]["action_requests"]
        assert [request["name"] for request in requests] == ["create_item", "append_context"]
        decisions = [{"type": "approve"}, {"type": "reject"}]
        studio.runs.wait(thread, "ana", command={"resume": {"decisions": decisions}})
        assert not studio.threads.get_state(thread)["interrupts"]
    stored = json.loads(home.run("describe", "--json"))["collections"]
    assert {each["name"]: each["count"] for each in stored} == {"items": 1, "global_context": 0}


# What is kept


def test_seven_primitives_are_langchain_tools_over_two_collections_of_chroma(home: Home) -> None:
    seven = ["create_item", "update_item", "delete_item", "query_items"]
    seven += ["append_context", "replace_context", "delete_context"]
    assert [name for name in seven if isinstance(catalog().get(name), BaseTool)] == seven
    create = Said(
        calls=[
            *(("create_item", {"content": content}) for content in ("Buy milk", "Buy tea")),
            *(("append_context", {"content": content}) for content in ("Likes tea", "Likes rain")),
        ]
    )

    def change(request: dict[str, Any]) -> Said:
        found = {content: id for id, content in re.findall(r'"id": "(\w+)", "content": "(.+?)"', result_of(request))}
        return Said(
            calls=[
                ("update_item", {"id": found["Buy milk"], "properties": {"status": "done"}}),
                ("delete_item", {"id": found["Buy tea"]}),
                ("replace_context", {"line": 0, "content": "Likes green tea"}),
                ("delete_context", {"line": 1}),
            ]
        )

    find = Said(calls=[("query_items", {"text": "buy"})])
    told = home.ask("Milk, tea, rain", create, find, change, DONE, ANA_AUTONOMY="act")
    assert {*tools_of(told)} == {*seven}
    documents = {name: held["documents"] for name, held in home.read_chroma().items()}
    assert documents == {"items": ["Buy milk\n---ANA_PROPS---\nstatus: done"], "global_context": ["Likes green tea"]}


def test_properties_are_embedded_with_dates_in_words_and_taken_off_on_reading(home: Home) -> None:
    told = home.ask("Keep this", KEEP, DONE)
    held = home.read_chroma()["items"]
    embedded = (
        "Review the quarterly report\n---ANA_PROPS---\n"
        "type: task\ndue date: Tuesday January 13 2026\npeople: Ana, Robin"
    )
    assert held["documents"] == [embedded]
    (vector,) = EMBEDDER.embed_documents([embedded])
    assert held["embeddings"][0] == pytest.approx(vector, abs=1e-6)
    (item,) = json.loads(home.run("items", "--json"))["items"]
    for read in (told["changes"][0]["after"], item):
        assert (read["content"], read["properties"]) == (REPORT["content"], REPORT["properties"])
    home.ask("What is due?", Said(calls=[("query_items", {"text": "report"})]), DONE, thread="another")
    seen = result_of(home.model.requests[-1])
    assert '"content": "Review the quarterly report"' in seen
    assert "ANA_PROPS" not in seen


def test_global_context_stands_in_the_prompt(home: Home) -> None:
    home.ask("I like deep work in the mornings", KEEP, DONE)
    home.ask("hello", DONE, thread="another")
    first, last = (request["messages"][0] for request in (home.model.requests[0], home.model.requests[-1]))
    assert (first["role"], last["role"]) == ("system", "system")
    assert "Prefers deep work in the mornings" not in first["content"]
    assert re.search(r"\b0\b.*Prefers deep work in the mornings", last["content"])


@pytest.mark.parametrize("name", ["chroma", "in memory"])
def test_two_backends_pass_one_suite_of_the_store(name: str, tmp_path: Path) -> None:
    for group, checks in GROUPS.items():  # one of each; all of them run in tests/memory
        with closing(STORES[name](tmp_path / group)) as store:
            checks[-1](store.open())


# What is checked


def test_an_answer_that_calculates_needs_the_calculator(home: Home) -> None:
    calculate, right = Said(calls=[("calculator", {"expression": "17 * 23"})]), Said("17 * 23 = 391")
    told = home.ask("What is 17 * 23?", Said("That is 391."), calculate, right)
    assert (tools_of(told), told["answer"]) == ([POLICY, "calculator"], "17 * 23 = 391")
    assert tools_of(home.ask("What is 17 * 23?", calculate, right, thread="another")) == ["calculator"]


def test_an_answer_that_tells_the_time_needs_now(home: Home) -> None:
    look = Said(calls=[("now", {})])

    def tell(request: dict[str, Any]) -> Said:
        clock = re.search(r"T(\d\d:\d\d)", result_of(request))
        assert clock
        return Said(f"It is {clock[1]}.")

    told = home.ask("What time is it?", Said("It is 3:12."), look, tell)
    assert tools_of(told) == [POLICY, "now"]
    assert told["steps"][1]["observation"]["iso"][11:16] in told["answer"]
    assert tools_of(home.ask("What time is it?", look, tell, thread="another")) == ["now"]


def test_violations_are_steps_and_the_loop_goes_on(home: Home) -> None:
    wrong, right = ("calculator", {"formula": "6 * 7"}), ("calculator", {"expression": "6 * 7"})
    told = home.ask("What is 6 * 7?", Said(calls=[wrong]), Said("42, surely."), Said(calls=[right]), Said("6 * 7 = 42"))
    assert (tools_of(told), told["answer"]) == ([INVALID, POLICY, "calculator"], "6 * 7 = 42")
    assert all(step["observation"] for step in told["steps"])


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("create_item", {}, "content"),
    ("calculator", {"expression": "1 + 1", "digits": 2}, "digits"),
    ("create_item", {"content": "Milk", "properties": "task"}, "properties"),
    ("query_items", {"limit": "many"}, "limit"),
    ("send_mail", {"to": "Robin"}, "send_mail"),
]


def test_arguments_are_checked_against_json_schema(home: Home) -> None:
    made = [(name, args) for name, args, _ in WRONG]
    told = home.ask("Milk", Said(calls=[*made, ("create_item", {"content": "Buy milk"})]), DONE)
    refused, kept = told["steps"][: len(WRONG)], told["steps"][len(WRONG)]
    assert [step["tool"] for step in refused] == [INVALID] * len(WRONG)
    for step, (_, _, named) in zip(refused, WRONG, strict=True):
        assert named in step["observation"]["error"]
        assert step["observation"]["hint"]
    assert kept["observation"]["content"] == "Buy milk", "the others still run"
    assert [change["op"] for change in told["changes"]] == ["create"]


LIMITS = ("1^65", "13!", "10^12 + 1", "1/0", "1" + " " * 1000, "+".join(["1"] * 150), "(" * 60 + "1" + ")" * 60)
CODE = ("__import__('os').getcwd()", "abs(-1)", "x + 1", "[1][0]", "'a' * 3")
WITHIN = {"9! / (3! * 3! * 3!)": 1680, "2^39 - 2^39": 0, "12! / 11!": 12, "10^12 / 10^11": 10}


def test_the_calculator_has_limits_and_runs_no_code(home: Home) -> None:
    made = [("calculator", {"expression": each}) for each in (*LIMITS, *CODE, *WITHIN)]
    seen = [step["observation"] for step in home.ask("Sums, please", Said(calls=made), DONE)["steps"]]
    refused, right = seen[: -len(WITHIN)], seen[-len(WITHIN) :]
    assert [each["result"] for each in right] == [*WITHIN.values()]
    assert [each.keys() for each in refused] == [{"error", "hint"}] * len(refused)


# Models


def test_openai_is_called_natively(home: Home) -> None:
    told = home.ask("Keep this", KEEP, DONE)
    assert tools_of(told) == ["create_item", "append_context"], "several calls a step"
    first, second = home.model.requests
    offered = {tool["function"]["name"]: tool["function"]["parameters"] for tool in first["tools"]}
    assert offered.keys() >= {*catalog()}
    assert offered["create_item"]["required"] == ["content"]
    roles = [message["role"] for message in second["messages"][-3:]]
    assert roles == ["assistant", "tool", "tool"]


def test_other_models_decide_in_json_by_examples_one_decision_a_step_and_are_repaired(home: Home) -> None:
    messy = "```json\n{'tool': {'name': 'create_item', 'args': {'content': 'Buy milk',},}}\n```"
    two = '{"tool": {"name": "now", "args": {}}}\n{"tool": {"name": "delete_item", "args": {"id": "abcdefgh"}}}'
    final = '{"final": {"answer": "See your list."}}'
    ollama = {"LLM_PROVIDER": "ollama", "OLLAMA_HOST": home.model.url.removesuffix("/v1"), "OLLAMA_MODEL": "small"}
    told = home.ask("Milk", *without_tools(messy, two, final, refusal=OLLAMA), **ollama)
    assert (tools_of(told), told["answer"]) == (["create_item", INVALID], "See your list.")
    assert told["steps"][0]["observation"]["content"] == "Buy milk"
    refused, *decided = home.model.requests
    assert "tools" in refused
    assert len(decided) == 3
    for request in decided:
        assert "tools" not in request
        system = request["messages"][0]["content"]
        assert "One decision a step" in system
        assert re.search(r'## Examples\n.*?\{"tool": .*?\{"final": ', system, re.DOTALL)


TURNS_TO = [
    ({"OLLAMA_MODEL": "one", "OPENAI_API_KEY": "sk-test"}, "ollama"),
    ({"OPENAI_API_KEY": "sk-test"}, "openai"),
    ({}, "offline"),
    ({"OLLAMA_MODEL": "one", "OPENAI_API_KEY": "sk-test", "LLM_PROVIDER": "mock"}, "offline"),
]


@pytest.mark.parametrize(("configured", "provider"), TURNS_TO)
def test_ollama_openai_and_mock_are_taken_in_that_order(home: Home, configured: dict[str, str], provider: str) -> None:
    nothing = dict.fromkeys(("OLLAMA_MODEL", "OPENROUTER_API_KEY", "OPENAI_API_KEY"), "")
    env = nothing | {"LLM_PROVIDER": "", "OLLAMA_HOST": home.model.url.removesuffix("/v1")} | configured
    told = home.ask("hello", DONE, **env)
    assert json.loads(Path(told["trace_path"]).read_text())["provider"] == provider
    asked = [request["model"] for request in home.model.requests]
    assert asked == {"ollama": ["one"], "openai": ["large"], "offline": []}[provider]


def test_costs_are_by_the_two_price_settings(home: Home) -> None:
    told = home.ask("Keep this", KEEP, DONE, **PRICES)
    assert told["cost_usd"] == 2 * COST
    assert json.loads(Path(told["trace_path"]).read_text())["cost_usd"] == 2 * COST
    (day,) = json.loads(home.run("cost", "--json"))["days"]
    assert day["cost_usd"] == 2 * COST


def test_tools_modules_add_tools(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    module = 'def roll(sides: int) -> str:\n    """Throw a die."""\n    return f"{sides} sides"\n\n'
    module += 'TOOLS = [{"function": roll, "metadata": {"readOnlyHint": True}}]\n'
    (home.folder / "dice_of_mine.py").write_text(module)
    monkeypatch.syspath_prepend(home.folder)
    told = home.ask("Throw a die", Said(calls=[("roll", {"sides": 6})]), DONE, TOOLS_MODULES="dice_of_mine")
    assert [(step["tool"], step["observation"]) for step in told["steps"]] == [("roll", "6 sides")]
    assert "roll" in {tool["function"]["name"] for tool in home.model.requests[0]["tools"]}


# Traces and figures


def test_traces_are_json_lines_and_replay_tells_one(home: Home) -> None:
    home.ask("Keep this", KEEP, DONE)
    told = home.ask("And now?", Said("Nothing else."))
    path = Path(told["trace_path"])
    assert path.parent == Path(home.env["TRACES_DIR"])
    first, last = map(json.loads, path.read_text().splitlines())
    assert all({"id", "ts", "question", "steps", "answer"} <= record.keys() for record in (first, last))
    assert (first["question"], first["answer"]) == ("Keep this", "See your list.")
    assert [step.keys() for step in first["steps"]] == [{"tool", "args", "observation"}] * 2
    assert (last["id"], last["question"], last["answer"]) == (told["trace_id"], "And now?", "Nothing else.")
    shown = home.run("replay", "--path", str(path), "--index", "-1")
    assert [text in shown for text in ("And now?", "Nothing else.", "Keep this")] == [True, True, False]
    assert "Keep this" in home.run("replay", "--path", str(path), "--index", "0")


def test_ask_and_trace_are_routes_with_cors(home: Home) -> None:
    home.model.script = [KEEP, DONE]
    page, allowed = {"origin": "https://page.example"}, {"ANA_CORS_ORIGINS": "https://page.example"}
    preflight = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    with own_serving(home.env | allowed, home.folder / "server.log") as server:
        with httpx.Client(base_url=server.url, headers=page, timeout=30) as client:
            before = client.options("/ask", headers=preflight)
            asked = client.post("/ask", json={"question": "Keep this"})
            trace = client.get(f"/trace/{asked.json()['trace_id']}")
        other = httpx.get(f"{server.url}/trace/{asked.json()['trace_id']}", headers={"origin": "https://evil.example"})
    answers = (before, asked, trace)
    assert [answer.status_code for answer in answers] == [200] * 3
    assert {answer.headers["access-control-allow-origin"] for answer in answers} == {page["origin"]}
    assert "content-type" in before.headers["access-control-allow-headers"].lower()
    assert asked.json()["answer"] == trace.json()["answer"] == "See your list."
    assert trace.json()["question"] == "Keep this"
    assert "access-control-allow-origin" not in other.headers


def test_describe_tells_what_is_stored(home: Home) -> None:
    home.ask("Keep this", KEEP, DONE)
    told = json.loads(home.run("describe", "-s", "1", "--json"))
    assert {each["name"]: each["count"] for each in told["collections"]} == {"items": 1, "global_context": 1}
    assert told["collections"][0]["fields"].keys() >= {"type", "due_date", "people"}
    assert [each["samples"][0]["content"] for each in told["collections"]] == [
        REPORT["content"],
        "Prefers deep work in the mornings",
    ]
    assert "Review the quarterly report" in home.run("describe", "-s", "1")


def test_langsmith_is_sent_a_turn_as_a_tree(home: Home) -> None:
    with langsmith_collector() as collector:
        home.ask("Keep this", KEEP, DONE, **collector.env)
        (root,) = collector.wait_for_roots(1)
        tree = {each["name"]: collector.children(each) for each in collector.children(root)}
    assert list(tree) == ["load_context", "reason", "execute_tools", "reflect"]
    assert [each["run_type"] for each in tree["reason"]] == ["llm"]
    assert [(each["run_type"], each["name"]) for each in tree["execute_tools"]] == [
        ("tool", "create_item"),
        ("tool", "append_context"),
    ]


SUMS = {"17 * 23": "391", "12 * 12": "144", "19 * 6": "114", "45 * 12": "540", "1200 / 16": "75", "128 + 72": "200"}


def write_tasks(folder: Path) -> str:
    """Write a file of sums, each of which needs the calculator; return where."""
    sums = [
        {"id": f"sum-{n}", "question": f"What is {sum}?", "expect_key": "calculator", "expect_contains": SUMS[sum]}
        for n, sum in enumerate(SUMS)
    ]
    tasks = {"now": "2026-05-13T09:20", "zone": "Europe/Berlin", "groups": {"sums": sums}}
    (folder / "tasks.yaml").write_text(yaml.safe_dump(tasks))
    return str(folder / "tasks.yaml")


def calculate(request: dict[str, Any]) -> Said:
    """A model that calculates the first sum, and any other where it is shown how that was done."""
    said = [typed(message["content"]) for message in request["messages"] if message["role"] == "user"]
    if request["messages"][-1]["role"] == "tool":
        (result,) = re.findall(r'"result": (\d+)', result_of(request))
        return Said(f"The result is {result}.")
    if not any("17 * 23" in text for text in said):
        return Said("I do not know.")
    return Said(calls=[("calculator", {"expression": said[-1].removeprefix("What is ").removesuffix("?")})])


def test_demos_are_saved_by_optimize_and_loaded_unasked(home: Home) -> None:
    assert load_settings({}).compiled_demos_path == PROJECT / "opt" / "plan_demos.json"
    demos = {"COMPILED_DEMOS_PATH": str(home.folder / "opt" / "plan_demos.json")}
    home.model.script = [calculate]
    home.run("optimize", "--tasks", write_tasks(home.folder), **demos)
    told = home.ask("What is 8 * 8?", calculate, **demos)
    assert (tools_of(told), told["answer"]) == (["calculator"], "The result is 64.")
    shown = home.model.requests[-1]["messages"]
    assert any("What is 17 * 23?" in (message["content"] or "") for message in shown)


NINE = (
    *("n", "success_rate", "contains_hit_rate", "key_hit_rate", "avg_latency_sec"),
    *("avg_lm_calls", "avg_tool_calls", "avg_steps", "avg_cost_usd"),
)


def test_eval_measures_nine_metrics_and_a_judge_scores_by_rubrics(home: Home) -> None:
    rubrics = yaml.safe_load((PROJECT / "evals" / "rubrics.yaml").read_text())["rubrics"]

    def reply(request: dict[str, Any]) -> Said:
        scores = Said(json.dumps(dict(zip(rubrics, (2, 1, 0), strict=True))))
        return scores if request["model"] == "judge" else calculate(request)

    home.model.script = [reply]
    command = ("eval", "--tasks", write_tasks(home.folder), "--judge", "openai:judge", "--json")
    told = json.loads(home.run(*command, **PRICES))
    figures = told["groups"]["all"]
    assert figures.pop("avg_latency_sec") > 0
    right, cost = pytest.approx(1 / 6, abs=1e-4), pytest.approx(7 * COST / 6, abs=1e-4)
    expected = [6, right, right, right, pytest.approx(7 / 6, abs=1e-4), right, right, cost]
    assert [figures[name] for name in NINE if name != "avg_latency_sec"] == expected
    asked = home.model.requests[-1]["messages"][0]["content"]
    assert all(question in asked for question in rubrics.values())
    assert told["judge"]["means"] == dict(zip(rubrics, (1, 0.5, 0), strict=True))
