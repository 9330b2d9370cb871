"""Whatever reads a text that a person, a model, a file or the store gives, by its public face, each as one function."""

import contextlib
import io
import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import SecretStr

from ana.addresses import list_secret_parts, split_addresses
from ana.backends.in_memory import InMemoryBackend
from ana.embedders import WordLlamaEmbeddings
from ana.errors import AnaError
from ana.memory.filters.reading import parse
from ana.memory.memory import Memory
from ana.memory.operations import Operation
from ana.memory.receipts import describe_change, make_receipt
from ana.memory.search.query import parse_query
from ana.memory.search.tokens import tokenize
from ana.models.fence import unfence
from ana.models.json_mode.reader import read_decision
from ana.models.providers import build_model
from ana.models.scripted import ScriptedModel, calls
from ana.models.tool_schema import Tools
from ana.output import escape_controls, escape_json, shorten
from ana.reminders.reading import read_part
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.time.guesses import guess_dates
from ana.time.repeats import find_rule, tell_unread, understand_rule, word_rule
from ana.time.when import (
    find_named_days,
    find_single,
    is_only_when,
    read_due_question,
    resolve,
    tell_doubts,
)
from ana.transfer.bundle import is_export, read_export
from ana.transfer.reading import read_source
from ana.values import list_others
from app.page.lines import draw_text
from app.page.progress import Progress
from app.repl.approval import name_commands
from app.show.answers import show_text
from app.show.calls import describe_call
from app.show.text import wrap
from app.throwaway import open_throwaway
from nodes.history import cut_middle
from nodes.receipt import strip_receipt
from nodes.short_replies import begins_with_no, read_short_reply
from tools.calculator import calculate, list_steps
from tools.call import CallContext
from tools.catalog import TOOLS, schemas

Reader = Callable[[str], object]

NOW = datetime(2026, 1, 13, 9, 30, tzinfo=UTC)
TODAY = NOW.date()

# fmt: off
PIECES = (
    "a\n", "a ", "? ", "?", " ", "\n", "12 ", "3/4 ", "1", "$5 ", "3 h ", "1,", "a, ", "a. ", "a.", "- a\n", "| a ",
    "| - ", "`a` ", '"', "'", "“", "„a“ ", "[", "{", "(", "<a>", "```", "**a** ", "*a", "<|a|>", "</think>", "漢字",
    "漢。", "\u200b", "x@y.z ", "\\", "https://a.b ", "#a ", "@a ", "every friday ", "tomorrow ", "13 January ",
    "12:30 ", "at 3 ", "2026-01-13 ", "in 3 days ", "no a ", "and ", "note: ", "remind me to ", "delete a ", "done ",
    "what is ", "I ", "please ", "yes ", "1 + 1 ", "= 1 ", '{"a": ', '{"tool": {"name": "now"}} ', "Action: a\n",
    "BEGIN:VEVENT\n", "\n\n---\n- Stored: a",
)
# fmt: on
"""What readers are given more and more of, with words that one of them goes by."""

ENDS = ("", "!")
"""What stands at the end of it."""


def list_readers() -> Iterator[tuple[str, Reader]]:
    """Yield the name of every reader and the reader, which takes a refusal in our own words for an answer."""
    for name, read in {**TEXTS, **FILES, **TURNS}.items():
        yield name, _Quiet(read)


class _Quiet:
    """A reader that may refuse a text."""

    def __init__(self, read: Reader) -> None:
        self._read = read

    def __call__(self, text: str) -> object:
        with contextlib.suppress(AnaError, ValueError):
            return self._read(text)
        return None


# ---- texts

_TOOLS = Tools(schemas(()))
_CALL = '{"tool": {"name": "create_item", "args": {"content": '


def _open_memory() -> Memory:
    return Memory(InMemoryBackend(WordLlamaEmbeddings()), Clock(UTC))


def _run_tool(name: str, **args: Any) -> object:
    context = CallContext(_open_memory(), Clock(UTC))
    return TOOLS[name].invoke({"name": name, "id": "1", "type": "tool_call", "args": {**args, "call": context}})


