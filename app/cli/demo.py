"""`ana demo`: the page with three weeks of an invented family, in a folder that is deleted afterwards."""

import gc
import os
import shutil
import signal
import socket
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from ana.output import tell
from ana.places import move_places
from ana.settings import Settings
from app.serving import LOCAL, require_port
from app.startup import start

if TYPE_CHECKING:
    from starlette.applications import Starlette


def demo(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any free port.")] = 0,
) -> None:
    """Try the page with three weeks of an invented family; when the demo ends, its data is deleted."""
    require_port(LOCAL, port, "ana demo")
    with suppress(KeyboardInterrupt), TemporaryDirectory(prefix="ana-demo-", ignore_cleanup_errors=True) as folder:
        _end_tidily(folder)
        try:
            _serve(Path(folder), port or _find_port())
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):  # whoever asks again would stop what removes the folder
                signal.signal(number, signal.SIG_IGN)
    tell("The demo has ended, and its folder is deleted. `ana setup` starts with your own data.")


def _serve(folder: Path, port: int) -> None:
    move_places(folder)
    for name in [*os.environ]:  # no setting of one's own counts, and no key
        if name.lower() in Settings.model_fields or name.startswith(("LANGSMITH_", "LANGCHAIN_")):
            del os.environ[name]
    tell("Preparing three weeks of an invented family; this takes a few seconds.")
    from app.cli.serve import run
    from app.demo import play
    from app.server.app import build_app
    from app.server.guard import PAGE

    workspace = start()
    play(workspace)

    def build() -> "Starlette":
        app = build_app(port=port)
        app.state.end_demo = lambda: signal.raise_signal(signal.SIGTERM)
        return app

    tell(f"Page: http://{LOCAL}:{port}{PAGE} (Ctrl-C ends it and deletes {folder})")
    gc.freeze()
    run(build, LOCAL, port, workspace.settings)


def _end_tidily(folder: str) -> None:
    """Handle other signals like Ctrl-C, and delete the folder even if something hangs then."""

    def leave(*_: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    signal.signal(signal.SIGALRM, leave)


def _find_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOCAL, 0))
        port: int = probe.getsockname()[1]
        return port
