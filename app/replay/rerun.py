"""Running a recorded turn again: with its own decisions and results, or with another model or prompt."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import Embedder, WordLlamaEmbeddings
from ana.embedders.known import OnceEmbeddings
from ana.errors import CannotReplay
from ana.handles import Handles
from ana.memory.backend import Backend, RecordKey
from ana.memory.changes import KINDS
from ana.memory.digests import digest_line
from ana.memory.item import Item
from ana.memory.search.property_text import render_text
from ana.settings import Settings
from ana.time.clock import Clock
from ana.tracing.schema import DISPLAY_FIELDS, RUN_AGAIN, Record, find_fault
from app.replay.model import Recording
from app.replay.play import PlayContext, play
from app.replay.recorded import make_question, rebuild_history
from app.throwaway import make_throwaway
from graph.context import MOST_STEPS

STARTS = ("load_context", "reason")
"""The nodes that a turn can begin at when it is run again."""

WITHOUT_LIMIT = {"ana_history_tokens": 2**31 - 1, "ana_turn_seconds": float("inf")}
"""What ended a turn, or shortened its conversation, is in its record."""


def repeat(settings: Settings, record: Record, thread: Sequence[Record], texts: Iterable[str]) -> Record:
    """Run a turn again with the recorded decisions and results, and return the new record.

    Graph, prompts, checks of arguments and policies are the present ones. No tool runs, and no call is weighed.

    Args:
        settings: As they are now.
        thread: All records of its conversation.
        texts: The present and earlier texts of lines of Global Context.

    Raises:
        CannotReplay: Something that it needs is not recorded.
    """
    _check(record)
    recording = Recording(record=record)
    store = _fill_lines(record["replay"].get("lines", {}), texts, record["ts"])
    began = datetime.fromisoformat(record["ts"])
    clock = Clock(began.tzinfo or UTC, lambda: began)
    handles = make_throwaway(settings.model_copy(update=WITHOUT_LIMIT), recording, store, clock)
    return _play(record, thread, handles, autonomy="act", max_steps=MOST_STEPS, recording=recording)


def ask_other(
    handles: Handles, record: Record, thread: Sequence[Record], store: InMemoryBackend, template: str | None = None
) -> Record:
    """Let another model, or one with another prompt, answer a turn now, and return the new record.

    Tools of the person's own, which could act, are left out.

    Args:
        handles: With that model; the cost is counted where theirs is.
        thread: All records of its conversation.
        store: A copy, which it may change.
        template: The system prompt; None for the usual one.

    Raises:
        CannotReplay: Something that it needs is not recorded.
    """
    _check(record)
    settings = handles.settings.model_copy(update={"tools_modules": ()})
    copied = make_throwaway(settings, handles.model, store, spending=handles.spending)
    answered = _play(record, thread, copied, template=template)
    handles.spending.keep(answered)
    return answered


def copy_store(original: Backend, embedder: Embedder) -> InMemoryBackend:
    """Return a copy of a store as it is now, in memory, with the vectors of its items."""
    with original.reading():
        entries, line_number = original.entries()[::-1], original.next_line_number()
        records: dict[RecordKey, Item] = {(kind, item.id): item for kind in KINDS for item in original.scan(kind)}
        vectors = original.get_vectors("item", [id for kind, id in records if kind == "item"])
    known = {render_text(item): vectors[id] for (kind, id), item in records.items() if kind == "item"}
    copied = InMemoryBackend(OnceEmbeddings(embedder, known))
    copied.fill(records, entries, line_number)
    return copied


def list_line_texts(store: Backend) -> set[str]:
    """Return the present and earlier texts of lines of Global Context."""
    changes = [entry.change for entry in store.entries() if entry.change.kind == "line"]
    had = {line.content for change in changes for line in (change.before, change.after) if line}
    return had | {line.content for line in store.scan("line")}


def _fill_lines(lines: dict[str, str], texts: Iterable[str], stamp: str) -> InMemoryBackend:
    """Return a store with the lines that a turn was shown, without those that were deleted permanently since."""
    known = {digest_line(text): text for text in texts}
    present = {number: known[digest] for number, digest in lines.items() if digest in known}
    store = InMemoryBackend(WordLlamaEmbeddings())
    store.fill({("line", number): Item(number, text, {}, stamp, stamp) for number, text in present.items()}, [], 0)
    return store


def _play(record: Record, thread: Sequence[Record], handles: Handles, **options: Any) -> Record:
    inputs = record["replay"]
    context = PlayContext(
        id=record["id"],
        check="model" if record.get("checks") else "off",
        language=inputs.get("language", "en"),
        opened=handles,
        **options,
    )
    history = rebuild_history(record, thread)
    return play(context, record["thread_id"], make_question(record), history, inputs["summary"])


def _check(record: Record) -> None:
    """Raise CannotReplay if a turn cannot be run again."""
    inputs = record.get("replay")
    if day := record.get("forgotten"):
        raise CannotReplay(f"The turn was forgotten on {day}.")
    if inputs is None or {"wrote", "declined"} & inputs.keys():  # which are in the steps now
        raise CannotReplay(
            "The record lacks what a turn is run again from: an earlier version wrote it, or the turn never began."
        )
    if fault := find_fault(record, RUN_AGAIN, RUN_AGAIN | DISPLAY_FIELDS | {"checks"}):
        raise CannotReplay(f"The record is not whole: {fault}.")
    if not inputs["nodes"] or inputs["nodes"][0] not in STARTS:
        raise CannotReplay("This turn began in the middle, from a state that somebody had edited.")
