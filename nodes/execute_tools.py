"""execute_tools: run the calls of the last message in order, and answer each."""

import logging
import secrets
from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from pydantic import ValidationError

from ana.errors import ToolError, UserError
from ana.memory.changes import Change, Kind
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.sources import is_others
from ana.models.fence import FENCE
from ana.output import quote
from ana.stopping import check_stopped
from ana.tracing.schema import INVALID
from ana.translation import mark_text, speaking
from ana.values import plain_text
from graph.context import Context, can_wait, context_of, emit
from graph.state import OpenRequest, State
from nodes.autonomy.batch import read_batch
from nodes.autonomy.request import digest_write, make_request
from nodes.autonomy.weigh import Asking, Batch, find_source, weigh
from nodes.calls import ReadCall, answer_error, answer_refused, answer_unreadable, read_calls
from nodes.history import cut_middle, find_pending, list_answered_ids
from nodes.load_context import get_loaded
from tools.call import CallContext
from tools.catalog import CONTEXT_TOOLS, TOOLS, catalog

MOST_ERROR_CHARACTERS = 500
"""How much of a foreign error the model is told."""

MOST_RESULT_CHARACTERS = 100_000
"""How much of what a person's own tool returns is kept; it is sent with every call of the turn."""

NOBODY = "this needs the person's approval, and nobody can be asked here; tell them that the REPL can ask."
"""Said of a call that would ask, in a run that cannot wait."""

CHANGED = mark_text("This has changed since you decided.")
"""Said where something approved is asked again."""

_log = logging.getLogger(__name__)


class ChangedSinceWeighed(Exception):
    """A record has changed since the call was weighed. Nothing was written."""


