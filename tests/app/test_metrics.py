"""Figures for Prometheus: counted from the records of turns, from runs and from requests, without words and ids."""

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from langchain_core.messages import AIMessage
from prometheus_client.parser import text_string_to_metric_families

from ana.backends.in_memory import InMemoryBackend
from ana.errors import ConfigError
from ana.handles import Handles, open_handles
from ana.models.providers import model_name
from ana.models.scripted import ScriptedModel, calls
from ana.people import People
from ana.runs.local import LocalRuns
from ana.runs.port import StartedRun
from ana.runs.slots import Slots
from ana.settings import Settings, load_settings
from ana.urls import Listener
from ana.workspace import open_workspace
from app.metrics import serving
from app.metrics.figures import OTHER, Metrics
from app.metrics.serving import show_metrics
from app.outcome import Waiting
from tests.conftest import EMBEDDER, MakeAssistant, folders
from tests.others import let_others_speak
from tests.runs.conformance import ScriptedWorker, begin, read, start
from tests.servers import own_serving

THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"
WORDS = "zebrawords"
LOCAL = Listener("127.0.0.1", 0)
USED = {"input_tokens": 1000, "output_tokens": 200, "total_tokens": 1200, "input_token_details": {"cache_read": 300}}


@pytest.fixture
def metrics(settings: Settings) -> Metrics:
    return Metrics(settings, "serve")


def read_value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def show(metrics: Metrics) -> str:
    with show_metrics(metrics, LOCAL) as address:
        return httpx.get(address).raise_for_status().text


def play(metrics: Metrics, settings: Settings, *replies: object) -> Handles:
    """Return handles with a script for a model, whose turns are counted."""
    model = ScriptedModel(replies=[*replies])
    handles = open_handles(open_workspace(settings), model=model, backend=InMemoryBackend(EMBEDDER))
    return replace(handles, meter=metrics)


def test_a_turn_is_counted_by_its_record(metrics: Metrics, settings: Settings, make_assistant: MakeAssistant) -> None:
    milk = ("create_item", {"content": f"Buy milk {WORDS}"})
    first = AIMessage("", tool_calls=calls(milk, ("update_item", {"id": "gone", "content": WORDS})).tool_calls)
    first.usage_metadata = USED  # type: ignore[assignment]
    wrong = calls(("create_item", {"no": WORDS}), (WORDS, {}))
    drafts = (f"Done, {WORDS}, see abcd2e4f.", "The milk is kept. The change failed, and so did two calls.")
    handles = play(metrics, settings, first, wrong, *drafts)
    assistant = make_assistant(handles=handles)
    assistant.ask(f"milk {WORDS}", THREAD)
    name = model_name(settings)
    assert read_value(metrics, "ana_turns_total", outcome="done", model=name) == 1
    assert read_value(metrics, "ana_tool_calls_total", tool="create_item", outcome="ok") == 1
    assert read_value(metrics, "ana_tool_calls_total", tool="update_item", outcome="error") == 1
    assert read_value(metrics, "ana_tool_calls_total", tool="create_item", outcome="invalid") == 1
    assert read_value(metrics, "ana_tool_calls_total", tool=OTHER, outcome="invalid") == 1
    assert read_value(metrics, "ana_model_calls_total", model=name) == 4
    assert read_value(metrics, "ana_drafts_sent_back_total", policy="citation") == 1
    assert (read_value(metrics, "ana_tokens_total", model=name, kind="input") or 0) > 1000
    assert read_value(metrics, "ana_tokens_total", model=name, kind="cached") == 300
    assert read_value(metrics, "ana_turn_seconds_count") == 1
    (record,) = handles.traces.read(THREAD)
    spent = read_value(metrics, "ana_node_seconds_total", node="reason")
    assert spent == pytest.approx(record["durations"]["reason"])
    assistant.ask("again, and the script has no further reply", THREAD)
    assert read_value(metrics, "ana_turns_total", outcome="failed", model=name) == 1
    assert WORDS not in show(metrics)
    assert THREAD not in show(metrics)


def test_a_model_that_nobody_set_up_and_a_turn_that_a_person_ended_have_labels_of_ours(
    metrics: Metrics, settings: Settings, make_assistant: MakeAssistant
) -> None:
    delete = calls(("delete_item", {"id": "aaaaaaaa"}))
    handles = play(metrics, settings, delete, "Kept.")
    let_others_speak(handles.memory)
    item = handles.memory.create(f"the car {WORDS}").after
    assert item
    delete.tool_calls[0]["args"]["id"] = item.id
    assistant = make_assistant(handles=handles)
    assert isinstance(assistant.ask("tidy up", THREAD), Waiting)
    assert read_value(metrics, "ana_turn_seconds_count") == 0, "a turn that waits has not ended"
    assistant.drop(THREAD)
    assert read_value(metrics, "ana_turns_total", outcome="closed", model=model_name(settings)) == 1
    (record,) = handles.traces.read(THREAD)
    metrics.count_turn(record | {"model": WORDS})
    assert read_value(metrics, "ana_turns_total", outcome="closed", model=OTHER) == 1


