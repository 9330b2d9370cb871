"""Taking back, for the model: no primitive, because none gives a deleted item its id back, or a line its number."""

import hashlib

from langchain_core.tools import tool

from ana.errors import ToolError
from ana.memory.changes import Change
from ana.memory.undo import Conflict, Undone, last_turn, marked
from ana.memory.undo import undo as take_back
from ana.values import Json
from tools.artifacts import collect_receipts
from tools.call import Call, Injected, Result


@tool(parse_docstring=True, response_format="content_and_artifact")
def undo(turn: str | None = None, force: bool = False, *, call: Injected) -> Result:
    """Take back all that the last turn of this conversation changed, or another turn.

    Args:
        turn: That turn's id, such as `undo` of an earlier result, which brings everything back.
        force: Also what was changed since; only when the user wants that.
    """
    done = _again(call) or _undone(call, turn, force=force)
    told: dict[str, Json] = {"turn": done.turn, "undo": done.name, "changes": [_told(call, c) for c in done.changes]}
    return told, collect_receipts(done.changes)


def _undone(call: Call, turn: str | None, *, force: bool) -> Undone:
    thread = call.cause.thread if call.cause else None
    done = take_back(call.memory, turn or last_turn(call.memory, thread), override=force, mark=_mark(call))
    if done.conflicts and not force:
        changed = "; ".join(map(_said, done.conflicts))
        raise ToolError(
            f"Nothing was taken back, because this was changed since turn {done.turn}: {changed}.",
            "Show the user, and ask; force puts back what was before all the same.",
        )
    return done


def _again(call: Call) -> Undone | None:
    """What this very call has taken back already."""
    return marked(call.memory, _mark(call)) if call.cause else None


def _mark(call: Call) -> str:
    return hashlib.sha256(call.cause.key.encode()).hexdigest()[:8] if call.cause else ""


def _told(call: Call, change: Change) -> Json:
    record = change.after or change.before
    assert record is not None
    what = {"create": "brought back", "update": "changed back", "delete": "removed again"}[change.op]
    if change.kind == "line":
        return {what: {"line": int(record.id), "content": record.content}}
    return {what: call.show(record)}


def _said(conflict: Conflict) -> str:
    left, now = (f"{side.content[:80]!r}" if side else "nothing" for side in (conflict.left, conflict.now))
    return f"{left} is now {now}"
