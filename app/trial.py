"""A model is tried with one message before it is used."""

import time
from typing import TYPE_CHECKING

from ana.errors import UserError
from ana.settings import Settings

if TYPE_CHECKING:
    from app.outcome import Done

HELLO = "Say hello in one short sentence."


def ask_for_hello(settings: Settings) -> "tuple[Done, float]":
    """Return a whole turn and its seconds, on a store that is thrown away: nothing of the person's is sent.

    Raises:
        UserError: The model cannot be used.
    """
    from ana.backends.in_memory import InMemoryBackend
    from ana.embedders import WordLlamaEmbeddings
    from ana.models.parameters import REFUSED
    from ana.models.providers import build_model
    from ana.tracing.langsmith import connect
    from ana.workspace import open_workspace
    from app.outcome import expect_done
    from app.throwaway import open_throwaway
    from prompts import decision_prompt

    connect(settings)
    workspace = open_workspace(settings)
    refused = workspace.note(REFUSED)
    refused.remove()  # what a model refuses is found out again
    spending, model = workspace.open_spending(), build_model(settings, decision_prompt, refused)
    with open_throwaway(settings, model, InMemoryBackend(WordLlamaEmbeddings()), spending=spending) as assistant:
        start = time.monotonic()
        done = expect_done(assistant.ask(HELLO, "trial"))
        seconds = time.monotonic() - start
        spending.keep(assistant.handles.traces.read("trial"))
    if done.error:
        raise UserError(done.answer)
    return done, seconds
