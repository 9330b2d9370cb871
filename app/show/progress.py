"""How far a long piece of work is, on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def show_progress(total: int | None = None) -> Iterator[Callable[[str], None]]:
    """Show a bar on standard error if that is a terminal; it disappears at the end.

    Args:
        total: How many steps there are; None if nobody knows.

    Yields:
        A function to call after each step, with its name.
    """
    from rich.progress import Progress

    from app.show.console import make_console

    console = make_console(error=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=total)
        yield lambda name: progress.update(bar, advance=1, description=name)