def execute_tools(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer calls with a result or an error that the model can act on, up to and including the first call of a
    person's own tool.

    If calls must be asked about, the person decides first: nothing runs until all of them are decided.

    A node that is interrupted, or ends with its process, runs again from its start. ana's own tools change nothing
    then, because their writes have keys. A person's own tool has no keys, so its answer is checkpointed before the next
    call runs.
    """
    message = find_pending(state["messages"])
    assert message is not None
    run = context_of(runtime)
    with speaking("en"):  # a model reads what cannot run
        calls = read_calls(state, runtime, message)
        batch = read_batch(state, runtime, calls)
    asking = _list_unapproved(state, batch)
    if asking and can_wait():
        return {"turn": state["turn"] | {"asked": _make_request(state, asking)}}
    results = _run_calls(calls, batch, {each.write.call for each in asking}, runtime)
    answers = [*_answer_unreadable_calls(state, message), *results]
    for answer in answers:
        answer.additional_kwargs[FENCE] = secrets.token_hex(4)
    update: dict[str, Any] = {"messages": answers}
    if any(call.name in CONTEXT_TOOLS for call in calls[: len(results)]):
        # the next prompt must show the lines as these calls left them
        update["loaded"] = get_loaded(state, run.handles) | {"lines": run.handles.memory.lines()}
    return update


def _list_unapproved(state: State, batch: Batch) -> list[Asking]:
    """Return the writes that wait for the person, without approved ones whose records have not changed since."""
    approved = state["turn"].get("approved") or {}
    return [each for each in weigh(batch) if approved.get(each.write.call) != digest_write(each.write)]


def _make_request(state: State, asking: Sequence[Asking]) -> OpenRequest:
    approved = state["turn"].get("approved") or {}
    was_approved = any(approved.get(each.write.call) for each in asking)
    today = date.fromisoformat(state["turn"]["ts"][:10])
    return make_request(asking, today, CHANGED if was_approved else "")


def _answer_unreadable_calls(state: State, message: AIMessage) -> list[ToolMessage]:
    answered = list_answered_ids(state["messages"])
    unreadable = [call for call in message.invalid_tool_calls if call["id"] not in answered]
    return [answer_unreadable(str(call["id"]), call["error"]) for call in unreadable]


def _run_calls(
    calls: Sequence[ReadCall], batch: Batch, refused: Set[str], runtime: Runtime[Context]
) -> list[ToolMessage]:
    """Run calls in their order, and return the answers to all calls that were reached.

    Args:
        refused: The ids of the calls that do not run, because nobody can be asked.
    """
    run, writes = context_of(runtime), {each.call: each for each in batch.writes}
    answers: list[ToolMessage] = []
    for call in calls:
        check_stopped()
        write = writes.get(call.id)
        context = bind(call.context, [*write.touched], find_source(write, batch)) if write else call.context
        try:
            with speaking("en"):
                answer = answer_refused(call.call, NOBODY) if call.id in refused else run_call(call, context, run)
        except ChangedSinceWeighed:  # this node is entered again for the calls that are left, and weighs them again
            break
        answers.append(answer)
        emit(runtime, {"tool": call.name, "args": call.call["args"], "ok": answer.status == "success", "id": call.id})
        if call.name not in TOOLS:
            break
    return answers


def run_call(call: ReadCall, context: CallContext, run: Context) -> ToolMessage:
    """Return the answer to a call: its result, or an error that a model can act on.

    Raises:
        ChangedSinceWeighed: A record has changed since it was weighed. Nothing was written.
    """
    id, name = call.id, call.name
    if call.fault:
        return answer_error(id, INVALID, call.fault)
    try:
        if recorded := run.answer(call.call):
            return recorded
        if name in TOOLS:
            # what a tool does not take would stand among its inputs in all that is traced
            extra = {"call": context} if "call" in TOOLS[name].get_input_schema().__annotations__ else {}
            answer = TOOLS[name].invoke({**call.call, "args": {**call.args, **extra}})
        else:
            answer = _invoke_plugin(call, run.handles.settings.tools_modules)
    except ToolError as exc:
        return answer_error(id, name, exc)
    except ValidationError as exc:
        first = exc.errors()[0]
        wrong = ".".join(str(part) for part in first["loc"][:1]) or "the arguments"
        hint = "Call again with the arguments the schema asks for."
        return answer_error(id, INVALID, ToolError(f"Wrong argument {wrong}: {first['msg']}.", hint))
    except UserError as exc:
        return answer_error(
            id, name, ToolError(exc.message, f"Tell the user: {exc.hint}" if exc.hint else "Tell the user.")
        )
    text = plain_text(answer.text)  # a record of an earlier version may have half a character, which none is sent
    return ToolMessage(text, name=name, tool_call_id=id, artifact=answer.artifact, id=f"{id}-result")


def _invoke_plugin(call: ReadCall, modules: tuple[str, ...]) -> ToolMessage:
    """Run a tool of the person's own. The model is told of any error, and an artifact is dropped.

    An artifact of a foreign tool could otherwise be taken for a receipt.
    """
    try:
        answer = catalog(modules)[call.name].invoke({**call.call, "args": call.args})
        if not isinstance(answer, ToolMessage):
            raise TypeError(f"it returned a {type(answer).__name__}, which is not a result")
    except GraphBubbleUp:  # an interrupt of langgraph, not an error
        raise
    except (Exception, SystemExit) as exc:  # a tool that was once a program may end with sys.exit
        _log.exception("the tool %s failed", call.name)
        why = f"The tool {call.name} failed: {quote(_explain(exc))}."
        raise ToolError(why, "Tell the user, or do without it.") from exc
    text = cut_middle(plain_text(answer.text), MOST_RESULT_CHARACTERS)
    return ToolMessage(text, name=call.name, tool_call_id=call.id)


def _explain(exc: BaseException) -> str:
    """Return a foreign error in words, even if its own code fails to describe it."""
    with suppress(Exception):
        return plain_text(f"{type(exc).__name__}: {exc}")[:MOST_ERROR_CHARACTERS]
    return type(exc).__name__


def bind(context: CallContext, touched: Sequence[Change], source: str) -> CallContext:
    """Return a call's context that refuses a write if a record has changed since the call was weighed.

    Args:
        touched: The existing records that the call would change.
        source: The source of the texts that it writes; a call by another assistant keeps that source even if a person
            approved it.
    """
    cause = context.cause
    if cause and not is_others(cause.source):
        cause = replace(cause, source=source)
    # a memory of its own counts the names in use again
    memory = _WeighedMemory(context, touched) if touched else context.memory
    return replace(context, memory=memory, cause=cause)


class _WeighedMemory(Memory):
    """Compares the records that a write reads; the backend refuses to overwrite records that were not read."""

    def __init__(self, context: CallContext, touched: Sequence[Change]) -> None:
        super().__init__(context.memory.backend, context.clock)
        self._weighed = {each.key: each.before for each in touched}
        self._turn = context.cause.turn if context.cause else None

    def record(self, kind: Kind, id: str) -> Item | None:
        """Return an item or a line, or None.

        Raises:
            ChangedSinceWeighed: Somebody else has changed it.
        """
        now = super().record(kind, id)
        is_as_weighed = self._weighed.get((kind, id), now) == now
        if not is_as_weighed and not self._was_last_changed_by_this_turn(id):
            raise ChangedSinceWeighed(id)
        return now

    def _was_last_changed_by_this_turn(self, id: str) -> bool:
        """Return whether an earlier call of the same batch may have made the change; both were weighed together."""
        return any(entry.turn == self._turn for entry in self.history(id=id, limit=1))
