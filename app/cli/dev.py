"""`ana dev`: the LangGraph dev server, described in four lines, with its files outside the watched folders."""

import importlib.util
import os
from pathlib import Path
from typing import Annotated

import typer

from ana.children import become_python
from ana.errors import ConfigError, UserError
from ana.installing import describe_install
from ana.output import quote, tell
from ana.places import is_checkout
from ana.settings import PROJECT, Settings, read_environment
from ana.tracing.langsmith import settle_environment
from ana.translation import speak
from ana.workspace import Workspace
from app.serving import LOCAL, PORT, Port, require_port
from app.startup import start

PERMISSION = (
    "Your browser asks once whether that page may access your local network: allow it (Safari and Brave block it)."
)

QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LOG_LEVEL": "WARNING"}


def dev(
    port: Port = PORT,
    reload: Annotated[
        bool, typer.Option("--reload/--no-reload", help="Restart when code, prompts or .env of a checkout change.")
    ] = True,
    thread: Annotated[
        str | None, typer.Option(help="Print the id of this conversation (name or id), for opening it in Studio.")
    ] = None,
) -> None:
    """Start the LangGraph dev server, for Studio and for development, on this machine only."""
    from tools.catalog import catalog

    workspace, watch = start(), reload and is_checkout()
    speak("en")  # each run has its own language
    catalog(workspace.settings.tools_modules)  # a module that cannot be used stops the start, not every turn
    if importlib.util.find_spec("langgraph_api") is None:
        raise ConfigError("The dev server is not installed.", f"{describe_install('server')}.")
    require_port(LOCAL, port, "ana dev")
    lines = [f"Conversation {thread}: {_find_thread(workspace, thread)}"] if thread else []
    for line in (*_describe(workspace, port), *lines):
        tell(line)
    workspace.server_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.chdir(workspace.server_folder)  # the server keeps its own files where it was started
    watched = [str(PROJECT)] if watch else []
    become_python("-m", "app.dev_server", str(_find_config()), str(port), *watched, env=make_environment())


def _describe(workspace: Workspace, port: int) -> tuple[str, ...]:
    from app.privacy import describe_setup
    from app.server.guard import STUDIO

    url = f"http://{LOCAL}:{port}"
    return (
        f"{describe_setup(workspace)} · dial {workspace.settings.ana_autonomy}",
        f"API: {url} (Ctrl-C ends it)",
        f"Studio: {STUDIO[0]}/studio/?baseUrl={url}",
        PERMISSION,
    )


def _find_thread(workspace: Workspace, name: str) -> str:
    threads = workspace.open_threads()
    id = threads.resolve(name)
    if id not in threads.store.ids():
        raise UserError(f"There is no conversation {quote(name)}.", "`ana threads list` shows them.")
    return id


def make_environment() -> dict[str, str]:
    """Return the server's environment. It reads ana's settings in .env itself, so that they can change."""
    ours = {name.upper() for name in Settings.model_fields} - os.environ.keys()
    settled = settle_environment(read_environment())
    return {name: value for name, value in settled.items() if name not in ours} | QUIET


def _find_config() -> Path:
    """Return langgraph.json, which a wheel contains beside the modules of `app`."""
    return PROJECT / "langgraph.json" if is_checkout() else PROJECT / "app" / "langgraph.json"
