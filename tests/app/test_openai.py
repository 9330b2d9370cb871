"""The real ChatOpenAI against a loopback server: several tool calls, streaming, restarts, faults."""

import json
from pathlib import Path
from typing import Any

import pytest

from ana.handles import open_handles
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.outcome import Done, expect_done
from app.turn import open_assistant
from tests.conftest import THREAD, folders
from tests.openai_stub import Said, Stub, openai_stub

TWO = Said(
    "I will keep both.",
    calls=[("create_item", {"content": "Buy milk – 2 €"}), ("append_context", {"content": "Is called Mira"})],
)


def ask(stub: Stub, folder: Path, question: str, events: list[dict[str, Any]] | None = None) -> Done:
    env = folders(folder, OPENAI_API_KEY="sk-test-key", OPENAI_BASE_URL=stub.url, OPENAI_INPUT_PRICE_PER_1K="0.5")
    with open_assistant(open_handles(open_workspace(load_settings(env)))) as assistant:
        return expect_done(assistant.ask(question, THREAD, on_event=(events if events is not None else []).append))


def test_several_calls_then_a_second_turn_after_a_restart(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    with openai_stub(TWO, Said("Both saved."), Said("Hello Mira.")) as stub:
        first = ask(stub, tmp_path, "I am Mira and need milk", events)
        second = ask(stub, tmp_path, "hi")
    assert first.answer == "Both saved."
    assert [s["tool"] for s in first.steps] == ["create_item", "append_context"]
    assert first.steps[0]["observation"]["content"] == "Buy milk – 2 €"
    assert first.usage == {"input_tokens": 200, "output_tokens": 20, "estimated": False}
    assert first.cost_usd == pytest.approx(0.1)
    assert [e["tool"] for e in events if "tool" in e] == ["create_item", "append_context"]
    assert "".join(e["draft"] for e in events if "draft" in e).strip() == "I will keep both. Both saved."
    assert len([e for e in events if "draft" in e]) > 2, "piece by piece"
    assert second.answer == "Hello Mira."
    within, last = stub.requests[1]["messages"], stub.requests[-1]["messages"]
    assert [m["role"] for m in within] == ["system", "user", "assistant", "tool", "tool"]
    called = [c["id"] for c in within[2]["tool_calls"]]
    assert called == [m["tool_call_id"] for m in within if m["role"] == "tool"]
    assert len(set(called)) == 2, "the provider repeated its ids"
    assert [m["role"] for m in last] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert [c["id"] for c in last[2]["tool_calls"]] == [last[3]["tool_call_id"]]
    assert "append_context: line 0" in last[3]["content"], "the turn before is one call, which tells of both"
    assert '0-- "Is called Mira"' in last[0]["content"]
    assert {t["function"]["name"] for t in stub.requests[0]["tools"]} >= {"create_item", "calculator", "now"}
    assert set(stub.authorizations) == {"Bearer sk-test-key"}


ODD: list[tuple[str, str]] = [
    ('{"content": "x", "properties": {"n": NaN}}', "NaN"),
    ('{"content": "x", "properties": {"n": 1' + "0" * 30 + "}}", "64 bits"),
    ('{"content": "x", "properties": {"n": 1' + "0" * 6000 + "}}", "64 bits"),
    ('{"content": "x", "properties": ' + '{"a":' * 60 + "1" + "}" * 61, "deep"),
    ('{"content": "x", "properties": ' + '{"a":' * 6_000 + "1" + "}" * 6_001, ""),
    ('["content"]', "not an object"),
    ("content: x", ""),
]


@pytest.mark.parametrize(("raw", "named"), ODD)
def test_arguments_that_cannot_be_kept_are_refused_with_the_reason(tmp_path: Path, raw: str, named: str) -> None:
    with openai_stub(Said(calls=[("create_item", raw)]), Said("That did not work.")) as stub:
        answer = ask(stub, tmp_path, "keep this")
    (step,) = answer.steps
    assert named in step["observation"]["error"]
    assert answer.changes == []
    assert answer.answer == "That did not work."


def test_lone_surrogates_never_break_a_thread(tmp_path: Path) -> None:
    odd = Said("a \ud800 b", calls=[("create_item", '{"content": "x \\ud800", "properties": {"k\\udfff": "\\ud800"}}')])
    with openai_stub(odd, Said("I saved it \ud800.")) as stub:
        answer = ask(stub, tmp_path, "keep this")
        again = ask(stub, tmp_path, "and?")
    assert [step["tool"] for step in answer.steps] == ["⛔️validation_error"]
    assert "character 3 is half a character" in answer.steps[0]["observation"]["error"]
    assert answer.changes == []
    assert "I saved it ?." in answer.answer
    assert again.answer


def test_no_key_reaches_a_trace_or_a_log(tmp_path: Path) -> None:
    with openai_stub(Said("Your key is sk-test-key, is it not?")) as stub:
        answer = ask(stub, tmp_path, "what is sk-test-key?")
    written = Path(answer.trace_path).read_text()
    assert "sk-test-key" not in written
    assert json.loads(written)["question"] == "what is [secret]?"
