"""A bar on standard error for steps that have names; nothing where there is no terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from app.show.progress import make_bar


@contextmanager
def show_steps(total: int | None = None) -> Iterator[Callable[[str], None]]:
    """Yield a function to call after each step, with its name; the bar goes at the end.

    Args:
        total: How many steps there are; None if nobody knows.
    """
    with make_bar() as bar:
        task = bar.add_task("", total=total)
        yield lambda name: bar.update(task, advance=1, description=name)
