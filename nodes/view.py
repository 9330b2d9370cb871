"""The texts by others that a request to the model contains, each with its source."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from ana.memory.changes import Kind
from ana.memory.content_words import count_words, iter_words
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.sources import PASTE, PERSON, SUGGESTED, is_others, name_tool
from ana.memory.vocabulary import DATES, MOST, OTHERS, OURS
from ana.output import escape_controls
from ana.time.dates import day_of
from ana.time.repeats import DATE_KEYS
from ana.tracing.schema import INVALID
from ana.values import Json, read_object
from graph.state import State
from nodes.history import call_ids, receipts, this_turn
from nodes.receipt import VIEW, hide_receipt
from nodes.typed import list_pasted
from tools.catalog import TOOLS

FEWEST_WORDS = 3
"""A shorter text is a name or a date, and orders nothing."""

PROGRAMS = {*OURS, *DATE_KEYS, "uid"}
"""Names of properties that the program gives, and nobody whose words these are."""


@dataclass(frozen=True)
class SourcedText:
    """A text by others that the model was shown.

    Args:
        source: The source of the text.
        text: The text.
        record: The id of the item, or the number of the line, that contains it; empty if there is none.
        is_answer: Whether it is an earlier answer, which also contains words of the person's own records.
    """

    source: str
    text: str
    record: str = ""
    is_answer: bool = False


def read_view(state: State, memory: Memory) -> list[SourcedText]:
    """Return the texts by others that the request to the model contains.

    Records by others from an earlier turn are sent as ids alone, and so are not in view; answers that were written
    while such records were in view, are.
    """
    texts = [*_read_messages(state["messages"]), *read_results(this_turn(state["messages"]), memory)]
    if summary := state.get("summary"):
        texts.append(SourcedText(state.get("summary_source") or SUGGESTED, summary))
    if loaded := state.get("loaded"):
        texts += _read_records(loaded.get("overdue", {}), memory, "item")
        texts += _read_records(map(str, loaded["lines"]), memory, "line")
        texts += _read_vocabulary(memory) if loaded["vocabulary"] else ()
    return keep_others(texts)


def read_results(messages: Sequence[AnyMessage], memory: Memory) -> list[SourcedText]:
    """Return the texts of the records in results of ana's tools, as the results show them and as they are stored.

    Records that these messages themselves wrote are not read again if all of their text is the person's.
    """
    written = {str(receipt["id"]): receipt["after"] for receipt in receipts(messages) if receipt["kind"] == "item"}
    own = {id for id, after in written.items() if after and "sources" not in after}
    # what is no longer stored says only in the result who told it
    sourced = (each for each in _iter_objects(messages) if isinstance(each.get("source"), str))
    ids = [id for id in list_ids(messages) if id not in own]
    return [*map(_read_sourced, sourced), *_read_records(ids, memory, "item")]


def list_ids(messages: Sequence[AnyMessage]) -> list[str]:
    """Return the ids in results of ana's tools, each once."""
    return [*dict.fromkeys(each["id"] for each in _iter_objects(messages) if isinstance(each.get("id"), str))]


def find_source_of_summary(state: State, dropped: Sequence[AnyMessage], memory: Memory) -> str:
    """Return the source of a summary: the least trusted source of its texts.

    Args:
        state: The state, with the summary so far.
        dropped: The messages that the summary will also cover.
    """
    texts = keep_others([*_read_messages(dropped), *read_results(dropped, memory)])
    known = state.get("summary_source", SUGGESTED) if state.get("summary") else PERSON
    return texts[-1].source if texts else known


def keep_others(texts: Iterable[SourcedText]) -> list[SourcedText]:
    """Return the texts by others that could contain an order, each once."""
    return [*dict.fromkeys(each for each in texts if is_others(each.source) and may_order(each.text))]


def may_order(text: str) -> bool:
    """Return whether a text is long enough to be an order, or has characters that a model reads but nobody sees."""
    return count_words(text) >= FEWEST_WORDS or escape_controls(text) != text


def list_texts(item: Item) -> list[SourcedText]:
    """Return the texts of a record, each with its source; dates and names that the program gives are no texts."""
    texts = [SourcedText(item.sources.content, item.content, item.id)]
    for name, value in item.properties.items():
        words = [word for word in iter_words(value) if not day_of(word)]
        named = words if name in PROGRAMS else [name.replace("_", " "), *words]
        texts.append(SourcedText(item.sources.properties.get(name, PERSON), " ".join(named), item.id))
    return texts


def _read_messages(messages: Sequence[AnyMessage]) -> Iterator[SourcedText]:
    for message in messages:
        if isinstance(message, HumanMessage):
            yield from (SourcedText(PASTE, part) for part in list_pasted(message))
        elif isinstance(message, AIMessage) and not call_ids(message):
            source = str(message.additional_kwargs.get(VIEW) or PERSON)
            yield SourcedText(source, hide_receipt(message).text, is_answer=True)
        elif isinstance(message, ToolMessage) and message.name not in (*TOOLS, INVALID):
            yield SourcedText(name_tool(message.name or ""), message.text)


def _iter_objects(messages: Sequence[AnyMessage]) -> Iterator[dict[str, Any]]:
    """Yield the objects in results of ana's own tools, each before the objects inside it."""
    results = (each for each in messages if isinstance(each, ToolMessage) and each.name in TOOLS)
    left: list[Any] = [read_object(result.text) for result in results][::-1]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield value
            value = [*value.values()]
        left += reversed(value) if isinstance(value, list) else ()


def _read_sourced(value: Mapping[str, Any]) -> SourcedText:
    words = iter_words({key: each for key, each in value.items() if key not in ("id", "source")})
    return SourcedText(value["source"], " ".join(words), str(value.get("id", "")))


def _read_records(ids: Iterable[str], memory: Memory, kind: Kind) -> list[SourcedText]:
    items = memory.backend.get_many(kind, keys) if (keys := [*ids]) else {}
    return [text for item in items.values() for text in list_texts(item)]


def _read_vocabulary(memory: Memory) -> Iterator[SourcedText]:
    """Yield the names in use that are long enough to be an order, with the source in the record changed last."""
    for kind, names in memory.vocabulary.names().items():
        for name in (name for name, _ in names[:MOST] if may_order(name)):
            is_key = kind in (DATES, OTHERS)
            where: dict[str, Json] = {name: {"$ne": None}} if is_key else {kind: name}
            for item in memory.find(where=where, limit=1).items:
                yield SourcedText(item.sources.properties.get(name if is_key else kind, PERSON), name, item.id)
