"""A call of a model ends when its run is stopped, wherever the call is: its connection is closed and nobody waits."""

import contextvars
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from ana.embedders.remote import OpenAiEmbeddings
from ana.errors import TurnStopped
from ana.models.call import complete
from ana.models.providers import build_model
from ana.settings import load_settings
from ana.stopping import present
from ana.threads.runs import Run
from prompts import decision_prompt
from tests.openai_stub import Said, openai_stub
from tests.stopping import PROMPT, StoppableRun, call
from tests.waiting import wait_until


def build(**env: str) -> BaseChatModel:
    return build_model(load_settings(env), decision_prompt)


WIRES: dict[str, Callable[[str], dict[str, str]]] = {
    "openai": lambda url: {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": url},
    "ollama": lambda url: {"OLLAMA_MODEL": "m", "OLLAMA_HOST": url.removesuffix("/v1")},
    "without tool calls": lambda url: {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": url, "USE_TOOL_CALLS": "0"},
}


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("hang", ["silent", "after a word", "word after word"])
@pytest.mark.parametrize("name", WIRES)
def test_a_stopped_call_closes_its_connection(name: str, hang: Any, streamed: bool) -> None:
    with openai_stub(Said(hang=hang)) as stub:
        running = call(build(**WIRES[name](stub.url)), (lambda _: None) if streamed else None)
        wait_until(lambda: stub.requests)
        running.stop()
        assert stub.closed.acquire(timeout=PROMPT)
    assert len(stub.requests) == 1


def test_a_call_is_stopped_while_it_waits_before_a_retry() -> None:
    with openai_stub(Said(status=429, body="{}", headers={"Retry-After": "50"})) as server:
        running = call(build(**server.env))
        wait_until(lambda: server.requests)
        running.stop()
    assert len(server.requests) == 1


@contextmanager
def deaf_address() -> Iterator[str]:
    """The base URL of a server that takes no further connection, so that a client waits for one."""
    with socket.socket() as server, socket.socket() as first, socket.socket() as second:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for other in (first, second):
            other.setblocking(False)
            other.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def test_a_call_is_stopped_while_it_connects() -> None:
    with deaf_address() as url:
        running = call(build(**WIRES["openai"](url)))
        time.sleep(0.2)  # it begins to connect, which nobody sees; before that it would be stopped too
        running.stop()


def test_a_call_of_a_run_that_was_stopped_is_not_begun() -> None:
    with openai_stub(Said("hello")) as stub:
        run, model = Run(None), build(**WIRES["openai"](stub.url))
        run.close()

        def begin() -> None:
            present.set(run)
            with pytest.raises(TurnStopped):
                complete(model, [HumanMessage("hello")], "one")

        contextvars.copy_context().run(begin)
    assert stub.requests == []


def test_the_call_after_a_stopped_one_is_answered() -> None:
    with openai_stub(Said(hang="after a word"), Said("Here I am.")) as stub:
        model = build(**WIRES["openai"](stub.url))
        running = call(model)
        wait_until(lambda: stub.requests)
        running.stop()
        assert complete(model, [HumanMessage("hello")], "two").text.strip() == "Here I am."


def test_who_no_longer_reads_a_reply_closes_its_connection() -> None:
    def fail(_: str | None) -> None:
        raise ZeroDivisionError

    with openai_stub(Said(hang="word after word")) as stub, pytest.raises(ZeroDivisionError):
        complete(build(**WIRES["openai"](stub.url)), [HumanMessage("hello")], "one", on_text=fail)
    assert stub.closed.acquire(timeout=PROMPT)


def test_a_request_for_vectors_is_stopped() -> None:
    with openai_stub(Said(hang="silent")) as stub:
        embedder = OpenAiEmbeddings(load_settings(WIRES["openai"](stub.url)))
        running = StoppableRun(lambda: embedder.embed_query("hello"))
        wait_until(lambda: stub.requests)
        running.stop()
        assert stub.closed.acquire(timeout=PROMPT)
