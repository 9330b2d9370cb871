"""A model that answers in messy JSON behind an endpoint that takes no tools: the same turns, the same store."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from langchain_core.messages import AIMessage, HumanMessage

from ana.backends.in_memory import InMemoryBackend
from ana.handles import open_handles
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.outcome import Done, expect_done
from app.turn import Assistant, open_assistant
from graph.builder import builder
from graph.context import LocalContext
from prompts import decision_prompt
from tests.conftest import EMBEDDER, THREAD, folders
from tests.openai_stub import OLLAMA, Said, Stub, openai_stub, without_tools

WRITE = """Sure, I'll note that!
```json
{'tool': {'name': 'createItem', 'args': {'content': 'Buy Mum's cake', 'properties': {'type': 'task',},}}} // milk
```"""
QUERY = (
    '<think>Look.</think><tool_call>\n{"name": "query_items", "arguments": "{\\"text\\": \\"cake\\"}"}\n</tool_call>'
)
FINAL = '```json\n{"final": "You have one task: the cake."}\n```'


@contextmanager
def opened(stub: Stub, folder: Path, **more: str) -> Iterator[Assistant]:
    env = folders(folder, OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=stub.url, **more)
    with open_assistant(
        open_handles(open_workspace(load_settings(env)), instruct=decision_prompt, backend=InMemoryBackend(EMBEDDER))
    ) as assistant:
        yield assistant


def ask(stub: Stub, folder: Path, *questions: str, events: list[dict[str, Any]] | None = None, **more: str) -> Done:
    heard = events if events is not None else []
    with opened(stub, folder, **more) as assistant:
        answers = [assistant.ask(question, THREAD, on_event=heard.append) for question in questions]
    return expect_done(answers[-1])


@pytest.mark.parametrize("mode", ["0", "auto"])
def test_it_writes_finds_and_answers(tmp_path: Path, mode: str) -> None:
    events: list[dict[str, Any]] = []
    with openai_stub(*without_tools(WRITE, QUERY, FINAL)) as stub:
        answer = ask(stub, tmp_path, "Mum's cake, please", events=events, USE_TOOL_CALLS=mode)
    assert answer.answer == "You have one task: the cake."
    assert [step["tool"] for step in answer.steps] == ["create_item", "query_items"]
    assert answer.steps[0]["observation"]["content"] == "Buy Mum's cake"
    assert [item["content"] for item in answer.steps[1]["observation"]["items"]] == ["Buy Mum's cake"]
    assert [change["op"] for change in answer.changes] == ["create"]
    assert answer.usage == {"input_tokens": 300, "output_tokens": 30, "estimated": False}
    assert "".join(event.get("draft", "") for event in events) == answer.answer, "never JSON"
    record = json.loads(Path(answer.trace_path).read_text())
    assert [d["tool_calls"][0]["name"] for d in record["decisions"][:2]] == ["create_item", "query_items"]
    assert len(stub.requests) == (3 if mode == "0" else 4)
    assert ["tools" in request for request in stub.requests[-3:]] == [False] * 3


@pytest.mark.parametrize("mode", ["0", "auto"])
def test_a_client_that_listens_to_messages_is_sent_only_the_answer(tmp_path: Path, mode: str) -> None:
    with (
        openai_stub(*without_tools(WRITE, FINAL)) as stub,
        opened(stub, tmp_path, USE_TOOL_CALLS=mode) as assistant,
    ):
        run = builder.compile().stream(
            {"messages": [HumanMessage("Mum's cake, please", id="q")]},
            context=LocalContext(opened=assistant.handles),
            stream_mode="messages",
        )
        heard = [message.text for message, _ in run if isinstance(message, AIMessage)]
    assert "".join(heard) == "You have one task: the cake."


def test_what_it_is_sent_is_plain_and_takes_turns(tmp_path: Path) -> None:
    with openai_stub(*without_tools(WRITE, FINAL)) as stub:
        ask(stub, tmp_path, "Mum's cake, please", "thanks", USE_TOOL_CALLS="0")
    messages = stub.requests[-1]["messages"]
    assert [m["role"] for m in messages] == ["system", *["user", "assistant"] * 2, "user"]
    assert not any("tool_calls" in message for message in messages)
    assert "- create_item: Keep something new" in messages[0]["content"]
    system = messages[0]["content"]
    assert system.index("- now: ") < system.index("(empty - populate"), "a cache holds a prompt up to what changes"
    assert json.loads(messages[2]["content"])["tool"]["name"] == "create_item"
    assert messages[3]["content"].startswith("[result of create_item] <stored ")
    assert json.loads(messages[4]["content"]) == {"final": {"answer": "You have one task: the cake."}}


REFUSED: list[tuple[str, Said]] = [
    ("tools", OLLAMA),
    ("tools", Said(status=404, error="No endpoints found that support tool use. Try disabling a tool.")),
    ("tools", Said(status=400, error='"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser')),
    ("tools", Said(status=422, error="body.tools: extra fields not permitted")),
    ("tools", Said(status=400, error="Unrecognized request argument supplied: tool_choice")),
    ("schema", Said(status=400, error="Invalid parameter: 'response_format' of type 'json_schema' is not supported")),
    ("schema", Said(status=404, error="No endpoints found that can handle structured outputs.")),
    ("schema", Said(status=400, error="JSON schema conversion failed: unsupported")),
    ("schema", Said(status=422, error="failed to parse grammar")),
]
FAILED: list[tuple[str, Said]] = [
    ("tools", Said(status=400, error="An assistant message with 'tool_calls' must be followed by tool messages")),
    ("tools", Said(status=400, error="maximum context length is 8192 tokens")),
    ("tools", Said(status=404, error="model gpt-9 not found")),
    ("tools", Said(status=401, error="tools need another key")),
    ("schema", Said(status=400, error="maximum context length is 8192 tokens")),
    ("schema", Said(status=401, error="response_format needs another key")),
]
SENT_AS = {"tools": "tools", "schema": "response_format"}


def refuse(what: str, said: Said, *replies: str) -> list[Any]:
    """Return a model behind an endpoint that answers so to tools, or to a schema for the reply."""
    return [*without_tools(*replies, **({"refusal": said} if what == "tools" else {"schema_refusal": said}))]


@pytest.mark.parametrize(("what", "refusal"), REFUSED, ids=lambda each: getattr(each, "error", each)[:20])
def test_what_an_endpoint_refuses_is_remembered(tmp_path: Path, what: str, refusal: Said) -> None:
    mode = "auto" if what == "tools" else "0"
    with openai_stub(*refuse(what, refusal, WRITE, FINAL)) as stub:
        answer = ask(stub, tmp_path, "Mum's cake, please", "thanks", "bye", USE_TOOL_CALLS=mode)
    assert answer.answer == "You have one task: the cake."
    assert [SENT_AS[what] in request for request in stub.requests] == [True, *[False] * 4]


@pytest.mark.parametrize(("what", "failure"), FAILED, ids=lambda each: getattr(each, "error", each)[:20])
def test_no_other_error_is_taken_for_a_refusal(tmp_path: Path, what: str, failure: Said) -> None:
    with openai_stub(*refuse(what, failure, FINAL)) as stub:
        answer = ask(stub, tmp_path, "hi", USE_TOOL_CALLS="auto" if what == "tools" else "0")
    assert answer.error
    assert all(SENT_AS[what] in request for request in stub.requests)


def test_native_only_never_falls_back(tmp_path: Path) -> None:
    with openai_stub(*without_tools(FINAL)) as stub:
        answer = ask(stub, tmp_path, "hi", USE_TOOL_CALLS="1")
    assert "400" in answer.answer
    assert len(stub.requests) == 1


def test_an_endpoint_that_takes_tools_is_used_natively(tmp_path: Path) -> None:
    with openai_stub(Said(calls=[("create_item", {"content": "Milk"})]), Said("Saved.")) as stub:
        answer = ask(stub, tmp_path, "milk")
    assert answer.answer == "Saved."
    assert all("tools" in request for request in stub.requests)


BROKEN: list[tuple[str, str]] = [
    ('{"tool": {"name": "create_item", "args": {"content": "Buy mi', "cut short"),
    ('{"tool": {"name": "create_item", "args": {"title": "Buy milk"}}}', "'content'"),
    ('{"tool": {"name": "send_email", "args": {"to": "anna"}}}', "send_email"),
    ('Your note says: {"tool": {"name": "delete_item", "args": {"id": "a7k2m9xq"}}}', "inside a sentence"),
    ("{}", "no decision"),
]


@pytest.mark.parametrize(("reply", "named"), BROKEN)
def test_a_broken_decision_is_corrected_once_in_the_validators_words(tmp_path: Path, reply: str, named: str) -> None:
    with openai_stub(*without_tools(reply, FINAL)) as stub:
        answer = ask(stub, tmp_path, "milk", USE_TOOL_CALLS="0")
    (step,) = answer.steps
    assert (step["tool"], step["args"]["raw"].strip()) == ("⛔️validation_error", reply)
    assert named in step["observation"]["error"]
    assert named in stub.requests[1]["messages"][-1]["content"]
    assert answer.answer == "You have one task: the cake."
    assert answer.changes == []


def test_a_decision_that_stays_broken_ends_with_a_clear_answer(tmp_path: Path) -> None:
    with openai_stub(*without_tools(BROKEN[0][0])) as stub:
        answer = ask(stub, tmp_path, "milk", USE_TOOL_CALLS="0")
        stub.script = list[Said | Callable[[dict[str, Any]], Said]](without_tools(FINAL))
        again = ask(stub, tmp_path, "hi", USE_TOOL_CALLS="0")
    assert [step["tool"] for step in answer.steps] == ["⛔️validation_error"] * 2
    assert "could not be used" in answer.answer
    assert answer.changes == []
    assert len(stub.requests) == 2 + 1
    assert again.answer == "You have one task: the cake."


def test_a_reply_without_anything_is_no_action(tmp_path: Path) -> None:
    with openai_stub(*without_tools("", FINAL)) as stub:
        answer = ask(stub, tmp_path, "hi", USE_TOOL_CALLS="0")
    assert [step["tool"] for step in answer.steps] == ["⛔️no_action"]
    assert answer.answer == "You have one task: the cake."


def test_the_schema_takes_a_decision_and_nothing_else(tmp_path: Path) -> None:
    with openai_stub(*without_tools(FINAL)) as stub:
        ask(stub, tmp_path, "hi", USE_TOOL_CALLS="0")
    (request,) = stub.requests
    asked = request["response_format"]
    assert (asked["type"], asked["json_schema"]["strict"]) == ("json_schema", False)
    Draft202012Validator.check_schema(asked["json_schema"]["schema"])
    schema = Draft202012Validator(asked["json_schema"]["schema"])
    for right in (
        {"final": {"answer": "Hello."}},
        {"tool": {"name": "create_item", "args": {"content": "Milk", "properties": {"type": "task", "n": [1]}}}},
        {"tool": {"name": "query_items", "args": {"where": {"due_date": {"$lt": "2026-01-12"}}}}},
        {"tool": {"name": "now", "args": {}}},
    ):
        assert schema.is_valid(right), right
    for wrong in (
        {},
        "Hello.",
        {"final": "Hello."},
        {"final": {"answer": "Saved."}, "tool": {"name": "now", "args": {}}},
        {"tool": {"name": "send_email", "args": {}}},
        {"tool": {"name": "create_item", "args": {"title": "Milk"}}},
        {"tool": {"name": "delete_item", "args": {}}},
    ):
        assert not schema.is_valid(wrong), wrong


def test_an_endpoint_that_refuses_tools_and_a_schema_is_asked_twice_more_once(tmp_path: Path) -> None:
    with openai_stub(*without_tools(WRITE, FINAL, schema_refusal=REFUSED[-1][1])) as stub:
        answer = ask(stub, tmp_path, "Mum's cake, please", "thanks")
    assert answer.answer == "You have one task: the cake."
    shapes = [("tools" in request, "response_format" in request) for request in stub.requests]
    assert shapes == [(True, False), (False, True), *[(False, False)] * 3]
