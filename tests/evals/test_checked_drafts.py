"""`python -m evals.policies --check`: which of the drafts that policies let pass a model catches, and what it costs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from ana.backends.in_memory import InMemoryBackend
from ana.handles import Handles
from ana.models.fence import unfence
from ana.models.scripted import ScriptedModel, calls
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.throwaway import make_throwaway
from evals.policies.checked import Checked, check_cases, tell
from evals.policies.data import Case, load_cases
from evals.policies.measure import count_cases, is_sent_back
from tests.conftest import EMBEDDER, folders

USAGE = {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100}


def call_everything_untrue(messages: list[BaseMessage]) -> AIMessage:
    draft = json.loads(unfence(messages[-1].text))["draft"]
    reply = calls(("report_untrue", {"untrue": [{"quote": draft, "fact": "because"}]}))
    return reply.model_copy(update={"usage_metadata": USAGE})


def desk(folder: Path, *replies: Any) -> Handles:
    settings = load_settings(folders(folder, LLM_PROVIDER="openai", OPENAI_API_KEY="k", ANA_CHECK_MODEL="gpt-4o"))
    spending = open_workspace(settings).open_spending()
    return make_throwaway(settings, ScriptedModel(replies=list(replies)), InMemoryBackend(EMBEDDER), spending=spending)


def cases(*kinds: str) -> list[Case]:
    return [case for kind in kinds for case in load_cases("tuning", kinds=[kind])[:16]]


def test_only_what_the_policies_let_pass_is_asked_about_and_all_of_it_is_counted(tmp_path: Path) -> None:
    given = cases("claims", "numbers")
    passed = [case for case in given if not is_sent_back(case)]
    assert 0 < len(passed) < len(given)
    handles = desk(tmp_path, *[call_everything_untrue] * len(passed))
    found = [*check_cases(handles, given)]
    assert [each.case for each in found] == passed
    honest, false = (sum(case.false is wanted for case in passed) for wanted in (False, True))
    assert count_cases([(each.case, each.is_caught) for each in found]) == (honest, honest, false, 0)
    usd = len(passed) * (1000 * 2.5 + 100 * 10) / 1e6
    assert handles.spending.today() == pytest.approx(usd)
    told = [*tell(found, handles.settings)]
    assert told[-1] == f"{len(passed)} calls, {len(passed)},000 tokens in and {len(passed) * 100:,} out, ${usd:.4f}\n"
    assert told[-2] == "missed: none"
    assert not any(case.draft in "\n".join(told) for case in passed), "the drafts of a half stay unread"


def test_what_is_not_checked_is_missed_and_told(tmp_path: Path) -> None:
    [false, *_] = [case for case in load_cases("tuning") if case.false and case.kind == "claims"]
    found = [*check_cases(desk(tmp_path), [false])]
    assert count_cases([(each.case, each.is_caught) for each in found]) == (0, 0, 1, 1)
    told = [*tell(found, load_settings(folders(tmp_path)))]
    assert any(line.startswith("not checked: 1, The script has no further reply") for line in told)


def test_a_draft_that_only_asks_is_not_asked_about(tmp_path: Path) -> None:
    case = replace(load_cases("tuning")[0], draft="Which one?", false=False)
    assert [*check_cases(desk(tmp_path), [case])] == [Checked(case, None)]
