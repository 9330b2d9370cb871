"""The spec of what keeps conversations and owns them, written once, as checks that run on every implementation.

A check takes a function that opens a person's store, or locks, as one more process would: twice the same person's is
the same state, another person's is another. It raises where the implementation is wrong.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from ana.errors import StoreBroken, StoreBusy
from ana.threads.ports import Created, ThreadLocks
from ana.threads.saver import TURNS
from ana.threads.store import ThreadStore

OpenStore = Callable[[str], ThreadStore]
OpenLocks = Callable[[str], ThreadLocks]

ONE, TWO = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001", "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b002"
STAMP = "2026-01-07T08:00:00.000000+00:00"
SAID = "the key is in the blue tin"


def answer(state: MessagesState) -> dict[str, Any]:
    said = state["messages"][-1].text
    return {"messages": [AIMessage(interrupt("Really?") if said == "ask" else f"heard {said}")]}


builder = StateGraph(MessagesState)
"""The smallest graph that can wait: it answers, and asks back first where the message says so."""

builder.add_node("answer", answer)
builder.add_edge(START, "answer")


def address(thread: str, run: str = "") -> Any:
    return {"configurable": {"thread_id": thread} | ({"run_id": run} if run else {})}


def say(store: ThreadStore, thread: str, text: str, run: str = "") -> None:
    with store.open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        graph.invoke({"messages": [HumanMessage(text)]}, address(thread, run), durability="sync")


def reply(store: ThreadStore, thread: str) -> None:
    with store.open_saver() as saver:
        builder.compile(checkpointer=saver).invoke(Command(resume="yes"), address(thread), durability="sync")


def read(store: ThreadStore, thread: str) -> list[str]:
    with store.open_saver() as saver:
        state = builder.compile(checkpointer=saver).get_state(address(thread))
    return [message.text for message in state.values.get("messages", ())]


# ---- states


def another_process_reads_what_was_saved(open_store: OpenStore) -> None:
    say(open_store("owner"), ONE, "hello")
    assert read(open_store("owner"), ONE) == ["hello", "heard hello"]
    assert read(open_store("owner"), TWO) == []


def an_empty_store_lists_nothing(open_store: OpenStore) -> None:
    store = open_store("owner")
    assert (store.ids(), store.marks(), store.waiting_since()) == ([], {}, {})
    assert (store.names(), store.last(), store.list_trash()) == ({}, None, [])
    store.delete([ONE])
    store.forget([ONE])
    store.tables.compact()
    assert store.find_mentions(lambda _: True) == set()


def threads_are_listed_by_their_last_use(open_store: OpenStore) -> None:
    store = open_store("owner")
    for thread in (ONE, TWO, ONE):
        say(store, thread, "hello")
    assert store.ids() == [ONE, TWO]


def the_newest_state_is_the_one_saved_last_whatever_its_id(open_store: OpenStore) -> None:
    store = open_store("owner")
    say(store, ONE, "hello")
    with store.open_saver() as saver:
        newest = saver.get_tuple(address(ONE))
        assert newest is not None
        older = newest.checkpoint.copy()
        older["id"] = "00000000-0000-6000-8000-000000000000"
        saver.put(newest.config, older, {"source": "update", "step": 9, "parents": {}}, {})
        again = saver.get_tuple(address(ONE))
        assert again is not None
        assert again.checkpoint["id"] == older["id"]
        assert [id for id, _ in saver.list_newest(ONE)] == [older["id"], newest.checkpoint["id"]]


def any_text_is_kept(open_store: OpenStore) -> None:
    text = "NUL \0, line \u2028, “quotes”, \\ and é"
    store = open_store("owner")
    say(store, ONE, text, "run-1")
    with store.open_saver() as saver:
        newest = saver.get_tuple(address(ONE))
        assert newest is not None
        saver.put(newest.config, newest.checkpoint, {"source": "update", "step": 9, "parents": {text: text}}, {})
        saver.put_writes(newest.config, [("messages", text), ("none", None)], "task")
        again = saver.get_tuple(address(ONE))
        assert again is not None
        assert again.metadata["parents"] == {text: text}
        assert again.pending_writes == [("task", "messages", text), ("task", "none", None)]
    assert read(store, ONE) == [text, f"heard {text}"]


def a_thread_keeps_its_last_turns_and_what_waits(open_store: OpenStore) -> None:
    store = open_store("owner")
    for thread in (ONE, TWO):
        say(store, thread, "ask")
    reply(store, ONE)
    waiting = find_waiting(store, TWO)
    for n in range(TURNS + 3):
        for thread in (ONE, TWO):
            say(store, thread, f"question {n}")
    assert count_checkpoints(store, ONE) == 3 * TURNS
    assert count_checkpoints(store, TWO) == 3 * TURNS + 1
    assert len(read(store, ONE)) == 2 * (TURNS + 4)
    assert find_waiting(store, ONE) == [], "it was replied to, and goes with its turn"
    assert find_waiting(store, TWO) == waiting, "nobody has replied to it"


def count_checkpoints(store: ThreadStore, thread: str) -> int:
    """Return how many checkpoints a thread has; a turn makes three."""
    with store.open_saver() as saver:
        return len(list(saver.list(address(thread))))


def find_waiting(store: ThreadStore, thread: str) -> list[str]:
    """Return the ids of a thread's checkpoints at which somebody is asked."""
    with store.open_saver() as saver:
        states = builder.compile(checkpointer=saver).get_state_history(address(thread))
        return [state.config["configurable"]["checkpoint_id"] for state in states if state.interrupts]


