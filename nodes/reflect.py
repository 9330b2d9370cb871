"""reflect: check the draft against what really happened; the only node that writes the answer."""

from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.runtime import Runtime

from graph.context import Context, withdraw
from graph.state import Correction, State, Turn, call_id
from nodes.attachments import explain_left_out
from nodes.history import this_turn
from nodes.policies.check import first_violation
from nodes.policies.evidence import Evidence, Violation

MOST_CORRECTIONS = 2


def reflect(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Send a draft that breaks a policy back with the reason, at most twice; otherwise make it the answer."""
    turn, draft = state["turn"], state["draft"]
    if not draft and not turn["decisions"]:  # the turn begins here, and the model has not been asked
        return {}
    id = call_id(turn, len(turn["decisions"]))
    # A draft that explains a failure was written here, not by the model: there is nothing to correct.
    violation = None if turn["error"] else _find_violation(state)
    if violation:
        withdraw(runtime, id)
        if len(turn["corrections"]) < MOST_CORRECTIONS:
            return _send_back(state, violation)
    answer = (violation.fallback if violation else draft) + explain_left_out(this_turn(state["messages"])[0])
    # A client has the model's words under their id and is not sent them again; what is written here is another message.
    answer_id = f"{turn['id']}-answer" if violation or turn["error"] else id
    message = AIMessage(answer, id=answer_id, response_metadata=_error_metadata(turn))
    return {"messages": [message], "turn": turn | {"answer": answer}, "draft": ""}


def _send_back(state: State, violation: Violation) -> dict[str, Any]:
    turn = state["turn"]
    correction = Correction(
        after=str(state["messages"][-1].id),
        tool="⛔️no_action" if violation.policy == "no_action" else "⛔️policy_violation",
        policy=violation.policy,
        draft=state["draft"],
        reason=violation.reason,
    )
    # no message, but a write: langgraph sends the values again, and a client drops the draft before the next one comes
    return {"messages": [], "turn": turn | {"corrections": [*turn["corrections"], correction]}, "draft": ""}


def _find_violation(state: State) -> Violation | None:
    if not state["draft"]:
        reason = "It had neither text nor a tool call. Answer the user, or call a tool."
        return Violation("no_action", reason, "I have no answer to that. Please say it in other words.")
    ran = [m for m in this_turn(state["messages"]) if isinstance(m, ToolMessage) and m.status == "success"]
    evidence = Evidence(state["turn"]["question"], state["draft"], tuple(str(m.name) for m in ran))
    return first_violation(evidence)


def _error_metadata(turn: Turn) -> dict[str, Any]:
    return {"ana_error": turn["error"]} if turn["error"] else {}