class _CountedWorker(ScriptedWorker):
    """Counts as the graph's worker does."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__()
        self._metrics = metrics

    async def work(self, run: StartedRun, rollback: asyncio.Event) -> AsyncGenerator[tuple[str, bytes]]:
        with self._metrics.watch_run(run):
            async for each in super().work(run, rollback):
                yield each


def test_runs_are_counted_while_they_wait_and_work(metrics: Metrics) -> None:
    async def check() -> None:
        worker = _CountedWorker(metrics)
        runs = LocalRuns("ann", worker, Slots(each=1))
        metrics.count_waiting(runs.count_waiting)
        first = await begin(runs)
        second, third = await start(runs, fails=ValueError("no")), await start(runs)
        assert [read_value(metrics, f"ana_runs_{how}") for how in ("working", "waiting")] == [1, 2]
        await runs.cancel(first, rollback=False)
        worker.may_go_on.set()
        for id in (first, second, third):
            await runs.join(id)
        assert [event.name for event in await read(runs, second)] == ["values", "error"]

    asyncio.run(check())
    assert [read_value(metrics, f"ana_runs_{how}") for how in ("working", "waiting")] == [0, 0]
    ended = {
        outcome: read_value(metrics, "ana_runs_total", outcome=outcome) for outcome in ("cancelled", "failed", "done")
    }
    assert ended == {"cancelled": 1, "failed": 1, "done": 1}
    assert read_value(metrics, "ana_run_waited_seconds_count") == 3


def test_figures_of_two_processes_know_nothing_of_each_other(metrics: Metrics, settings: Settings) -> None:
    metrics.count_request("/ok", "GET", 200, 0.01)
    assert "ana_http_requests_total{" in show(metrics)
    assert "ana_http_requests_total{" not in show(Metrics(settings, "worker"))


def test_each_process_takes_the_next_free_port_and_answers_for_no_name_of_another(
    metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    with show_metrics(metrics, LOCAL) as first:
        at = LOCAL._replace(port=int(httpx.URL(first).port or 0))
        with show_metrics(metrics, at) as second:
            assert httpx.URL(second).port != at.port
            assert httpx.get(second).status_code == 200
        asked = {path: httpx.get(first.replace("/metrics", path)).status_code for path in ("/", "/metrics/x")}
        assert asked == {"/": 404, "/metrics/x": 404}
        assert httpx.get(first, headers={"host": "evil.example"}).status_code == 421
        assert httpx.post(first).status_code == 405
        monkeypatch.setattr(serving, "MOST", 1)
        with pytest.raises(ConfigError, match="ANA_METRICS cannot be used: Address already in use"):
            show_metrics(metrics, at).__enter__()


@pytest.mark.parametrize("wrong", ["9464x", "here:", "127.0.0.1:70000", "::1:9464", "http://localhost:9464"])
def test_an_address_that_is_none_is_named(wrong: str) -> None:
    with pytest.raises(ConfigError, match="ANA_METRICS is wrong: give HOST:PORT"):
        load_settings({"ANA_METRICS": wrong})


def test_an_address_is_host_and_port_or_a_port_of_this_machine() -> None:
    told = {given: load_settings({"ANA_METRICS": given}).ana_metrics for given in ("9464", ":9464", "[::1]:1", "web:2")}
    local = Listener("127.0.0.1", 9464)
    assert told == {"9464": local, ":9464": local, "[::1]:1": Listener("::1", 1), "web:2": Listener("web", 2)}
    assert load_settings({}).ana_metrics is None


def test_a_server_shows_what_it_did_beside_its_door_and_not_through_it(tmp_path: Path) -> None:
    env = folders(tmp_path, LLM_PROVIDER="offline", ANA_METRICS="127.0.0.1:0")
    token = People(load_settings(env)).add("anna")
    log = tmp_path / "server.log"
    with own_serving(env, log) as server:
        (address,) = re.findall(r"^Metrics: (\S+)$", log.read_text(), re.MULTILINE)
        headers = {"authorization": f"Bearer {token}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=60) as anna:
            assert anna.get("/metrics").status_code == 404
            anna.post("/ask", json={"question": f"note: {WORDS}"}).raise_for_status()
            said = {"assistant_id": "ana", "input": {"messages": [{"role": "user", "content": f"note: {WORDS} again"}]}}
            anna.post("/runs/stream", json=said).raise_for_status()
            anna.get(f"/threads/{WORDS}")
            anna.get(f"/{WORDS}")
            anna.request(WORDS.upper(), "/ok")
        httpx.get(f"{server.url}/ask")
        text = httpx.get(address).text
    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples["ana_turns_total", "done", "offline reader"] == 2
    assert samples["ana_runs_total", "done"] == 1
    assert samples["ana_open_streams",] == 0
    requests = {
        ("/ask", "POST", "200"): 1,
        ("/ask", "GET", "401"): 1,
        ("/runs/stream", "POST", "200"): 1,
        ("/threads/{thread_id}", "GET", "404"): 1,
        ("other", "GET", "404"): 2,
        ("/ok", "other", "405"): 1,
    }
    assert {labels: samples.get(("ana_http_requests_total", *sorted(labels))) for labels in requests} == requests
    for words in (WORDS, WORDS.upper(), "anna", THREAD):
        assert words not in text
