"""Twenty ways in which a provider fails, in three dialects: each has its outcome, and the next message works."""

import itertools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
import pytest
from langchain_core.exceptions import ModelError
from langchain_core.messages import HumanMessage

from ana.errors import ModelFailed
from ana.models.call import complete
from ana.models.scripted import ScriptedModel
from app.outcome import Done
from app.turn import Assistant, open_assistant
from tests.conftest import THREAD
from tests.openai_stub import DIALECTS, Dialect, Said, Stub, openai_stub
from tests.opened import open_in

MILK = ("create_item", {"content": "Buy milk", "properties": {"type": "task"}})
HELLO = Said("Hello.")


def error(status: int, message: str, code: Any = None, **headers: str) -> Said:
    body = json.dumps({"error": {"message": message, "type": "x", "code": code}})
    return Said(status=status, body=body, headers=headers)


NO_CHOICES = Said(
    body='data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}\n\n'
    "data: [DONE]\n\n",
    kind="text/event-stream",
)
DEEP = f'data: {{"choices": {"[" * 100_000}{"]" * 100_000}}}\n\n'
TOO_LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."
FAILS: dict[str, tuple[Said, str]] = {
    "401": (error(401, "Incorrect API key provided"), "refused the key"),
    "403": (error(403, "Not allowed"), "does not allow this"),
    "404 model": (error(404, "The model does not exist", "model_not_found"), "does not know this model"),
    "400": (error(400, "Something is odd"), "refused the request"),
    "400 context length": (error(400, TOO_LONG, "context_length_exceeded"), "Even this message alone is longer"),
    "429": (error(429, "Rate limit reached", "rate_limit_exceeded"), "busy"),
    "429 quota": (error(429, "You exceeded your current quota", "insufficient_quota"), "no credit left"),
    "500": (error(500, "Oops"), "(500)"),
    "503": (error(503, "Overloaded"), "(503)"),
    "HTML": (Said(body="<html><body>Bad gateway</body></html>", kind="text/html"), "does not speak OpenAI's protocol"),
    "HTML 502": (Said(status=502, body="<html>Bad gateway</html>", kind="text/html"), "(502)"),
    "an error with status 200": (error(200, "Provider returned error", 502), "(502): “Provider returned error”"),
    "a reply that is nested too deep": (Said(body=DEEP, kind="text/event-stream"), "could not be read"),
    "an error in the stream": (
        Said("Well, this", broken={"error": {"code": 502, "message": "Provider disconnected"}}, finish="error"),
        "reported an error",
    ),
    "cut in the stream": (Said("Well, this is a long answer", cut=4), "broke off"),
    "cut in a call": (Said(calls=[MILK], cut=2), "broke off"),
    "no end": (Said("Well, this is", finish="", usage=False), "broke off"),
    "filtered": (Said("Well", finish="content_filter"), "filter"),
}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client waits before it tries again, but not half a second."""
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.001)


Ask = Callable[[str], Done]


def opened(server: Stub, folder: Path, **more: str) -> Any:
    return open_assistant(open_in(folder, **server.env | more))


def told_well(assistant: Assistant, answer: Done, said: str) -> None:
    """The failure is a sentence with a next step, and the thread goes on."""
    assert said in answer.answer
    assert answer.answer.endswith(".")
    assert len(answer.answer) <= 150
    assert "Traceback" not in answer.answer
    assert "sk-x" not in answer.answer
    assert answer.error
    assert answer.changes == []
    assert assistant.handles.memory.count() == 0


def in_turn(cases: Iterable[Any]) -> list[tuple[Any, Dialect]]:
    """Return cases, each with one of the dialects."""
    return [*zip(cases, itertools.cycle(DIALECTS), strict=False)]


@pytest.mark.parametrize(("fault", "dialect"), in_turn(FAILS))
def test_a_fault_is_told_and_the_next_message_works(tmp_path: Path, dialect: Dialect, fault: str) -> None:
    reply, said = FAILS[fault]
    with openai_stub(reply, dialect=dialect) as server, opened(server, tmp_path) as assistant:
        told_well(assistant, assistant.ask("buy milk", THREAD), said)
        server.script = [HELLO]
        again = assistant.ask("hello", THREAD)
    assert (again.answer, again.error) == ("Hello.", None)


@pytest.mark.parametrize(("fault", "dialect"), in_turn(["429", "500", "503", "HTML 502"]))
def test_what_passes_by_itself_is_tried_again(tmp_path: Path, dialect: Dialect, fault: str) -> None:
    with openai_stub(FAILS[fault][0], HELLO, dialect=dialect) as server, opened(server, tmp_path) as assistant:
        assert assistant.ask("hello", THREAD).answer == "Hello."
        assert len(server.requests) == 2


def test_a_provider_that_says_when_is_asked_then(tmp_path: Path) -> None:
    soon = error(429, "Rate limit reached", "rate_limit_exceeded", **{"retry-after-ms": "20"})
    with openai_stub(soon, HELLO) as server, opened(server, tmp_path) as assistant:
        assert assistant.ask("hello", THREAD).answer == "Hello."
    never = error(429, "Rate limit reached", "rate_limit_exceeded", **{"retry-after": "9000"})
    with openai_stub(never) as server, opened(server, tmp_path) as assistant:
        assert "busy" in assistant.ask("hello", THREAD).answer
        assert len(server.requests) == 1, "nobody waits for hours"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_answer_in_time(tmp_path: Path, dialect: Dialect) -> None:
    with (
        openai_stub(Said("late", wait=1.0), dialect=dialect) as server,
        opened(server, tmp_path, ANA_TURN_SECONDS="0.2") as assistant,
    ):
        answer = assistant.ask("hello", THREAD)
    assert "in time" in answer.answer or "limit of 0.2 seconds" in answer.answer
    assert answer.error


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nobody_there(tmp_path: Path, dialect: Dialect) -> None:
    with openai_stub(HELLO, dialect=dialect) as server:
        pass
    with opened(server, tmp_path) as assistant:
        told_well(assistant, assistant.ask("hello", THREAD), "could not be reached")
        answer = assistant.ask("buy milk", THREAD)
    assert f" at {urlsplit(server.url).netloc} could not be reached" in answer.answer
    assert answer.receipt == "no changes"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_conversation_that_is_too_long_is_shortened_once(tmp_path: Path, dialect: Dialect) -> None:
    def short_enough(request: dict[str, Any]) -> Said:
        return FAILS["400 context length"][0] if len(request["messages"]) > 4 else Said("Short enough.")

    with (
        openai_stub(Said("One."), Said("Two."), short_enough, dialect=dialect) as server,
        opened(server, tmp_path) as assistant,
    ):
        for n in range(2):
            assistant.ask(f"question {n}", THREAD)
        answer = assistant.ask("question 2", THREAD)
        assert (answer.answer, answer.error) == ("Short enough.", None)
        assert [m["role"] for m in server.requests[-1]["messages"]] == ["system", "user"]
        assert len(server.requests) == 4


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_cut_at_its_limit_says_so(tmp_path: Path, dialect: Dialect) -> None:
    with (
        openai_stub(Said("The list begins with", finish="length"), dialect=dialect) as server,
        opened(server, tmp_path) as assistant,
    ):
        answer = assistant.ask("tell me all", THREAD)
    assert answer.answer.startswith("The list begins with")
    assert "cut off" in answer.answer
    assert "MAX_TOKENS" in answer.answer


@pytest.mark.parametrize(
    ("call", "dialect"),
    in_turn(
        [
            ("create_item", '{"content": "Buy milk", "properties": {"ty'),
            ("create_item", {"content": True}),
            ("create_item", {}),
            ("make_coffee", {"strong": True}),
        ]
    ),
)
def test_a_call_that_cannot_be_run_is_told_to_the_model(
    tmp_path: Path, dialect: Dialect, call: tuple[str, Any]
) -> None:
    with (
        openai_stub(Said(calls=[call]), Said("That did not work."), dialect=dialect) as server,
        opened(server, tmp_path) as assistant,
    ):
        answer = assistant.ask("buy milk", THREAD)
    assert answer.answer == "That did not work."
    assert [s["tool"] for s in answer.steps] in ([call[0]], ["⛔️validation_error"])
    assert "error" in answer.steps[0]["observation"]
    assert answer.changes == []


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("ids", ["alike", "none"])
def test_ids_of_calls_that_repeat_or_are_missing(tmp_path: Path, dialect: Dialect, ids: Any) -> None:
    two = [("create_item", {"content": "one"}), ("create_item", {"content": "two"})]
    with (
        openai_stub(Said(calls=two, ids=ids), Said("Saved both."), HELLO, dialect=dialect) as server,
        opened(server, tmp_path) as assistant,
    ):
        answer = assistant.ask("one and two", THREAD)
        assert assistant.ask("hello", THREAD).answer == "Hello."
        within, after = (request["messages"] for request in server.requests[1:])
    assert sorted(change["after"]["content"] for change in answer.changes) == ["one", "two"]
    for sent, count in ((within, 2), (after, 1)):  # a turn that is over is one call
        called = [call["id"] for message in sent for call in message.get("tool_calls") or []]
        assert len(set(called)) == count
        assert called == [message["tool_call_id"] for message in sent if message["role"] == "tool"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_tokens_that_are_not_told_are_estimated(tmp_path: Path, dialect: Dialect) -> None:
    with openai_stub(Said("Hello.", usage=False), dialect=dialect) as server, opened(server, tmp_path) as assistant:
        answer = assistant.ask("hello", THREAD)
    assert answer.answer == "Hello."
    assert answer.usage["estimated"]
    assert answer.usage["input_tokens"] > 100


@pytest.mark.parametrize(
    ("reply", "dialect"),
    in_turn([Said(), Said(finish=""), Said(refusal="I cannot help with that."), NO_CHOICES]),
)
def test_a_reply_that_says_nothing_ends_in_a_sentence(tmp_path: Path, dialect: Dialect, reply: Said) -> None:
    with openai_stub(reply, dialect=dialect) as server, opened(server, tmp_path) as assistant:
        answer = assistant.ask("hello", THREAD)
        assert len(answer.answer) > 20
        assert answer.changes == []
        server.script = [HELLO]
        assert assistant.ask("hello", THREAD).answer == "Hello."


def raised() -> list[Exception]:
    """One of each error that langchain and openai know."""
    request = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")
    kinds: tuple[type[Exception], ...] = (ModelError, *ModelError.__subclasses__())
    made: list[Exception] = [kind("x") for kind in kinds if not issubclass(kind, openai.OpenAIError)]
    statuses = (400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 529)
    for status in statuses:
        response = httpx2.Response(status, request=request)
        made.append(openai.APIStatusError("x", response=response, body=None))
    made += [openai.APIConnectionError(request=request), openai.APITimeoutError(request), openai.OpenAIError("x")]
    made.append(openai.APIError("x", request, body=None))
    return [*made, ValueError("x"), KeyError("x"), IndexError("x"), TypeError("x"), ConnectionResetError("x")]


@pytest.mark.parametrize("exc", raised(), ids=lambda exc: f"{type(exc).__name__}-{getattr(exc, 'status_code', '')}")
def test_no_error_of_a_library_leaks(exc: Exception) -> None:
    def fail(_: Any) -> Any:
        raise exc

    with pytest.raises(ModelFailed) as caught:
        complete(ScriptedModel(replies=[fail]), [HumanMessage("hello")], "1")
    assert caught.value.message.endswith(".")
    assert caught.value.hint
    assert caught.value.__cause__ is exc
