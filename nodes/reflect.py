"""reflect: check the draft against what really happened; the only node that writes the answer."""

from typing import Any

from langgraph.runtime import Runtime

from ana.models.base import COMPOSED
from ana.tracing.langsmith import label_draft
from ana.tracing.schema import CHECK
from ana.translation import _
from graph.context import Context, context_of, withdraw
from graph.state import Correction, State, Turn, call_id
from nodes.attachments import explain_unread
from nodes.draft_check import check_draft
from nodes.evidence import Evidence, Violation, collect_evidence
from nodes.history import receipts, this_turn
from nodes.limits import limit_reached
from nodes.policies.check import find_violation
from nodes.policies.results import keep_values
from nodes.receipt import name_recorded, name_unchanged, render_receipt, strip_receipt
from nodes.turns import end_turn
from nodes.unchanged import describe_unchanged
from nodes.view import read_view
from tools.artifacts import list_declined

MOST_CORRECTIONS = 2


def reflect(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Send a draft that breaks a policy, or that a model finds untrue, back at most twice; else make it the answer."""
    turn, draft, handles = state["turn"], strip_receipt(state["draft"]), context_of(runtime).handles
    if not draft and not turn["decisions"]:  # the turn begins here, and the model has not been asked
        return {}
    id = call_id(turn, len(turn["decisions"]))
    evidence = collect_evidence(state | {"draft": draft}, handles)
    # composed here from what happened, so that there is nothing to check: a failure, a reader's
    ours = bool(turn["error"] or any(decision.get(COMPOSED) for decision in turn["decisions"][-1:]))
    receipt = render_receipt(evidence.calls, list_declined(this_turn(state["messages"])))
    violation = None if ours else _find_violation(evidence)
    if not (ours or violation):
        turn, violation = check_draft(turn, evidence, receipt or name_unchanged(), context_of(runtime))
    if violation:
        withdraw(runtime, id)
        if _can_correct(turn, violation, context_of(runtime)):
            return _send_back(state | {"turn": turn}, violation)
    # where all drafts were false, what is known without them; the record stands below
    answer = violation.fallback if violation else draft if ours else keep_values(evidence)
    answer += explain_unread(this_turn(state["messages"])[0])
    if not receipt:
        receipt = name_unchanged() if ours else describe_unchanged(answer, state, handles)
    # A client has the model's words under their id and is not sent them again; what is written here is another message.
    view = read_view(state, handles.memory)
    id = "" if violation or turn["error"] else id
    source, recorded = view[-1].source if view else "", name_recorded(receipts(this_turn(state["messages"])))
    message, turn = end_turn(turn, answer, receipt, recorded, id, source)
    return {"messages": [message], "turn": turn, "draft": ""}


def _can_correct(turn: Turn, violation: Violation, context: Context) -> bool:
    """Whether a draft may be sent back: if a step is left, and by a checking model, which may be wrong, only once."""
    policies = [correction["policy"] for correction in turn["corrections"]]
    limit = limit_reached(turn, context.handles.settings, context.max_steps)
    is_final = violation.policy == CHECK and (CHECK in policies or limit is not None)
    return len(policies) < MOST_CORRECTIONS and not is_final


def _send_back(state: State, violation: Violation) -> dict[str, Any]:
    turn = state["turn"]
    label_draft(violation.policy, violation.reason)
    correction = Correction(
        after=str(state["messages"][-1].id),
        tool="⛔️no_action" if violation.policy == "no_action" else "⛔️policy_violation",
        policy=violation.policy,
        draft=state["draft"],
        reason=violation.reason,
    )
    # no message, but a write: langgraph sends the values again, and a client drops the draft before the next one comes
    return {"messages": [], "turn": turn | {"corrections": [*turn["corrections"], correction]}, "draft": ""}


def _find_violation(evidence: Evidence) -> Violation | None:
    if not evidence.draft:
        reason = "It had neither text nor a tool call. Answer the user, or call a tool."
        return Violation("no_action", reason, _("I have no answer to that. Please say it in other words."))
    return find_violation(evidence)
