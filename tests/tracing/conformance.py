"""The spec of what keeps the records of turns, written once, as checks that run on every implementation.

A check takes a function that opens a person's traces, as one more process would: twice the same person's is the same
state, another person's is another.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from ana.errors import UserError
from ana.tracing.port import NO_THREAD, Traces, moment
from ana.tracing.schema import Record

OpenTraces = Callable[[str], Traces]
THREAD, OTHER = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001", "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b002"
BEGUN = datetime(2026, 1, 7, 8, tzinfo=UTC)


def record(id: str, thread: str = THREAD, minutes: int = 0, **more: Any) -> Record:
    """Return the record of a turn that began so many minutes after eight."""
    told = {"id": id, "ts": (BEGUN + timedelta(minutes=minutes)).isoformat(), "question": f"question of {id}"}
    kept = {"steps": [], "answer": f"answer of {id}", "thread_id": thread, "format": 1}
    return cast(Record, told | kept | more)


def ids(records: list[Record]) -> list[str]:
    return [each["id"] for each in records]


def a_record_comes_back_exactly(open_traces: OpenTraces) -> None:
    text = "NUL \0, line \u2028, “quotes”, \\ and é " * 5_000
    kept = record("a", answer=text, steps=[{"tool": "now", "args": {"zone": "\x85"}, "observation": [1, None, 2.5]}])
    open_traces("owner").write(kept)
    assert open_traces("owner").read(THREAD) == [kept]
    assert open_traces("owner").find("a") == kept


def half_a_character_keeps_no_record_from_being_read(open_traces: OpenTraces) -> None:
    for each in (record("a", question="half \ud83d of one"), record("b")):
        open_traces("owner").write(each)
    assert ids(open_traces("owner").read(THREAD)) == ["a", "b"]


def turns_that_were_answered_again_are_read_once(open_traces: OpenTraces) -> None:
    traces = open_traces("owner")
    first, second = record("a", message="m1", previous=None), record("b", message="m2", previous="a")
    again = record("c", message="m2", previous="a")
    for each in (first, second, again):
        traces.write(each)
    assert traces.read(THREAD) == [first, again]
    assert [*traces.iter_attempts(THREAD)] == [first, second, again]
    traces.write(record("d", NO_THREAD, previous=None))
    traces.write(record("e", NO_THREAD, previous=None))
    assert ids(traces.read(NO_THREAD)) == ["d", "e"], "without a thread none follows another"


def a_conversation_is_read_page_by_page(open_traces: OpenTraces) -> None:
    traces = open_traces("owner")
    for n in range(5):
        traces.write(record(f"t{n}"))
    assert ids(traces.page(THREAD, 2)) == ["t3", "t4"]
    assert ids(traces.page(THREAD, 2, "t3")) == ["t1", "t2"]
    assert traces.page(THREAD, 2, "t0") == []
    with pytest.raises(UserError, match="no turn"):
        traces.page(THREAD, 2, "t9")


def a_record_is_found_by_its_id_and_by_its_thread(open_traces: OpenTraces) -> None:
    traces = open_traces("owner")
    traces.write(record("a"), record("b"), record("c", OTHER))
    assert traces.find("a") == record("a")
    assert traces.find(THREAD) == record("b")
    assert traces.find("nothing") is None
    assert (traces.ids(), traces.ids(since=4e9)) == ([THREAD, OTHER], [])


def a_thread_without_records_is_empty(open_traces: OpenTraces) -> None:
    traces = open_traces("owner")
    assert (traces.ids(), traces.read(THREAD), traces.page(THREAD, 5), traces.find(THREAD)) == ([], [], [], None)
    assert (traces.read_text(THREAD), traces.change(THREAD, lambda _: None)) == ("", 0)
    traces.delete(THREAD)
    traces.put_back(THREAD, "")
    assert traces.ids() == []


def records_are_changed_and_removed(open_traces: OpenTraces) -> None:
    traces = open_traces("owner")
    for n in range(4):
        traces.write(record(f"t{n}", minutes=n))
    traces.write(other := record("other", OTHER))
    assert traces.change(THREAD, lambda each: None if moment(each) < BEGUN + timedelta(minutes=2) else each) == 2
    assert traces.change(THREAD, lambda each: record("t3", question="") if each["id"] == "t3" else each) == 1
    assert open_traces("owner").read(THREAD) == [record("t2", minutes=2), record("t3", question="")]
    assert (traces.find("t3"), traces.find("t1")) == (record("t3", question=""), None)
    assert traces.change(THREAD, lambda _: None) == 2
    assert (traces.ids(), traces.read(OTHER)) == ([OTHER], [other])


def a_deleted_trace_is_put_back_as_it_was(open_traces: OpenTraces) -> None:
    traces = open_traces("owner")
    for each in (record("a", answer="é \0"), record("b"), record("c", OTHER)):
        traces.write(each)
    before, text = traces.read(THREAD), traces.read_text(THREAD)
    assert len(text.splitlines()) == 2
    traces.delete(THREAD)
    assert traces.ids() == [OTHER]
    traces.put_back(THREAD, text)
    assert (traces.read(THREAD), traces.read_text(THREAD)) == (before, text)


def mentions_are_found(open_traces: OpenTraces) -> None:
    traces = open_traces("owner")
    for each in (record("a", answer="the blue tin"), record("b", OTHER)):
        traces.write(each)
    assert traces.find_mentions(lambda data: b"blue tin" in data) == {THREAD}
    traces.delete(THREAD)
    assert traces.find_mentions(lambda data: b"blue tin" in data) == set()


def records_at_once_are_all_kept(open_traces: OpenTraces) -> None:
    opened = [open_traces("owner") for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: opened[n % 4].write(record(f"t{n}", answer="x" * 20_000)), range(80)))
    assert sorted(ids(opened[0].read(THREAD))) == sorted(f"t{n}" for n in range(80))


def persons_share_nothing(open_traces: OpenTraces) -> None:
    open_traces("owner").write(record("a"))
    a_thread_without_records_is_empty(lambda _: open_traces("eve"))
    assert open_traces("eve").find("a") is None
    assert ids(open_traces("owner").read(THREAD)) == ["a"]


TRACES = (
    a_record_comes_back_exactly,
    half_a_character_keeps_no_record_from_being_read,
    turns_that_were_answered_again_are_read_once,
    a_conversation_is_read_page_by_page,
    a_record_is_found_by_its_id_and_by_its_thread,
    a_thread_without_records_is_empty,
    records_are_changed_and_removed,
    a_deleted_trace_is_put_back_as_it_was,
    mentions_are_found,
    records_at_once_are_all_kept,
    persons_share_nothing,
)