def a_run_that_is_rolled_back_leaves_the_state_before_it(open_store: OpenStore) -> None:
    store = open_store("owner")
    say(store, ONE, "first", "run-1")
    say(store, ONE, "second", "run-2")
    with store.open_saver() as saver:
        saver.delete_for_runs(["run-2"])
    assert read(store, ONE) == ["first", "heard first"]
    with store.open_saver() as saver:
        saver.delete_for_runs(["run-1"])
    assert read(store, ONE) == []
    assert ONE in store.marks(), "it is empty, and not deleted"


def a_run_that_a_person_stopped_is_remembered(open_store: OpenStore) -> None:
    with open_store("owner").open_saver() as saver:
        saver.mark_stopped("run-1")
        saver.mark_stopped("run-1")
    with open_store("owner").open_saver() as saver:
        assert (saver.was_stopped("run-1"), saver.was_stopped("run-2")) == (True, False)


def a_thread_waits_until_it_is_replied_to(open_store: OpenStore) -> None:
    store = open_store("owner")
    say(store, ONE, "hello")
    assert store.waiting_since() == {}
    say(store, ONE, "ask")
    say(store, TWO, "ask")
    assert [*store.waiting_since()] == [TWO, ONE]
    assert datetime.fromisoformat(store.waiting_since()[ONE]).tzinfo
    reply(store, ONE)
    assert [*store.waiting_since()] == [TWO]


def every_change_of_a_state_changes_its_mark(open_store: OpenStore) -> None:
    store, seen = open_store("owner"), list[tuple[int, int]]()
    for text in ("hello", "ask", None):
        if text:
            say(store, ONE, text)
        else:
            reply(store, ONE)
        seen.append(store.marks()[ONE])
    assert len({*seen}) == 3
    say(store, TWO, "hello")
    assert store.marks()[ONE] == seen[-1]


def a_program_with_an_event_loop_uses_the_same_states(open_store: OpenStore) -> None:
    say(open_store("owner"), ONE, "hello", "run-1")

    async def work() -> None:
        async with open_store("owner").open_server_saver() as saver:
            graph = builder.compile(checkpointer=saver)
            await graph.ainvoke({"messages": [HumanMessage("and now?")]}, address(ONE, "run-2"), durability="sync")
            await saver.amark_stopped("run-2")
            await saver.acopy_thread(ONE, TWO)
            await saver.adelete_for_runs(["run-2"])

    asyncio.run(work())
    store = open_store("owner")
    assert read(store, ONE) == ["hello", "heard hello"]
    assert read(store, TWO) == ["hello", "heard hello", "and now?", "heard and now?"]


