"""Figures for Prometheus: counted from the records of turns, from runs and from requests, without words and ids."""

import re
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from ana.backends.in_memory import InMemoryBackend
from ana.errors import ConfigError
from ana.handles import Handles, open_handles
from ana.models.providers import model_name
from ana.models.scripted import ScriptedModel, calls
from ana.people import People
from ana.settings import Settings, load_settings
from ana.urls import Listener
from ana.workspace import open_workspace
from app.outcome import Waiting
from app.server import measuring
from app.server.measuring import OTHER, TurnMeter, show_metrics
from tests.conftest import EMBEDDER, THREAD, MakeAssistant, folders
from tests.others import let_others_speak
from tests.servers import own_serving

WORDS = "zebrawords"
LOCAL = Listener("127.0.0.1", 0)
USED = {"input_tokens": 1000, "output_tokens": 200, "total_tokens": 1200, "input_token_details": {"cache_read": 300}}


def read_value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def show() -> str:
    with show_metrics(LOCAL) as address:
        return httpx.get(address).raise_for_status().text


def play(settings: Settings, *replies: object) -> Handles:
    """Return handles with a script for a model, whose turns are counted."""
    model = ScriptedModel(replies=[*replies])
    handles = open_handles(open_workspace(settings), model=model, backend=InMemoryBackend(EMBEDDER))
    return replace(handles, meter=TurnMeter(settings))


def count_turns(outcome: str, model: str) -> float:
    return read_value("ana_turns_total", outcome=outcome, model=model)


def test_a_turn_is_counted_by_its_record(settings: Settings, make_assistant: MakeAssistant) -> None:
    name = model_name(settings)
    assistant = make_assistant(handles=play(settings, calls(("create_item", {"content": WORDS})), "Kept."))
    before = {outcome: count_turns(outcome, name) for outcome in ("done", "failed")}
    seconds = read_value("ana_turn_seconds_count")
    assistant.ask(f"milk {WORDS}", THREAD)
    assert count_turns("done", name) == before["done"] + 1
    assert read_value("ana_turn_seconds_count") == seconds + 1
    assistant.ask("again, and the script has no further reply", THREAD)
    assert count_turns("failed", name) == before["failed"] + 1
    assert WORDS not in show()
    assert THREAD not in show()


def test_a_model_that_nobody_set_up_and_a_turn_that_a_person_ended_have_labels_of_ours(
    settings: Settings, make_assistant: MakeAssistant
) -> None:
    delete, name = calls(("delete_item", {"id": "aaaaaaaa"})), model_name(settings)
    handles = play(settings, delete, "Kept.")
    let_others_speak(handles.memory)
    item = handles.memory.create(f"the car {WORDS}").after
    assert item
    delete.tool_calls[0]["args"]["id"] = item.id
    assistant = make_assistant(handles=handles)
    seconds = read_value("ana_turn_seconds_count")
    closed, other = count_turns("closed", name), count_turns("closed", OTHER)
    assert isinstance(assistant.ask("tidy up", THREAD), Waiting)
    assert read_value("ana_turn_seconds_count") == seconds, "a turn that waits has not ended"
    assistant.drop(THREAD)
    assert count_turns("closed", name) == closed + 1
    (record,) = handles.traces.read(THREAD)
    handles.meter.count_turn(record | {"model": WORDS})
    assert count_turns("closed", OTHER) == other + 1


def test_each_process_takes_the_next_free_port(monkeypatch: pytest.MonkeyPatch) -> None:
    with show_metrics(LOCAL) as first:
        at = LOCAL._replace(port=int(httpx.URL(first).port or 0))
        with show_metrics(at) as second:
            assert httpx.URL(second).port != at.port
            assert httpx.get(second).status_code == 200
        monkeypatch.setattr(measuring, "MOST", 1)
        with pytest.raises(ConfigError, match="ANA_METRICS cannot be used: Address already in use"):
            show_metrics(at).__enter__()


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
            assert anna.get("/metrics").status_code == 501
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
    assert samples["ana_runs_waiting",] == 0
    requests = {
        ("/ask", "POST", "200"): 1,
        ("__unknown__", "GET", "401"): 1,
        ("/runs/stream", "POST", "200"): 1,
        ("/threads/{thread_id}", "GET", "404"): 1,
    }
    counted = {labels: samples.get(("ana_http_requests_total", *sorted((*labels, "ana")))) for labels in requests}
    assert counted == requests
    for words in (WORDS, WORDS.upper(), "anna", THREAD):
        assert words not in text
