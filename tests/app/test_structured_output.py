"""JSON decisions are asked for with their schema; an endpoint that refuses it is asked without from then on."""

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.app.test_without_tool_calls import FINAL, WRITE, ask
from tests.openai_stub import Said, openai_stub, without_tools

REFUSALS = [
    Said(status=400, error="Invalid parameter: 'response_format' of type 'json_schema' is not supported"),
    Said(status=404, error="No endpoints found that can handle structured outputs."),
    Said(status=400, error="JSON schema conversion failed: unsupported"),
    Said(status=422, error="failed to parse grammar"),
]
OTHERS = [
    Said(status=400, error="maximum context length is 8192 tokens"),
    Said(status=401, error="response_format needs another key"),
]


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


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda said: said.error[:20])
def test_a_refusal_is_remembered_and_the_reply_read_as_it_comes(tmp_path: Path, refusal: Said) -> None:
    with openai_stub(*without_tools(WRITE, FINAL, schema_refusal=refusal)) as stub:
        answer = ask(stub, tmp_path, "Mum's cake, please", "thanks", USE_TOOL_CALLS="0")
    assert answer.answer == "You have one task: the cake."
    assert ["response_format" in request for request in stub.requests] == [True, False, False, False]


def test_an_endpoint_that_refuses_tools_and_a_schema_is_asked_twice_more_once(tmp_path: Path) -> None:
    with openai_stub(*without_tools(WRITE, FINAL, schema_refusal=REFUSALS[0])) as stub:
        answer = ask(stub, tmp_path, "Mum's cake, please", "thanks")
    assert answer.answer == "You have one task: the cake."
    shapes = [("tools" in request, "response_format" in request) for request in stub.requests]
    assert shapes == [(True, False), (False, True), *[(False, False)] * 3]


@pytest.mark.parametrize("failure", OTHERS, ids=lambda said: said.error[:20])
def test_no_other_error_is_taken_for_a_refusal(tmp_path: Path, failure: Said) -> None:
    with openai_stub(*without_tools(FINAL, schema_refusal=failure)) as stub:
        answer = ask(stub, tmp_path, "hi", USE_TOOL_CALLS="0")
    assert answer.error
    assert all("response_format" in request for request in stub.requests)
