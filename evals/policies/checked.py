"""What the model of the settings, or ANA_CHECK_MODEL, catches of the drafts that policies let pass."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from langchain_core.messages import HumanMessage

from ana.backends.in_memory import InMemoryBackend
from ana.errors import ConfigError
from ana.handles import Handles
from ana.models.prices import cost
from ana.models.providers import build_model, model_name
from ana.settings import Settings, load_settings
from ana.tracing.schema import DraftCheck
from ana.workspace import open_workspace
from app.throwaway import make_throwaway
from evals.policies.data import Case, Half, load_cases
from evals.policies.measure import is_sent_back, make_evidence, show_counts
from graph.context import LocalContext
from nodes.draft_check import check_draft
from nodes.receipt import name_unchanged, render_receipt
from nodes.turns import make_turn
from prompts import decision_prompt


@dataclass(frozen=True)
class Checked:
    """A draft that the policies let pass, and what the model says of it; None where it is not asked."""

    case: Case
    check: DraftCheck | None

    @property
    def is_caught(self) -> bool:
        return bool(self.check and self.check["untrue"])


def show_checked(name: str, half: Half, jobs: int) -> None:
    """Print what the model catches in a half of a set, so many drafts at once.

    Raises:
        ConfigError: The settings name no model.
    """
    settings = load_settings()
    if settings.provider == "offline":
        raise ConfigError("The offline reader checks nothing.", "Set LLM_PROVIDER, a key and ANA_CHECK_MODEL.")
    workspace = open_workspace(settings)
    model, backend = build_model(settings, decision_prompt), InMemoryBackend(workspace.build_embedder())
    handles = make_throwaway(settings, model, backend, spending=workspace.open_spending())
    if checked := [*check_cases(handles, load_cases(half, name), jobs)]:
        checking = settings.ana_check_model or model_name(settings)
        title = f"{name}, {half}, {checking}: drafts that the policies let pass"
        show_counts([(each.case, each.is_caught) for each in checked], title)
        print("\n".join(tell(checked, settings)))


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


def tell(checked: Sequence[Checked], settings: Settings) -> Iterator[str]:
    """Yield the ids of what was judged wrongly, why drafts were not checked, and what it cost in all."""
    for wanted, name in ((False, "sent back wrongly"), (True, "missed")):
        wrong = [each.case.id for each in checked if each.case.false is wanted and each.is_caught is not wanted]
        yield f"{name}: {', '.join(wrong) or 'none'}"
    checks = [each.check for each in checked if each.check]
    for error, count in Counter(check["error"] for check in checks if check["error"]).items():
        yield f"not checked: {count}, {error}"
    costs = [cost(check["usage"], check["model"], settings) for check in checks]
    price = "at an unknown price" if None in costs else f"${sum(each for each in costs if each is not None):.4f}"
    read, written = (sum(check["usage"][side] for check in checks) for side in ("input_tokens", "output_tokens"))
    yield f"{len(checks)} calls, {read:,} tokens in and {written:,} out, {price}\n"
