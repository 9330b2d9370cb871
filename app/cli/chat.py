"""`ana chat`: the REPL."""

import sys
from typing import Annotated

import typer

from ana import settings as settings_module
from ana.files import write_whole
from ana.settings import Settings, load_settings
from app.show.confirm import confirm
from app.startup import start


def chat(
    thread: Annotated[str | None, typer.Option(help="Name or id of the conversation; default: the last one.")] = None,
) -> None:
    """Talk to the assistant."""
    from app.repl.repl import Repl

    settings = _offer_ollama(start())
    if settings.tools_modules:
        # A module that cannot be used stops the start. Without any, the tools are loaded after the prompt appears.
        from tools.catalog import catalog

        catalog(settings.tools_modules)
    Repl(settings, thread).run()


def _offer_ollama(settings: Settings) -> Settings:
    """Offer the model of an Ollama on this machine to a person who has chosen nothing yet; once, and in a terminal."""
    asked = settings.ana_data_dir / "ollama-offered"
    chosen = settings.llm_provider != "auto" or settings.provider != "offline"
    if chosen or asked.exists() or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return settings
    from ana.models.ollama import is_local, list_chat_models

    models = list_chat_models(settings.ollama_host) if is_local(settings.ollama_host) else []
    if not models:
        return settings
    asked.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(asked, "")
    if not confirm(f"Ollama runs on this machine. Let its model {models[0]} answer?"):
        return settings
    from ana.settings import write_env_file

    write_env_file(settings_module.find_places().env_file, {"OLLAMA_MODEL": models[0]})
    return load_settings()