def _edit(text: str) -> object:
    memory = _open_memory()
    item = memory.create(text, {"text": text}).after
    assert item is not None
    change = memory.update(item.id, f"{text} more", {"text": f"{text} more"})
    memory.find(text)
    memory.find_similar(item.id)
    return describe_change(make_receipt(change))


def _change_list(text: str) -> object:
    entries: Any = [f"{number}{text[number]}" for number in range(0, len(text), 5)]
    return list_others(entries[1:], Operation("a", add=entries, remove=entries[::2]).apply(entries))  # type: ignore[arg-type]


def _filter(text: str) -> object:
    return parse({"$or": [{"due_date": {"$gte": text}}, {"due_date": text}, {"tags": {"$contains": text}}]}, UTC, TODAY)


def _show(text: str) -> object:
    step = {"tool": "create_item", "args": {"content": text}, "ok": True}
    with contextlib.redirect_stdout(_Terminal()):
        show_text(text)
    return [name_commands(text), describe_call(step, 2026), wrap(text, 80)]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


TEXTS: Mapping[str, Reader] = {
    "find_single": lambda text: find_single(text, NOW),
    "is_only_when": lambda text: is_only_when(text, NOW),
    "resolve": lambda text: resolve(text, TODAY),
    "find_named_days": lambda text: find_named_days(text, TODAY, months=True),
    "read_due_question": lambda text: read_due_question(text, TODAY),
    "tell_doubts": lambda text: tell_doubts(text, TODAY),
    "guess_dates": lambda text: guess_dates(text, TODAY),
    "understand_rule": lambda text: understand_rule(text, NOW.replace(tzinfo=None), UTC),
    "find_rule": lambda text: [find_rule(text), tell_unread([text]), word_rule(text)],
    "a part of remind": lambda text: read_part(text, UTC),
    "parse_query": lambda text: parse_query(text, TODAY),
    "tokenize": tokenize,
    "a filter": _filter,
    "an item that is changed": _edit,
    "a list that is changed": _change_list,
    "read_decision": lambda text: read_decision(text, _TOOLS),
    "read_decision of a call": lambda text: read_decision(_CALL + text, _TOOLS),
    "resolve_date": lambda text: _run_tool("resolve_date", phrase=text),
    "resolve_date after a day": lambda text: _run_tool("resolve_date", phrase=f"{text} later", after="2026-01-13"),
    "calculate": lambda text: [list_steps(text), calculate(text[:1000])],
    "now": lambda text: _run_tool("now", timezone=text),
    "history": lambda text: _run_tool("history", text=text),
    "a short reply": lambda text: [read_short_reply(text), begins_with_no(text)],
    "strip_receipt": lambda text: strip_receipt(f"a\n\n---\n- Stored: {text}"),
    "a fence": lambda text: [escape_json(text), unfence(f"<stored a>\n{text}\n</stored b>")],
    "what is printed": lambda text: [escape_controls(text), escape_json(text), shorten(text), cut_middle(text, 100)],
    "addresses": lambda text: [*map(list, map(list_secret_parts, split_addresses(SecretStr(text))))],
    "an answer on the page": draw_text,
    "a draft on the page": lambda text: Progress(2026, draft=text).settled,
    "what the REPL shows": _show,
}

# ---- files

_CALENDAR = "BEGIN:VCALENDAR\n{}BEGIN:VEVENT\nUID:1\nDTSTART:20260113T093000\nSUMMARY:{}\n{}END:VEVENT\nEND:VCALENDAR\n"
_EVENT = "END:VEVENT\nBEGIN:VEVENT\nUID:1\nDTSTART:20260113\n"
_ROW = 'task,"{0}","{0}"\n'


def _read_file(name: str, text: str, read: Callable[[Path], object]) -> object:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        return read(path)


def _import(name: str, text: str) -> object:
    return _read_file(name, text, lambda path: read_source(path, UTC))


def _import_calendar(before: str = "", summary: str = "a", more: str = "") -> object:
    return _import("a.ics", _CALENDAR.format(before, summary, more))


