"""A call that is weighed, with the changes that it would make."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ana.errors import ToolError
from ana.memory.changes import Change
from ana.memory.digests import digest_line
from ana.memory.item import Item
from ana.memory.operations import read_operations
from ana.memory.sources import PERSON
from ana.memory.updates import update_item
from nodes.autonomy.effects import Effect, find_effects_of
from nodes.calls import ReadCall
from tools.arguments import quote_message, read_content, read_properties, require_ids
from tools.call import CallContext
from tools.catalog import READERS, TOOLS, catalog
from tools.undo import preview_undo


@dataclass(frozen=True)
class Write:
    """A call that may write and has not run yet.

    Args:
        call: Its id.
        name: The tool.
        args: The arguments in the types of the tool's schema.
        changes: The changes that it would make, as far as known before it runs; the id of a new record is empty.
        own: The effects of a tool of the person's own, by its metadata, because nothing else is known about it.
    """

    call: str
    name: str
    args: Mapping[str, Any]
    changes: tuple[Change, ...] = ()
    own: frozenset[Effect] = frozenset()

    @property
    def touched(self) -> Iterator[Change]:
        """The changes of records that exist, or existed before."""
        return (change for change in self.changes if change.id)


def read_write(call: ReadCall, modules: tuple[str, ...]) -> Write | None:
    """Return a call as a write to weigh; None if it has run, cannot run, or never needs approval."""
    name, args, context = call.name, call.args, call.context
    if call.fault or name in READERS:
        return None
    if context.cause and context.memory.backend.find_change(context.cause.key):
        return None  # it ran before a crash: what it touched is no longer what was approved
    if name not in TOOLS:
        own = find_effects_of(catalog(modules)[name])
        return Write(call.id, name, args, own=own) if own else None
    try:
        if name == "create_item":  # the person is shown the text, not a reference to it
            args = args | {"content": quote_message(args["content"], context.message)}
        return Write(call.id, name, args, tuple(_plan(name, args, context)))
    except ToolError:  # the call will be answered with this error
        return None


def _plan(name: str, args: Mapping[str, Any], context: CallContext) -> Iterator[Change]:
    """Yield the changes that a call of ana's own tools would make. Raises ToolError if it cannot run."""
    memory = context.memory
    match name:
        case "undo":
            yield from preview_undo(context, args.get("turn"))
        case "create_item":
            properties = read_properties(args.get("properties"), context.today)
            yield Change("item", "", None, Item("", args["content"], properties, "", ""))
        case "append_context":
            yield Change("line", "", None, Item("", args["content"], {}, "", ""))
        case "update_item":
            text = read_content(args.get("content"))
            known = read_operations(read_properties(args.get("properties"), context.today, may_shift=True))
            for old in map(memory.get, require_ids(args["id"])):
                yield Change("item", old.id, old, update_item(old, text, known, PERSON, context.clock))
        case "delete_item":
            yield from (Change("item", id, memory.get(id), None) for id in require_ids(args["id"]))
        case _:
            number, new = args["line"], args.get("content")
            line = memory.record("line", str(number))
            if line and (context.line_digests or {}).get(number) == digest_line(line.content):  # the model has seen it
                yield Change("line", line.id, line, None if new is None else replace(line, content=new))
