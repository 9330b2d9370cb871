"""An optional check of a draft by a model (ANA_CHECK): it quotes untrue statements, and names the fact that refutes
each.

The model is asked after the policies have passed. Unlike any code here, it reads language, and may misread it: so it
sends back at most one draft of a turn, and never keeps an answer from the person.
"""

import json
import re
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ana.errors import BudgetReached, ModelFailed
from ana.models.base import FROM_PROGRAM
from ana.models.call import complete
from ana.models.fence import fence, make_mark
from ana.output import quote
from ana.tracing.schema import CHECK, DraftCheck, Untrue
from ana.translation import _
from graph.context import Context
from graph.state import Turn
from nodes.evidence import Evidence, Violation
from nodes.history import cut_middle
from nodes.usage import no_usage, open_purse
from prompts import render

MOST_EARLIER, LONGEST = 12, 4_000
"""So many messages of earlier turns are shown, and so many characters of each and of each result."""

_MARKS = re.compile(r"[*_`]")


class ReportedClaims(BaseModel):
    """Report what is untrue in the draft; an empty list if nothing is."""

    model_config = ConfigDict(title="report_untrue")
    untrue: list[Untrue] = Field(description="Each untrue claim once.")


def check_draft(turn: Turn, evidence: Evidence, record: str, context: Context) -> tuple[Turn, Violation | None]:
    """Return the turn with a model's judgement of its draft, and the violation if the model finds something untrue.

    Every draft that states something is checked, even if the turn made no call: claiming a call that never ran is the
    most common untruth. A draft that only asks or only quotes is not checked, nor is a draft by the offline reader,
    which has no language model.
    """
    settings, states_anything = context.handles.settings, any(map(str.isalnum, evidence.statements))
    if (context.check or settings.ana_check) == "off" or settings.provider == "offline" or not states_anything:
        return turn, None
    before = turn.get("checks", [])
    check = _ask(evidence, record, f"{turn['id']}-check{len(before) + 1}", context)
    violation = _explain(check["untrue"], evidence.draft) if check["untrue"] else None
    return turn | {"checks": [*before, check]}, violation


def _ask(evidence: Evidence, record: str, id: str, context: Context) -> DraftCheck:
    """Return a draft's untrue statements, or why the check failed; no author of the turn's texts knows the fence."""
    model = context.handles.settings.ana_check_model or context.model_options().get("model")
    purse = open_purse(context.handles, model)
    message = HumanMessage(fence(_describe(evidence, record), make_mark(id)), additional_kwargs={FROM_PROGRAM: True})
    messages: list[AnyMessage] = [SystemMessage(render("check")), message]
    tools, options = [convert_to_openai_tool(ReportedClaims)], {"model": model} if model else {}
    untrue, error, usage = list[Untrue](), "", no_usage()
    try:
        ask = partial(complete, context.handles.model, messages, id, tools, options=options)
        reply, usage = purse.pay(ask, messages, usage)
        untrue = [each for each in _read(reply) if _stands_in(each["quote"], evidence.draft)]
    except (BudgetReached, ModelFailed) as exc:
        error = exc.message
    except ValidationError:
        error = "The reply of the model that checks could not be read."
    return DraftCheck(model=purse.model, untrue=untrue, error=error, usage={**usage})


def _explain(untrue: list[Untrue], draft: str) -> Violation:
    lines = "\n".join(f"- {quote(each['quote'])}: {quote(each['fact'])}" for each in untrue)
    way_out = "Look again, or do it now, and answer from the result; or leave it out. Keep what is true."
    note = _("A model that checked this calls untrue:")
    return Violation(CHECK, f"A model that checked it calls untrue:\n{lines}\n{way_out}", f"{draft}\n\n{note}\n{lines}")


def _read(reply: AIMessage) -> list[Untrue]:
    """Return the report in a reply, which is a call or the arguments alone. Raises ValidationError if it is neither."""
    if reply.tool_calls:
        return ReportedClaims.model_validate(reply.tool_calls[0]["args"]).untrue
    return ReportedClaims.model_validate_json(reply.text or "{}").untrue


def _stands_in(words: str, draft: str) -> bool:
    """Return whether words are in a draft, ignoring line ends and marks for bold type and code."""
    wanted, there = (" ".join(_MARKS.sub("", text).split()) for text in (words, draft))
    return bool(wanted) and wanted in there


def _describe(e: Evidence, record: str) -> str:
    """Return a turn as JSON: the texts on which a draft may rely, the calls, and the draft."""
    cut = partial(cut_middle, longest=LONGEST)
    facts: dict[str, Any] = {
        "moment": e.prompt,
        "global_context": {**e.lines},
        "earlier": [cut(text) for text in (*e.earlier[:1], *e.earlier[1:][-MOST_EARLIER:]) if text],
        "person": cut(e.question),
        "calls": [{"tool": c.tool, "args": c.args, "failed": not c.ok, "result": cut(c.text)} for c in e.calls],
        "record": record,
        "draft": e.draft,
    }
    return json.dumps(facts, ensure_ascii=False, indent=1, default=str)