def _import_rows(rows: str) -> object:
    return _import("a.csv", f"TYPE,CONTENT,DATE\n{rows}")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


FILES: Mapping[str, Reader] = {
    "a file": lambda text: _import("a", text),
    "a calendar": lambda text: _import_calendar(f"{text}\n"),
    "a calendar's event": lambda text: _import_calendar(summary=_escape(text)),
    "a calendar's rule": lambda text: _import_calendar(more=f"RRULE:{_escape(text)}\n"),
    "a calendar's zone": lambda text: _import_calendar(more=f"DTEND;TZID={_escape(text)}:20260114T093000\n"),
    "a calendar's events": lambda text: _import_calendar(more=_EVENT * (len(text) // len(_EVENT))),
    "Todoist's task": lambda text: _import_rows(_ROW.format(text.replace('"', '""'))),
    "Todoist's tasks": lambda text: _import_rows(_ROW.format("every day") * (len(text) // len(_ROW))),
    "a list of objects": lambda text: _import("a.json", json.dumps([{"title": text, "status": text, "updated": text}])),
    "JSON": lambda text: _import("a.json", text),
    "a note": lambda text: _import("a.md", text),
    "a note's task": lambda text: _import("a.md", f"- [ ] {text} 📅 {text} 🔁 {text}"),
    "an export": lambda text: _read_file("a", text, lambda path: is_export(path) and read_export(path)),
}

# ---- whole turns


def take_turn(message: str, *replies: Any, stored: Sequence[str] = ()) -> object:
    """Take a turn on a folder of its own.

    Args:
        replies: What a model says, in order; without any the offline reader is asked.
        stored: What the person has already.
    """
    settings = load_settings({"ANA_EMBEDDINGS": "wordllama", "ANA_TIMEZONE": "UTC", "LLM_PROVIDER": "offline"})
    model = ScriptedModel(replies=[*replies]) if replies else build_model(settings)
    with open_throwaway(settings, model, _open_memory().backend) as assistant:
        for text in stored:
            assistant.handles.memory.create(text)
        return assistant.ask(message, str(uuid.uuid4()))


def _delete_first(messages: Any) -> Any:
    items = json.loads(unfence(messages[-1].text))["items"]
    return calls(("delete_item", {"id": items[0]["id"]})) if items else calls(("undo", {}))


def _give(text: str) -> Any:
    values = [{"a": text, "due_date": text, "repeats": text, "remind": text}, {"a": text, "b": text[:200].split()}]
    return [calls(("create_item", {"content": "a", "properties": each})) for each in values]


_SEARCH = calls(("query_items", {"text": "dentist"}))
_KEEP = calls(("create_item", {"content": "dentist"}))
_KEEP_ALL = calls(("create_item", {"content": {"message": "this"}}))

TURNS: Mapping[str, Reader] = {
    "a message": take_turn,
    "a message that is answered": lambda text: take_turn(text, "It is 12 o'clock on Friday, 5 of 7 are left."),
    "a message that is kept": lambda text: take_turn(text, _KEEP_ALL, "Kept."),
    "a message before a delete": lambda text: take_turn(text, _SEARCH, _delete_first, "Deleted.", stored=["dentist"]),
    "a draft": lambda text: take_turn("How much is it, and when?", text, text, text),
    "a draft after a write": lambda text: take_turn("Keep: dentist", _KEEP, text, text, text),
    "a stored text": lambda text: take_turn("How many?", _SEARCH, "5 of 7.", "5.", "5.", stored=["dentist", text]),
    "a stored text before a delete": lambda text: take_turn(
        "Delete the dentist", _SEARCH, _delete_first, "Deleted.", stored=["dentist", f"dentist {text}"]
    ),
    "a text that is looked for": lambda text: take_turn(
        "What of it?", calls(("query_items", {"text": text})), "Nothing.", stored=["dentist"]
    ),
    "a value of a property": lambda text: take_turn("Keep it", *_give(text), "Kept."),
}
