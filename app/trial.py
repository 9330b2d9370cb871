"""Trying a model with one real turn, on a store that is thrown away."""

import time
from dataclasses import dataclass

from ana.errors import UserError
from ana.settings import Settings

QUESTION = "Say hello in one short sentence."


@dataclass(frozen=True)
class Trial:
    """What a model did with a first message.

    Args:
        answer: What it said.
        seconds: How long it took.
        input_tokens: What it read, prompt and tools included.
        output_tokens: What it wrote.
    """

    answer: str
    seconds: float
    input_tokens: int
    output_tokens: int


def try_model(settings: Settings) -> Trial:
    """Ask the model of the settings to say hello, as a turn would; nothing of the person's is sent.

    Raises:
        ConfigError: It cannot be built from the settings.
        UserError: It did not answer; says why.
    """
    from ana.backends.in_memory import InMemoryBackend
    from ana.embedders import WordLlamaEmbeddings
    from ana.models.providers import build_model
    from ana.tracing.langsmith import connect
    from ana.workspace import open_workspace
    from app.outcome import expect_done
    from app.throwaway import open_throwaway
    from prompts import decision_prompt

    connect(settings)
    spending, model = open_workspace(settings).open_spending(), build_model(settings, decision_prompt)
    with open_throwaway(settings, model, InMemoryBackend(WordLlamaEmbeddings()), spending=spending) as assistant:
        start = time.monotonic()
        done = expect_done(assistant.ask(QUESTION, "trial"))
        seconds = time.monotonic() - start
        spending.keep(assistant.handles.traces.read("trial"))
    if done.error:  # its hint is about a conversation
        raise UserError(done.answer if done.error == "limit" else done.error)
    return Trial(done.answer, seconds, done.usage["input_tokens"], done.usage["output_tokens"])
