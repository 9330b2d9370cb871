"""Undo, for the model.

It is not built from the primitives, because they would bring a deleted item back under another id and a line under
another number.
"""

import hashlib

from langchain_core.tools import tool

from ana.errors import ToolError, UserError
from ana.memory.backend import retry_on_change
from ana.memory.changes import Change, get_source
from ana.memory.receipts import describe_difference
from ana.memory.trash import find_deleted, list_deleted, restore
from ana.memory.undo import Undone, find_undoable, find_undone, plan_undo
from ana.memory.undo import undo as take_back
from ana.memory.views import tell_source
from ana.values import Json
from tools.artifacts import collect_receipts
from tools.call import CallContext, Injected, Result

_MOST_NAMED = 5
"""How many deleted items are named to a call that named none of them."""


@tool(parse_docstring=True, response_format="content_and_artifact")
def undo(turn: str | None = None, force: bool = False, *, call: Injected) -> Result:
    """Take back this conversation's newest turn that changed something and still stands, or another turn.

    Args:
        turn: Its id, from history; to bring back what an undo took, `undo` of its result; or the id of a deleted item.
        force: Also what changed since; only if the user wants that.
    """
    turn = None if turn == "last" else turn
    if turn and not call.memory.history(turn=turn, limit=1):
        change = _bring_back(call, turn)
        return {"changes": [_show_change(call, change)]}, collect_receipts([change], call.clock.zone)
    done = find_own_undo(call) or take_back(
        call.memory, _find_turn(call, turn), override=force, mark=_mark(call), source=get_source(call.cause)
    )
    if done.conflicts and not force:
        changed = "; ".join(describe_difference(each.after, each.now) for each in done.conflicts)
        raise ToolError(
            f"Nothing was undone, because this was changed since turn {done.turn}: {changed}.",
            "Show this to the user and ask; with force it becomes what it was before anyway.",
        )
    described = [_show_change(call, change) for change in done.changes]
    return {"turn": done.turn, "undo": done.name, "changes": described}, collect_receipts(done.changes, call.clock.zone)


def preview_undo(call: CallContext, turn: str | None = None) -> list[Change]:
    """Return the changes that a call of undo would make now; none if it has run already, or fails."""
    turn = None if turn == "last" else turn
    if turn and not call.memory.history(turn=turn, limit=1):
        deleted = find_deleted(call.memory, turn)
        return [Change(deleted.kind, deleted.item.id, None, deleted.item)] if deleted else []
    try:
        return [] if find_own_undo(call) else plan_undo(call.memory, _find_turn(call, turn))[0]
    except (ToolError, UserError):
        return []


def _bring_back(call: CallContext, id: str) -> Change:
    """Return the change that brings a deleted item back: alone, whatever else its turn did."""
    try:
        return retry_on_change(call.memory.backend, lambda: restore(call.memory, id, call.cause))
    except UserError as exc:
        deleted = [deleted.item for deleted in list_deleted(call.memory)[:_MOST_NAMED]]
        named = "; ".join(f"{item.id} {item.content[:80]!r}" for item in deleted)
        hint = "Leave turn out for the last turn. " + (f"Deleted last: {named}." if deleted else "Nothing is deleted.")
        raise ToolError(f"{id!r} is neither a turn that changed something nor a deleted item.", hint) from exc


def _find_turn(call: CallContext, turn: str | None) -> str:
    # Without a turn only this conversation's last one is meant: the person speaks of what they have just seen.
    thread, running = (call.cause.thread, call.cause.turn) if call.cause else (None, None)
    try:
        return turn or find_undoable(call.memory, thread, running=running)
    except UserError as exc:
        raise ToolError(exc.message, "If the user means another turn, find it with history and name its id.") from exc


def find_own_undo(call: CallContext) -> Undone | None:
    """Return the changes that this call has already undone, if it ran before a crash."""
    return find_undone(call.memory, _mark(call)) if call.cause else None


def _mark(call: CallContext) -> str:
    # The undo's turn is named with this mark, so that the call finds it when it runs again after a crash.
    return hashlib.sha256(call.cause.key.encode()).hexdigest()[:8] if call.cause else ""


def _show_change(call: CallContext, change: Change) -> Json:
    record = change.after or change.before
    assert record is not None
    action = {"create": "brought back", "update": "changed back", "delete": "removed again"}[change.op]
    if change.kind == "line":
        return {action: {"line": int(record.id), "content": record.content, **tell_source(record)}}
    return {action: call.show(record)}
