"""ANA_TURN_SECONDS bounds a whole turn, whatever a provider does: in a child process that would else never end."""

from typing import Any

import pytest

from tests.app.conftest import Done, Run
from tests.models.test_stopped_calls import deaf_address
from tests.openai_stub import Said, openai_stub

SHORT = "1.5"
"""Seconds of a turn; a child process that is still there after 60 has failed."""

LATE = ("The model did not answer in time.", f"the limit of {SHORT} seconds for one turn")
"""What the person is told; the latter where the machine was too slow to ask at all."""


def ask(ana: Run, url: str, **more: str) -> Done:
    model = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": url}
    return ana("ask", "Note: buy milk", **model, ANA_TURN_SECONDS=SHORT, **more)


def expect_late(done: Done) -> None:
    assert done.returncode == 1
    assert any(said in done.stdout for said in LATE), done


@pytest.mark.parametrize(
    ("hang", "tool_calls"), [("silent", "1"), ("after a word", "1"), ("word after word", "1"), ("word after word", "0")]
)
def test_a_model_that_hangs_is_asked_once_and_the_turn_ends(ana: Run, hang: Any, tool_calls: str) -> None:
    with openai_stub(Said(hang=hang)) as stub:
        expect_late(ask(ana, stub.url, USE_TOOL_CALLS=tool_calls))
        assert len(stub.requests) <= 1


def test_a_model_that_hangs_after_a_call_ends_the_turn_with_what_was_done(ana: Run) -> None:
    milk = Said(calls=[("create_item", {"content": "Buy milk", "properties": {}})])
    with openai_stub(milk, Said(hang="word after word")) as stub:
        expect_late(done := ask(ana, stub.url))
        assert ("Buy milk" in done.stdout + done.stderr) == (len(stub.requests) > 0)


def test_the_pause_before_a_retry_counts(ana: Run) -> None:
    with openai_stub(Said(status=429, body="{}", headers={"Retry-After": "55"})) as server:
        expect_late(ask(ana, server.url))
        assert len(server.requests) <= 1


def test_an_address_that_takes_no_connection_ends_the_turn(ana: Run) -> None:
    with deaf_address() as url:
        expect_late(ask(ana, url))


def test_an_embedder_that_hangs_ends_the_turn(ana: Run) -> None:
    with openai_stub(Said(hang="silent")) as stub:
        done = ana(
            "ask",
            "Note: buy milk",
            OPENAI_API_KEY="sk-x",
            OPENAI_BASE_URL=stub.url,
            ANA_EMBEDDINGS="openai",
            ANA_TURN_SECONDS=SHORT,
        )
        assert len(stub.requests) <= 1
    assert done.returncode == 1
    assert "The embeddings provider openai did not answer in time." in done.stdout + done.stderr
