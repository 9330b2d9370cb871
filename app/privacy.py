"""What leaves this machine, in words."""

import os

from ana.addresses import name_kind, split_addresses
from ana.models.ollama import is_local
from ana.models.providers import destination, embedding_destination
from ana.settings import Settings
from ana.tracing import langsmith


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
    leaving += ["traces go to LangSmith"] if langsmith.is_on(os.environ) else []
    return ", ".join(leaving)
