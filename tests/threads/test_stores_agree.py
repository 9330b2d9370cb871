"""Whatever happens to conversations, a folder and PostgreSQL tell the same of them afterwards."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from ana.threads.folder import FolderThreadStore
from ana.threads.ports import Created
from ana.threads.postgres import PostgresThreadStore
from ana.threads.store import ThreadStore
from tests.examples import examples
from tests.postgres.server import open_people
from tests.threads.conformance import ONE, STAMP, TWO, address, builder, reply, say

ACTS = ("say", "ask", "reply", "edit", "roll back", "prune", "erase", "copy", "trash", "restore", "create", "delete")
RUNS = ("run-1", "run-2", "run-3")


def act(store: ThreadStore, n: int, name: str, thread: str, run: str) -> None:
    """Do something to a thread, and what it leads to in a run."""
    if name in ("say", "ask"):
        say(store, thread, "ask" if name == "ask" else f"text {n}", run)
    elif name == "reply" and thread in store.waiting_since():
        reply(store, thread)
    elif name == "trash":
        store.put_in_trash(thread, f"{STAMP}{n}", f"name {n}", "")
    elif name == "restore" and (gone := store.list_trash()) and gone[0].thread not in store.ids():
        store.take_out_of_trash(gone[0])
    elif name == "create":
        store.create(thread, Created(STAMP, {"n": n}))
    elif name == "delete":
        store.delete([thread])
    else:
        change_states(store, n, name, thread, run)


def change_states(store: ThreadStore, n: int, name: str, thread: str, run: str) -> None:
    other = TWO if thread == ONE else ONE
    with store.open_saver() as saver:
        if name == "edit":
            builder.compile(checkpointer=saver).update_state(address(thread), {"messages": [HumanMessage(f"edit {n}")]})
        elif name == "roll back":
            saver.delete_for_runs([run])
        elif name in ("prune", "erase"):
            saver.prune([thread], strategy="keep_latest" if name == "prune" else "delete")
        elif name == "copy" and other not in store.marks():
            saver.copy_thread(thread, other)


def tell(store: ThreadStore) -> dict[str, Any]:
    """Return all that a store tells, without what differs from one to the next."""
    told: dict[str, Any] = {"ids": store.ids(), "waiting": [*store.waiting_since()], "marked": {*store.marks()}}
    told |= {"created": store.created(), "names": store.names()}
    told["trash"] = [(each.thread, each.ts, each.name) for each in store.list_trash()]
    with store.open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        for thread in (ONE, TWO):
            history = list(graph.get_state_history(address(thread)))
            told[thread] = [
                ([m.text for m in state.values.get("messages", ())], state.next, len(state.interrupts), state.metadata)
                for state in history
            ]
            told[f"{thread} before"] = [
                len(list(saver.list(address(thread), before=state.config, filter={"source": "loop"})))
                for state in history
            ]
            told[f"{thread} newest"] = len(saver.list_newest(thread))
    return told


steps = st.lists(st.tuples(st.sampled_from(ACTS), st.sampled_from((ONE, TWO)), st.sampled_from(RUNS)), max_size=12)


@settings(max_examples=examples(15))
@given(steps)
def test_a_folder_and_postgres_tell_the_same(taken: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as folder:
        here, there = FolderThreadStore(Path(folder)), PostgresThreadStore(open_people()("owner"))
        for n, step in enumerate(taken):
            act(here, n, *step)
            act(there, n, *step)
            assert tell(here) == tell(there), step
