"""The policies on the judged drafts of evals/data/policies, and on honest turns that are generated."""

import pytest

from evals.policies.data import CLASSES, HALVES, JUDGED, LANGUAGES, SETS, Half, load_cases
from evals.policies.harmless import generate_turns
from evals.policies.measure import is_sent_back
from evals.policies.names import FILE, render_names
from nodes.policies.check import find_violation


def test_500_generated_harmless_turns_raise_no_alarm() -> None:
    wrong = [(e.draft, violation.reason) for e in generate_turns(500, seed=15) if (violation := find_violation(e))]
    assert wrong == []


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("half", HALVES)
def test_of_a_hundred_honest_drafts_at_most_one_is_sent_back(half: Half, name: str) -> None:
    honest = [case for case in load_cases(half, name) if not case.false]
    assert sum(map(is_sent_back, honest)) <= max(1, len(honest) // 100)


def test_no_honest_plan_recipe_list_or_estimate_is_sent_back() -> None:
    plans = load_cases(kinds=("plans",))
    assert len(plans) > 50
    assert [case.id for case in plans if is_sent_back(case)] == []


@pytest.mark.parametrize(("kind", "most"), [("numbers", 0.35), ("time", 0.7), ("dates", 0.35), ("ids", 0.35)])
def test_of_what_policies_judge_most_false_drafts_go_back(kind: str, most: float) -> None:
    """Of time few: a present that is said among other words is not read."""
    false = [case for name in ("own", "stranger") for case in load_cases(name=name, kinds=(kind,)) if case.false]
    assert sum(not is_sent_back(case) for case in false) <= most * len(false)


def test_there_are_cases_of_every_class_and_language() -> None:
    cases = load_cases()
    assert len(cases) >= 400
    assert len(load_cases(name="stranger")) == 250
    assert [len(load_cases(half, "stranger3")) for half in HALVES] == [55, 65]
    assert len({case.id for case in cases}) == len(cases)
    kinds = {(case.kind, case.language, case.false) for case in cases}
    both = {(kind, language, false) for kind in CLASSES for language in LANGUAGES for false in (True, False)}
    assert kinds == {each for each in both if each[0] != "plans" or not each[2]}
    assert set(JUDGED) < set(CLASSES)


def test_the_names_of_days_and_months_are_those_of_the_cldr() -> None:
    assert FILE.read_text(encoding="utf-8") == render_names()
