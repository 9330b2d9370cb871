"""What is shown while a model is waited for: which, how long, and how to stop it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from ana.models.providers import model_name
from ana.settings import Settings
from ana.translation import _, mark_text

AT_ONCE = 1.0
"""Seconds for which nobody wonders what is going on."""
BY_KEY = mark_text("Ctrl-C stops it.")
STOPPED = mark_text("Stopped. What was already stored stays.")


def describe_wait(settings: Settings, seconds: float, stop: str) -> str:
    """Return what a person is told who has waited so long for an answer; empty where no model is asked, or at once.

    Args:
        settings: Which model it is.
        seconds: How long the turn works already.
        stop: How it is stopped, a sentence.
    """
    if settings.provider == "offline" or seconds < AT_ONCE:
        return ""
    told = _("Waiting for {model}, {n:.0f} s so far.").format(model=model_name(settings), n=seconds)
    return f"{told} {_(stop)}"


def watch_wait(settings: Settings) -> Callable[[], str]:
    """Return what tells, at any moment from now on, what a person in a terminal is told."""
    begun = monotonic()
    return lambda: describe_wait(settings, monotonic() - begun, BY_KEY)


@contextmanager
def show_wait(settings: Settings) -> Iterator[None]:
    """Show on standard error how long a model is waited for, if that is a terminal; nothing of it stays."""
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
