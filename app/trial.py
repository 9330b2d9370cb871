"""Connecting a model once it has said hello; the page's settings and `ana setup` share this code."""

import time
from typing import TYPE_CHECKING

from ana import settings as settings_module
from ana.errors import AnaError, UserError
from ana.models.listing import list_chat_models
from ana.models.providers import model_name
from ana.settings import Settings, load_settings, read_environment, write_env_file
from ana.translation import _, get_language, mark_text, show_number
from ana.workspace import is_fixed
from app.choices import CHOICES, find_key, is_key

if TYPE_CHECKING:
    from app.outcome import Done

HELLO = "Say hello in one short sentence."

MOST_NAMES = 20
"""Models of a server that are named where one has to be chosen."""


def list_fixed() -> list[str]:
    """Return the settings of a model that the environment itself sets."""
    names = {"LLM_PROVIDER", *(name for each in CHOICES.values() for name in (each.model, each.key, each.url))}
    return sorted(name for name in names if name and is_fixed(name))


def connect(provider: str, model: str, url: str, key: str) -> str:
    """Use a model once it has said hello, and return what it said.

    Args:
        provider: One of CHOICES.
        model: Its name; empty takes the only one of a server at another address.
        url: Its address, if it has one of its own.
        key: Its key; if it is empty, the key already set for the same address is kept.

    Raises:
        UserError: It cannot be used, or something is missing; nothing was written.
    """
    values = _choose_values(provider, model or _find_only_model(provider, url, key), url, key)
    if fixed := list_fixed():
        message = _("{names} stands in the environment of the server.").format(names=", ".join(fixed))
        raise UserError(message, _("Change it there."))
    greeting = try_model(load_settings(read_environment() | values))
    write_env_file(settings_module.find_places().env_file, values)
    return greeting if provider == "offline" else f"{_('Connected.')} {greeting}"


def try_model(settings: Settings) -> str:
    """Try a model, and return a sentence with its reply. Raises UserError if it cannot be used."""
    if settings.provider == "offline":
        return _("The small reader answers, by rules.")
    try:
        done, seconds = ask_for_hello(settings.model_copy(update={"ana_language": get_language()}))
    except AnaError as exc:
        message = _("{model} did not answer: {reason}").format(model=model_name(settings), reason=exc.sentence())
        raise UserError(message, _("Nothing was changed.")) from exc
    return _("{model} in {n} s: {answer}").format(
        model=model_name(settings), n=show_number(seconds, 1), answer=done.answer
    )


def _find_only_model(provider: str, url: str, key: str) -> str:
    """Return the model of a server that has only one; empty if it lists none, or is not at another address.

    Raises:
        UserError: The server has several; the message names them.
    """
    names = list_chat_models(url, key) if provider == "compatible" else []
    if len(names) > 1:
        message = _("The {name} is missing.").format(name=_("model"))
        raise UserError(message, _("There are {names}.").format(names=", ".join(names[:MOST_NAMES])))
    return names[0] if names else ""


def _choose_values(provider: str, model: str, url: str, key: str) -> dict[str, str]:
    """Return the settings of a choice by name. Arguments and errors as of `connect`."""
    if provider not in CHOICES:
        raise UserError("There is no such provider.", f"There are {', '.join(CHOICES)}.")
    choice = CHOICES[provider]
    named, placed = choice.model, choice.url
    values = {"LLM_PROVIDER": choice.provider}
    if values["LLM_PROVIDER"] == "openai":
        values["OPENAI_BASE_URL"] = url  # an address of before would be used in place of OpenAI's
    for name, value, needed in ((mark_text("model"), model, named), (mark_text("address"), url, placed)):
        if needed and not value:
            raise UserError(_("The {name} is missing.").format(name=_(name)), _("Write it."))
    values |= {name: value for name, value in ((named, model), (placed, url)) if name}
    if choice.key:
        values[choice.key] = key or find_key(choice, read_environment(), url)
        if not is_key(values[choice.key]):
            raise UserError("This is not a key.", "A key is one word of plain letters, digits and signs.")
    return values


def ask_for_hello(settings: Settings) -> "tuple[Done, float]":
    """Return a whole turn and its seconds, on a temporary store, so that none of the person's data is sent.

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
        for record in assistant.handles.traces.read("trial"):
            spending.keep(record)
    if done.error:
        raise UserError(done.answer)
    return done, seconds
