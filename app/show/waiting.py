"""Status while waiting for a model: its name, the time, and how to stop it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from ana.models.providers import model_name
from ana.settings import Settings
from ana.translation import _, mark_text

AT_ONCE = 1.0
"""Seconds of waiting before a status is shown."""
BY_KEY = mark_text("Ctrl-C stops it.")
STOPPED = mark_text("Stopped. What was already stored stays.")


def describe_wait(settings: Settings, seconds: float, stop: str) -> str:
    """Return the status after a number of seconds; empty in the first ones, or if no model is used.

    Args:
        seconds: How long the turn has worked.
        stop: A sentence on how to stop it.
    """
    if settings.provider == "offline" or seconds < AT_ONCE:
        return ""
    told = _("Waiting for {model}, {n:.0f} s so far.").format(model=model_name(settings), n=seconds)
    return f"{told} {_(stop)}"


def watch_wait(settings: Settings) -> Callable[[], str]:
    """Return a function that returns the current status for a terminal."""
    begun = monotonic()
    return lambda: describe_wait(settings, monotonic() - begun, BY_KEY)


@contextmanager
def show_wait(settings: Settings) -> Iterator[None]:
    """Show the waiting time on standard error if that is a terminal; remove it at the end."""
    if settings.provider == "offline" or not sys.stderr.isatty():
        yield
        return
    from rich.live import Live

    from app.show.console import make_console

    tell = watch_wait(settings)
    console = make_console(error=True)
    with Live(
        get_renderable=lambda: console.render_str(tell(), style="dim"),
        console=console,
        transient=True,
        redirect_stdout=False,  # results are not for this screen
    ):
        yield
