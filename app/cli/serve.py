"""`ana serve`: the server, for one person on this machine or for everybody with a token."""

import gc
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from ana.children import start_python
from ana.errors import ConfigError, UserError
from ana.output import tell
from ana.settings import Settings
from ana.translation import speak
from ana.urls import find_site
from ana.workspace import Workspace
from app import services
from app.serving import LOCAL, PORT, Port, require_port
from app.startup import start

if TYPE_CHECKING:
    from starlette.applications import Starlette

LOOK_SECONDS = 1.0
"""Seconds between checks whether a worker has ended."""

AGAIN_SECONDS = 5.0
"""Seconds before a worker that ended is replaced, because the next one may fail too."""

_UNSPECIFIED = {"0.0.0.0": LOCAL, "::": "::1"}
"""For each address that means all addresses of a machine, one that a browser can open."""

_log = logging.getLogger(__name__)


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; others than this need tokens.")] = LOCAL,
    port: Port = PORT,
    workers: Annotated[
        int | None,
        typer.Option(min=0, max=64, help="Processes that carry out runs; 0 if `ana worker` does it."),
    ] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Let the system run the server; shows the setup and asks first.")
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Remove it again.")] = False,
) -> None:
    """Serve the page and the API on this machine, and to others with a token: docs/people.md."""
    workspace = start()
    speak("en")  # each request has its own language
    if uninstall:
        services.remove()
        return
    _require_usable(workspace, host, workers)
    require_port(host, port, "ana serve")
    if install:
        arguments = ["serve", "--host", host, "--port", f"{port}"]
        if workers is not None:
            arguments += ["--workers", f"{workers}"]
        services.install(arguments, workspace)
        return
    _tell_addresses(workspace, host, port)
    from app.server.app import build_app

    gc.freeze()  # what is loaded stays: to look for garbage in it holds up all requests, for a third of a second
    with _keeping_workers(workers or 0):
        run(partial(build_app, carries_out=workers is None, port=port), host, port, workspace.settings)


def _require_usable(workspace: Workspace, host: str, workers: int | None) -> None:
    """Raise ConfigError if every request, or every turn, would fail."""
    from ana.people import People
    from tools.catalog import catalog

    catalog(workspace.settings.tools_modules)
    people = People(workspace.settings)
    if people.needs_token(host) and not people.has_token():
        raise ConfigError(
            f"Others may reach {host if host != LOCAL else 'this server'}, but nobody has a token to sign in with.",
            "Create yours with `ana users token owner`, and others with `ana users add NAME`.",
        )
    if workers is not None and not workspace.has_database:
        raise ConfigError("Workers carry out runs that wait in a database.", "Set ANA_DATABASE_URL.")


def _tell_addresses(workspace: Workspace, host: str, port: int) -> None:
    from app.privacy import describe_setup
    from app.server.guard import PAGE

    settings, name = workspace.settings, _UNSPECIFIED.get(host, host)
    address = f"http://{f'[{name}]' if ':' in name else name}:{port}"
    tell(f"{describe_setup(workspace)} · dial {settings.ana_autonomy}")
    tell(f"Page: {find_site(settings.ana_public_url, settings.ana_hosts) or address}{PAGE} (Ctrl-C ends it)")
    tell(f"API: {address}{', and at every address of this machine' if name != host else ''}")


@contextmanager
def _keeping_workers(count: int) -> Iterator[None]:
    """Keep this number of workers as children while the context is open; replace one that ends."""
    stop = threading.Event()
    keepers = [threading.Thread(target=_keep_worker, args=[stop], name="worker") for _ in range(count)]
    for keeper in keepers:
        keeper.start()
    try:
        yield
    finally:
        stop.set()
        for keeper in keepers:
            keeper.join()


def _keep_worker(stop: threading.Event) -> None:
    """Keep a worker until this process or the worker is told to stop; Ctrl-C stops both."""
    while not stop.is_set():
        child = start_python("-m", "app.cli", "worker", "--parent", f"{os.getpid()}")
        while child.poll() is None and not stop.wait(LOOK_SECONDS):
            pass
        if stop.is_set():
            child.terminate()
        if child.wait() == 0:
            return
        if not stop.wait(AGAIN_SECONDS):
            _log.warning("a worker ended, exit code %s; another is started", child.returncode)


def run(build: "Callable[[], Starlette]", host: str, port: int, settings: Settings) -> None:
    """Serve until this process gets a signal to end. Raises UserError if the server cannot start."""
    from uvicorn import Config

    from app.server.connections import GRACE_SECONDS, SECONDS, Protocol, Server, allow_many_files

    allow_many_files()
    config = Config(
        build,
        factory=True,
        host=host,
        port=port,
        loop="asyncio",  # also where uvloop is installed, which the dev server brings
        http=Protocol,  # of h11: the other reads headers without an end
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=bool(settings.ana_proxies),
        forwarded_allow_ips=[*map(str, settings.ana_proxies)],
        # longer than clients keep one: httpx does for 5 s, and sends into one that is closed at that moment
        timeout_keep_alive=round(SECONDS),
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    try:
        with suppress(KeyboardInterrupt):  # which the library raises when it has ended
            Server(config).run()
    except SystemExit as exc:  # the library has logged why
        raise UserError("The server could not start.", f"{settings.log_file_path} says why.") from exc
