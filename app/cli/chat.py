"""`ana chat`: the REPL."""

import sys
from typing import Annotated

import typer

from ana import settings as settings_module
from ana.keys import OWNER
from ana.models.listing import find_api, is_local, list_chat_models
from ana.settings import write_env_file
from ana.workspace import Workspace, load_workspace
from app.show.confirm import confirm
from app.startup import start


def chat(
    thread: Annotated[str | None, typer.Option(help="Name or id of the conversation; default: the last one.")] = None,
) -> None:
    """Talk to the assistant."""
    from app.repl.repl import Repl

    workspace = start()
    if workspace.person == OWNER:
        workspace = _offer_ollama(workspace)
    if workspace.settings.tools_modules:
        # A module that cannot be used stops the start. Without any, the tools are loaded after the prompt appears.
        from tools.catalog import catalog

        catalog(workspace.settings.tools_modules)
    Repl(workspace, thread).run()


def _offer_ollama(workspace: Workspace) -> Workspace:
    """Offer a local Ollama's model to a person who has not chosen a model; only once, and only in a terminal."""
    settings, note = workspace.settings, workspace.note("ollama-offered")
    chosen = settings.llm_provider != "auto" or settings.provider != "offline"
    if chosen or note.age() is not None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return workspace
    models = list_chat_models(find_api(settings.ollama_host)) if is_local(settings.ollama_host) else []
    if not models:
        return workspace
    note.write("")
    if not confirm(f"Ollama runs on this machine. Use its model {models[0]}?"):
        return workspace
    write_env_file(settings_module.find_places().env_file, {"OLLAMA_MODEL": models[0]})
    return load_workspace()
