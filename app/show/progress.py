"""Progress bars on standard error, if that is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn

from app.show.console import make_console


@contextmanager
def show_progress(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows how many of all are done; the bar appears at its first call and vanishes at the end.

    Args:
        doing: One word, such as embedding.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[speed]}"))
    with ExitStack() as stack:
        bar = make_bar(*columns)
        task = bar.add_task(doing, speed="")

        def show(done: int, total: int) -> None:
            if not bar.live.is_started and not bar.disable:
                stack.enter_context(bar)
            bar.update(task, completed=done, total=total)
            if speed := bar.tasks[0].speed:
                bar.update(task, speed=f"{speed:,.0f} a second")

        yield show


def make_bar(*columns: ProgressColumn) -> Progress:
    """Return a bar that vanishes at the end and is shown only in a terminal."""
    console = make_console(error=True)
    # where there is no terminal, rich would end with an empty line
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
