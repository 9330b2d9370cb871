"""`ana traces`: the trace files, and forgetting old ones."""

from datetime import datetime

from ana.handles import opened
from ana.settings import Settings
from ana.tracing.traces import Traces, moment
from app.cli.ages import moment_before
from app.show.tables import show_table
from app.show.text import say, short
from app.threads import Threads, thread_lock


def show_traces(settings: Settings, older_than: str | None) -> None:
    """Print every conversation's trace: how many turns, how large, the last one.

    Args:
        settings: Where they lie.
        older_than: Only turns older than this.
    """
    traces, threads = Traces(settings.traces_dir), Threads(settings)
    before = _before(settings, older_than) if older_than else None
    rows = []
    for id in traces.ids():
        records = [record for record in traces.read(id) if before is None or moment(record) < before]
        if records:
            last, size = records[-1], traces.path(id).stat().st_size
            name = threads.describe(id).name or id[:8]
            rows.append((name, str(len(records)), f"{size / 1000:.0f} kB", last["ts"][:16], short(last["question"])))
    if rows:
        show_table(("conversation", "turns", "size", "last (UTC)", "asked last"), rows, fixed=("last (UTC)",))
    else:
        say("There are no traces." if older_than is None else f"No trace is older than {older_than}.")


def purge(settings: Settings, older_than: str) -> int:
    """Forget the turns that are older than this for ever; how many that were. Conversations stay.

    Raises:
        StoreBusy: Another program works in a conversation.
        UserError: The age is none.
    """
    traces, before, count = Traces(settings.traces_dir), _before(settings, older_than), 0
    for id in traces.ids():
        lock = thread_lock(settings, id, "ana traces")
        lock.acquire()
        try:
            count += traces.forget(id, before)
        finally:
            lock.release()
    return count


def _before(settings: Settings, age: str) -> datetime:
    with opened(settings, "ana traces") as handles:
        return moment_before(age, handles.clock)
