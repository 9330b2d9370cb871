"""Describing how an assistant is set up, and which data leaves this machine."""

import os

from ana import __version__
from ana.addresses import name_kind, split_addresses
from ana.models.listing import is_local
from ana.models.providers import destination, embedding_destination, model_name
from ana.settings import PROJECT, Settings
from ana.tracing import langsmith
from ana.translation import _
from ana.workspace import Workspace


def describe_leaving(settings: Settings, *, local: bool = True) -> str:
    """Return one line about which data is sent where; empty if none is.

    Args:
        local: Whether servers on this machine are named too.
    """
    sent = {
        _("what you type goes to {address}"): destination(settings),
        _("what you keep is embedded at {address}"): embedding_destination(settings),
    }
    leaving = [told.format(address=url) for told, url in sent.items() if url and (local or not is_local(url))]
    kinds = dict.fromkeys(map(name_kind, split_addresses(settings.ana_notify)))
    leaving += [_("reminders go to {places}").format(places=", ".join(kinds))] if kinds else []
    leaving += [_("what is said to your bot goes through Telegram")] if settings.telegram_bot_token else []
    leaving += [_("traces go to LangSmith")] if langsmith.is_on(os.environ) else []
    return ", ".join(leaving)


def describe_answering(settings: Settings) -> str:
    """Return a sentence with the model that answers, and the data that leaves the machine for it."""
    by_rules, by_model = _("A small reader answers, by rules; {leaving}."), _("{model} answers; {leaving}.")
    leaving = describe_leaving(settings) or _("nothing leaves the machine on which I run")
    return (by_rules if settings.provider == "offline" else by_model).format(
        model=model_name(settings), leaving=leaving
    )


def describe_setup(workspace: Workspace) -> str:
    """Return one line: the model, the data folder, and what leaves the machine."""
    folder, settings = workspace.folder, workspace.settings
    shown = folder.relative_to(PROJECT) if folder.is_relative_to(PROJECT) else folder
    privacy = describe_leaving(settings) or _("nothing leaves this machine")
    place = _("data in {place}").format(place=_("the database") if workspace.has_database else shown)
    return f"ana {__version__} · {model_name(settings)} · {place} · {privacy}"
