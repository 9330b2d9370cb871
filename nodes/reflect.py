"""reflect: check the draft against what really happened; the only node that writes the answer."""

from typing import Any

from langgraph.runtime import Runtime

from ana.language import pick_telling
from ana.models.base import COMPOSED
from graph.context import Context, context_of, withdraw
from graph.state import Correction, State, Turn, call_id
from nodes.attachments import explain_left_out
from nodes.evidence import collect_evidence, list_declined
from nodes.history import this_turn
from nodes.policies.check import first_violation
from nodes.policies.evidence import Evidence, Violation, cut_long
from nodes.policies.outside import find_outside_act, find_promise
from nodes.policies.results import put_value
from nodes.policies.writes import may_expect_write
from nodes.receipt import deny_outside_act, deny_promise, render_receipt, say_nothing, strip_receipt
from nodes.turns import end_turn

MOST_CORRECTIONS = 2
NOTHING_CHANGED = "Nothing was changed in this turn."


def reflect(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Send a draft that breaks a policy back with the reason, at most twice; otherwise make it the answer."""
    turn, draft = state["turn"], strip_receipt(state["draft"])
    if not draft and not turn["decisions"]:  # the turn begins here, and the model has not been asked
        return {}
    id = call_id(turn, len(turn["decisions"]))
    whole = collect_evidence(state | {"draft": draft}, context_of(runtime).handles)
    evidence = cut_long(whole)
    ours = _is_ours(turn)
    violation = None if ours else _find_violation(evidence, turn)
    if violation:
        withdraw(runtime, id)
        if len(turn["corrections"]) < MOST_CORRECTIONS:
            return _send_back(state, violation)
    answer = draft if ours else put_value(whole)
    if violation:  # all drafts were false: what is known without them
        known = "What was changed in this turn stands below." if evidence.receipts else NOTHING_CHANGED
        answer = f"{violation.fallback} {known}"
    answer += explain_left_out(this_turn(state["messages"])[0])
    # what looked something up and was composed from it says itself what was done
    tells_itself = violation or turn["error"] == "limit" or (ours and evidence.calls)
    may_be_missed = not tells_itself and may_expect_write(evidence)
    said, declined = pick_telling(turn["question"], answer), list_declined(this_turn(state["messages"]))
    receipt = render_receipt(evidence.calls, said, declined) or (say_nothing(said) if may_be_missed else "")
    if not (ours or violation):
        receipt = _deny(receipt, evidence, said)
    # A client has the model's words under their id and is not sent them again; what is written here is another message.
    message, turn = end_turn(turn, answer, receipt, None if violation or turn["error"] else id)
    return {"messages": [message], "turn": turn, "draft": ""}


def _deny(receipt: str, e: Evidence, said: str) -> str:
    """Return a receipt that also says, in the language of `said`, that what is still claimed is not done here."""
    receipt = deny_outside_act(receipt, said) if find_outside_act(e) else receipt
    return deny_promise(receipt, said) if find_promise(e) else receipt


def _is_ours(turn: Turn) -> bool:
    """Whether a draft is composed here from what happened, so that there is nothing to check: a failure, a reader's."""
    return bool(turn["error"] or any(decision.get(COMPOSED) for decision in turn["decisions"][-1:]))


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


def _find_violation(evidence: Evidence, turn: Turn) -> Violation | None:
    if not evidence.draft:
        reason = "It had neither text nor a tool call. Answer the user, or call a tool."
        return Violation("no_action", reason, "I have no answer to that. Please say it in other words.")
    return first_violation(evidence, [correction["policy"] for correction in turn["corrections"]])
