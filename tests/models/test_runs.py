"""One model call is one llm run in traces, named as the provider and the model that answered, with its tokens once."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tracers.run_collector import RunCollectorCallbackHandler
from langchain_core.tracers.schemas import Run

from ana.handles import Handles
from ana.models.scripted import ScriptedModel, calls
from graph.builder import builder
from graph.context import LocalContext
from tests.openai_stub import Said, openai_stub, without_tools
from tests.opened import open_in

KEEP = ("create_item", {"content": "Buy milk"})
WRITE = '{"tool": {"name": "create_item", "args": {"content": "Buy milk"}}}'
ANSWER = '{"final": {"answer": "Saved."}}'
NATIVE = [Said(calls=[KEEP]), Said("Saved.")]
QUESTION = HumanMessage("buy milk", id="q")


def opened(folder: Path, url: str, **more: str) -> Handles:
    fixed = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": url, "OPENAI_MODEL": "gpt-x"}
    return open_in(folder, **fixed | more)


def llm_runs(handles: Handles, *messages: Any, **options: Any) -> list[Run]:
    """Run a turn and return the llm runs below its root, in order."""
    collector = RunCollectorCallbackHandler()
    given: Any = {"messages": list(messages) or [QUESTION]}
    context = LocalContext(opened=handles, **options)
    builder.compile().invoke(given, {"callbacks": [collector]}, context=context)
    (root,) = collector.traced_runs
    return [run for run in walk(root) if run.run_type == "llm"]


def walk(run: Run) -> Iterator[Run]:
    yield run
    for child in run.child_runs:
        yield from walk(child)


def named(run: Run) -> tuple[str, str]:
    metadata = (run.extra or {})["metadata"]
    return metadata["ls_provider"], metadata["ls_model_name"]


def tokens(run: Run) -> int:
    message = (run.outputs or {})["generations"][0][0]["message"]["kwargs"]
    return int(message["usage_metadata"]["input_tokens"])


WAYS: dict[str, tuple[Callable[[], list[Any]], dict[str, str]]] = {
    "native": (lambda: NATIVE, {"USE_TOOL_CALLS": "1"}),
    "native, auto": (lambda: NATIVE, {}),
    "JSON decisions": (lambda: [Said(WRITE), Said(ANSWER)], {"USE_TOOL_CALLS": "0"}),
    "JSON decisions after a refusal": (lambda: without_tools(WRITE, ANSWER), {}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_call_of_a_provider_is_one_run_under_its_name(tmp_path: Path, way: str) -> None:
    script, more = WAYS[way]
    with openai_stub(*script()) as stub:
        runs = llm_runs(opened(tmp_path, stub.url, **more))
    assert [named(run) for run in runs] == [("openai", "gpt-x")] * 2
    assert [tokens(run) for run in runs] == [100, 100]
    assert {run.name for run in runs} == {"ChatOpenAI"}


@pytest.mark.parametrize(
    ("provider", "more"),
    [
        ("ollama", {"OLLAMA_MODEL": "qwen3:8b"}),
        ("openrouter", {"OPENROUTER_API_KEY": "sk-test", "OPENROUTER_MODEL": "a/b"}),
    ],
)
def test_a_provider_that_speaks_openais_protocol_keeps_its_own_name(
    tmp_path: Path, provider: str, more: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_stub(*NATIVE) as stub:
        monkeypatch.setattr("ana.models.providers.OPENROUTER_URL", stub.url)
        runs = llm_runs(opened(tmp_path, "", LLM_PROVIDER=provider, OLLAMA_HOST=stub.url.removesuffix("/v1"), **more))
    assert [named(run) for run in runs] == [(provider, list(more.values())[-1])] * 2


def test_another_model_is_named_by_its_own_name(tmp_path: Path) -> None:
    with openai_stub(*NATIVE) as stub:
        runs = llm_runs(opened(tmp_path, stub.url), model="gpt-y", temperature=0.5)
    assert [named(run) for run in runs] == [("openai", "gpt-y")] * 2
    assert [request["model"] for request in stub.requests] == ["gpt-y"] * 2


def test_a_call_of_a_model_in_this_process_is_one_run(tmp_path: Path) -> None:
    offline = opened(tmp_path, "", LLM_PROVIDER="offline")
    assert [named(run) for run in llm_runs(offline)] == [("offline", "offline")] * 2
    model, other = (
        ScriptedModel(replies=[calls(KEEP), "Saved."]),
        opened(tmp_path / "other", "", LLM_PROVIDER="offline"),
    )
    scripted = replace(other, model=model)
    assert [named(run) for run in llm_runs(scripted)] == [("scripted", "scripted")] * 2


def test_a_summary_is_a_run_of_its_own(tmp_path: Path) -> None:
    earlier = [HumanMessage("word " * 400, id=f"q{n}") for n in range(3)]
    with openai_stub(Said("They said words."), *NATIVE) as stub:
        runs = llm_runs(opened(tmp_path, stub.url, ANA_HISTORY_TOKENS="500"), *earlier, QUESTION)
    assert [named(run) for run in runs] == [("openai", "gpt-x")] * 3
    assert [tokens(run) for run in runs] == [100] * 3
    assert ["tools" in request for request in stub.requests] == [False, True, True]


def test_a_call_that_fails_is_one_run_with_its_error(tmp_path: Path) -> None:
    with openai_stub(Said(status=401)) as stub:
        (run,) = llm_runs(opened(tmp_path, stub.url))
    assert named(run) == ("openai", "gpt-x")
    assert "401" in (run.error or "")