def threads_at_once_lose_nothing(open_store: OpenStore) -> None:
    ids = [f"0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b{n:03}" for n in range(8)]

    def talk(id: str) -> None:
        store = open_store("owner")
        for n in range(3):
            say(store, id, f"{n}")
        store.set_names({id: f"name of {id}"})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(talk, ids))
    store = open_store("owner")
    assert {id: len(read(store, id)) for id in ids} == dict.fromkeys(ids, 6)
    assert store.names() == {id: f"name of {id}" for id in ids}


def what_fails_is_told_with_the_next_step(open_store: OpenStore) -> None:
    store = open_store("owner")
    for error in (*store.errors, PermissionError):
        with pytest.raises(StoreBroken), store.map_errors():
            raise error("it is full")
    with pytest.raises(KeyError), store.map_errors():
        raise KeyError("no fault of the store")


# ---- names, the last thread, trash


def names_and_the_last_thread_are_kept_until_they_are_forgotten(open_store: OpenStore) -> None:
    names = {ONE: "work \0 “home”\n", TWO: "é" * 10_000}
    for id, name in names.items():
        open_store("owner").set_names({id: name})
    open_store("owner").set_last(ONE)
    store = open_store("owner")
    assert (store.names(), store.last(), store.ids()) == (names, ONE, [])
    store.forget([TWO])
    assert (store.names(), store.last()) == ({ONE: names[ONE]}, ONE)
    store.forget([ONE])
    assert (store.names(), store.last()) == ({}, None)


def a_deleted_thread_comes_back_as_it_was(open_store: OpenStore) -> None:
    store = open_store("owner")
    for thread in (ONE, TWO):
        say(store, thread, "ask")
        store.put_in_trash(thread, STAMP, f"name of {thread}", '{"a": 1}\n')
    assert (store.ids(), store.marks(), store.waiting_since(), read(store, ONE)) == ([], {}, {}, [])
    newest, oldest = store.list_trash()
    assert (newest.thread, oldest.thread, oldest.ts, oldest.trace) == (TWO, ONE, STAMP, '{"a": 1}\n')
    store.take_out_of_trash(oldest)
    assert ([*store.waiting_since()], read(store, ONE)) == ([ONE], ["ask"])
    assert store.names() == {ONE: f"name of {ONE}"}
    assert [each.thread for each in store.list_trash()] == [TWO]


def a_thread_can_be_deleted_more_than_once(open_store: OpenStore) -> None:
    store = open_store("owner")
    for text in ("first", "second"):
        say(store, ONE, text)
        store.put_in_trash(ONE, f"{STAMP}{text}", "", "")
    store.take_out_of_trash(store.list_trash()[1])
    assert read(store, ONE) == ["first", "heard first"]


def a_thread_that_a_client_made_again_comes_back(open_store: OpenStore) -> None:
    store = open_store("owner")
    say(store, ONE, "hello", "run-1")
    for moment in (STAMP, f"{STAMP}again"):
        store.create(ONE, Created(moment, {"half": "\0 “x”"}))
        store.put_in_trash(ONE, moment, "", "")
    store.create(ONE, Created(STAMP, {}))
    store.take_out_of_trash(store.list_trash()[1])
    assert store.created() == {ONE: Created(STAMP, {"half": "\0 “x”"})}
    assert read(store, ONE) == ["hello", "heard hello"]


def what_is_deleted_for_good_is_mentioned_nowhere(open_store: OpenStore) -> None:
    store = open_store("owner")
    say(store, ONE, SAID)
    say(store, TWO, "hello")
    store.put_in_trash(ONE, STAMP, "", f'{{"question": "{SAID}"}}')
    say(store, ONE, SAID)
    (deleted,) = store.list_trash()
    assert store.find_mentions(lambda data: SAID.encode() in data) == {ONE, deleted.id}
    store.delete([ONE, deleted.id])
    store.tables.compact()
    assert store.find_mentions(lambda data: SAID.encode() in data) == set()
    assert (store.ids(), store.list_trash()) == ([TWO], [])


