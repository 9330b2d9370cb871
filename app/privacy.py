"""How an assistant is set up, and what leaves this machine, in words."""

import os

from ana import __version__
from ana.addresses import name_kind, split_addresses
from ana.models.listing import is_local
from ana.models.providers import destination, embedding_destination, model_name
from ana.settings import PROJECT, Settings
from ana.tracing import langsmith
from ana.workspace import Workspace


def describe_leaving(settings: Settings, *, local: bool = True) -> str:
    """Return what is sent where, in one line; empty if nothing is.

    Args:
        local: Whether servers on this machine are named too.
    """
    sent = {
        "what you type goes to": destination(settings),
        "what you keep is embedded at": embedding_destination(settings),
    }
    leaving = [f"{what} {url}" for what, url in sent.items() if url and (local or not is_local(url))]
    kinds = dict.fromkeys(map(name_kind, split_addresses(settings.ana_notify)))
    leaving += [f"reminders go to {', '.join(kinds)}"] if kinds else []
    leaving += ["what is said to your bot goes through Telegram"] if settings.telegram_bot_token else []
    leaving += ["traces go to LangSmith"] if langsmith.is_on(os.environ) else []
    return ", ".join(leaving)


def describe_answering(settings: Settings) -> str:
    """Return what answers, and what leaves the machine for it, in a sentence."""
    answers = (
        "A small reader answers, by rules" if settings.provider == "offline" else f"{model_name(settings)} answers"
    )
    return f"{answers}; {describe_leaving(settings) or 'nothing leaves the machine on which I run'}."


def describe_setup(workspace: Workspace) -> str:
    """Return one line: the model, the data folder, and what leaves the machine."""
    folder, settings = workspace.folder, workspace.settings
    path = folder.relative_to(PROJECT) if folder.is_relative_to(PROJECT) else folder
    privacy = describe_leaving(settings) or "nothing leaves this machine"
    place = "the database" if workspace.has_database else path
    return f"ana {__version__} · {model_name(settings)} · data in {place} · {privacy}"
