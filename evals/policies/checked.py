"""`python -m evals.policies --check`: what the model of the settings catches of the drafts that policies let pass."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from langchain_core.messages import HumanMessage

from ana.backends.in_memory import InMemoryBackend
from ana.handles import Handles
from ana.models.prices import cost
from ana.models.providers import build_model, model_name
from ana.settings import Settings, load_settings
from ana.tracing.schema import DraftCheck
from ana.workspace import open_workspace
from app.show.tables import show_table
from app.throwaway import make_throwaway
from evals.policies.data import CLASSES, HALVES, SETS, Case, load_cases
from evals.policies.measure import is_sent_back, make_evidence
from graph.context import LocalContext
from nodes.draft_check import check_draft
from nodes.receipt import name_unchanged, render_receipt
from nodes.turns import make_turn
from prompts import decision_prompt

HEADERS = ("class", "honest", "sent back wrongly", "false", "caught", "missed", "not checked", "tokens in", "out")
"""The last two are means of a check."""


@dataclass(frozen=True)
class Checked:
    """A draft that the policies let pass, and what the model says of it; None where it is not asked."""

    case: Case
    check: DraftCheck | None

    @property
    def is_caught(self) -> bool:
        return bool(self.check and self.check["untrue"])

    @property
    def is_checked(self) -> bool:
        return bool(self.check and not self.check["error"])


def check_cases(handles: Handles, cases: Iterable[Case], jobs: int = 1) -> Iterator[Checked]:
    """Yield the drafts that the policies let pass, with what the model says of each; so many are asked at once."""
    context = LocalContext(opened=handles, check="model")
    passed = [case for case in cases if not is_sent_back(case)]
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda case: _check(case, context), passed)


def _check(case: Case, context: LocalContext) -> Checked:
    evidence, handles = make_evidence(case), context.handles
    state = {"messages": [HumanMessage(case.question, id=case.id)]}
    declined = [str(step["declined"]) for step in case.steps if "declined" in step]
    record = render_receipt(evidence.calls, declined) or name_unchanged()
    turn, _ = check_draft(make_turn(case.id, state, handles.clock), evidence, record, context)
    for check in turn.get("checks", []):
        spent = {"usage": check["usage"], "cost_usd": cost(check["usage"], check["model"], handles.settings)}
        handles.spending.keep({"model": check["model"], "provider": handles.settings.provider, **spent})
        return Checked(case, check)
    return Checked(case, None)


def count(name: str, checked: Sequence[Checked]) -> tuple[object, ...]:
    """Return the row of a class, as HEADERS has it."""
    honest, false = ([each for each in checked if each.case.false is wanted] for wanted in (False, True))
    caught = sum(each.is_caught for each in false)
    usages = [each.check["usage"] for each in checked if each.check and each.is_checked]
    used = [(usage["input_tokens"], usage["output_tokens"]) for usage in usages]
    means = [round(sum(each) / len(used)) for each in zip(*used, strict=True)] or [0, 0]
    unchecked = sum(not each.is_checked for each in checked)
    wrongly = sum(each.is_caught for each in honest)
    return name, len(honest), wrongly, len(false), caught, len(false) - caught, unchecked, *means


def list_rows(checked: Sequence[Checked]) -> list[list[str]]:
    """Return the rows of the table, one for each class and one for all."""
    kinds = [kind for kind in CLASSES if any(each.case.kind == kind for each in checked)]
    rows = [count(kind, [each for each in checked if each.case.kind == kind]) for kind in kinds]
    return [[str(cell) for cell in row] for row in (*rows, count("all", checked))]


def tell(checked: Sequence[Checked], settings: Settings) -> Iterator[str]:
    """Yield the ids of what was judged wrongly, and what it cost in all."""
    for wanted, name in ((False, "sent back wrongly"), (True, "missed")):
        wrong = [each.case.id for each in checked if each.case.false is wanted and each.is_caught is not wanted]
        yield f"{name}: {', '.join(wrong) or 'none'}"
    yield from sorted({f"not checked: {each.check['error']}" for each in checked if each.check and each.check["error"]})
    costs = [cost(each.check["usage"], each.check["model"], settings) for each in checked if each.check]
    known = [each for each in costs if each is not None]
    yield f"{len(costs)} calls, {f'${sum(known):.4f}' if len(known) == len(costs) else 'at an unknown price'}\n"


def main() -> None:
    """Measure the halves that nobody read, with the model of the settings or ANA_CHECK_MODEL."""
    parser = argparse.ArgumentParser(prog="python -m evals.policies --check", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="ask a model")
    parser.add_argument("--half", choices=HALVES, default="held-out")
    parser.add_argument("--sets", nargs="+", choices=[*SETS], default=[*SETS])
    parser.add_argument("--jobs", type=int, default=4, help="so many calls at once")
    options = parser.parse_args()
    settings = load_settings()
    if settings.provider == "offline":
        parser.error("the offline reader checks nothing: set LLM_PROVIDER, a key and ANA_CHECK_MODEL")
    workspace = open_workspace(settings)
    model, backend = build_model(settings, decision_prompt), InMemoryBackend(workspace.build_embedder())
    handles = make_throwaway(settings, model, backend, spending=workspace.open_spending())
    for name in options.sets:
        checked = [*check_cases(handles, load_cases(options.half, name), options.jobs)]
        if checked:
            checking = settings.ana_check_model or model_name(settings)
            title = f"{name}, {options.half}, {checking}: drafts that the policies let pass"
            show_table(HEADERS, list_rows(checked), title)
            print("\n".join(tell(checked, settings)))