def persons_share_nothing(open_store: OpenStore) -> None:
    mine, theirs = open_store("owner"), open_store("eve")
    say(mine, ONE, SAID)
    mine.set_names({ONE: "work"})
    mine.set_last(ONE)
    mine.put_in_trash(ONE, STAMP, "work", "")
    say(mine, ONE, SAID)
    an_empty_store_lists_nothing(lambda _: theirs)
    say(theirs, ONE, "hello")
    theirs.delete([ONE])
    assert read(mine, ONE) == [SAID, f"heard {SAID}"]
    assert len(mine.list_trash()) == 1


# ---- locks


def a_conversation_has_one_owner(open_locks: OpenLocks) -> None:
    lock = open_locks("owner").lock(ONE, "somebody")
    lock.acquire()
    for spelling in (ONE, ONE.upper(), ONE.replace("-", "")):
        with pytest.raises(StoreBusy, match="somebody"):
            open_locks("owner").lock(spelling, "another", patience=0).acquire()
    free(open_locks("owner"), TWO)
    free(open_locks("eve"), ONE)
    lock.release()
    free(open_locks("owner"), ONE)


def who_waits_gets_the_conversation(open_locks: OpenLocks) -> None:
    lock, order = open_locks("owner").lock(ONE, "first"), list[str]()
    lock.acquire()

    def wait() -> None:
        second = open_locks("owner").lock(ONE, "second", patience=30)
        second.acquire()
        order.append("second")
        second.release()

    waiting = threading.Thread(target=wait)
    waiting.start()
    order.append("first")
    lock.release()
    waiting.join()
    assert order == ["first", "second"]


def a_discarded_lock_can_be_made_again(open_locks: OpenLocks) -> None:
    lock = open_locks("owner").lock(ONE, "somebody")
    lock.acquire()
    lock.discard()
    free(open_locks("owner"), ONE)


def whoever_owns_all_keeps_everybody_out(open_locks: OpenLocks) -> None:
    lock = open_locks("owner").lock(ONE, "somebody")
    lock.acquire()
    with pytest.raises(StoreBusy, match="somebody"), open_locks("owner").own_all("ana restore", patience=0):
        pass
    lock.release()
    with open_locks("owner").own_all("ana restore"):
        for id in (ONE, TWO):
            with pytest.raises(StoreBusy, match="ana restore"):
                open_locks("owner").lock(id, "somebody", patience=0).acquire()
        free(open_locks("eve"), ONE)
    free(open_locks("owner"), ONE)


def one_at_a_time_works_in_a_conversation(open_locks: OpenLocks) -> None:
    present, most = list[int](), list[int]()

    def work(n: int) -> None:
        lock = open_locks("owner").lock(ONE, "somebody", patience=30)
        lock.acquire()
        present.append(n)
        most.append(len(present))
        present.remove(n)
        lock.release()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))
    assert most == [1] * 40


def free(locks: ThreadLocks, id: str) -> None:
    """Take a lock that nobody holds, and release it."""
    lock = locks.lock(id, "a check", patience=0)
    lock.acquire()
    lock.release()


STORE = (
    another_process_reads_what_was_saved,
    an_empty_store_lists_nothing,
    threads_are_listed_by_their_last_use,
    the_newest_state_is_the_one_saved_last_whatever_its_id,
    any_text_is_kept,
    a_thread_keeps_its_last_turns_and_what_waits,
    a_run_that_is_rolled_back_leaves_the_state_before_it,
    a_run_that_a_person_stopped_is_remembered,
    a_thread_waits_until_it_is_replied_to,
    every_change_of_a_state_changes_its_mark,
    a_program_with_an_event_loop_uses_the_same_states,
    threads_at_once_lose_nothing,
    what_fails_is_told_with_the_next_step,
    names_and_the_last_thread_are_kept_until_they_are_forgotten,
    a_deleted_thread_comes_back_as_it_was,
    a_thread_can_be_deleted_more_than_once,
    a_thread_that_a_client_made_again_comes_back,
    what_is_deleted_for_good_is_mentioned_nowhere,
    persons_share_nothing,
)
LOCKS = (
    a_conversation_has_one_owner,
    who_waits_gets_the_conversation,
    a_discarded_lock_can_be_made_again,
    whoever_owns_all_keeps_everybody_out,
    one_at_a_time_works_in_a_conversation,
)
