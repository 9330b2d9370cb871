"""The policies on the judged drafts of evals/data/policies, and on honest turns that are generated."""

import pytest

from evals.policies.data import CLASSES, HALVES, LANGUAGES, TALK, Half, load_cases
from evals.policies.harmless import generate_turns
from evals.policies.measure import count_lines, is_caught, is_noise, is_sent_back
from evals.policies.names import FILE, render_names
from nodes.policies.check import first_violation


def test_500_generated_harmless_turns_raise_no_alarm() -> None:
    wrong = [(e.draft, violation.reason) for e in generate_turns(500, seed=15) if (violation := first_violation(e))]
    assert wrong == []


@pytest.mark.parametrize("half", HALVES)
def test_few_false_drafts_get_by_and_few_honest_ones_are_sent_back(half: Half) -> None:
    cases = load_cases(half)
    honest, false = ([case for case in cases if case.false is wanted] for wanted in (False, True))
    assert sum(map(is_sent_back, honest)) <= 0.02 * len(honest)
    assert sum(not is_caught(case) for case in false) <= 0.05 * len(false)
    assert sum(map(is_noise, honest)) <= 0.05 * len(honest)


@pytest.mark.parametrize("half", HALVES)
def test_talk_has_nothing_under_its_answers_and_a_message_that_asks_for_a_write_has(half: Half) -> None:
    talk, asked = ((total, lines) for _, language, total, lines in count_lines(half) if language == "all")
    assert talk[1] <= 0.05 * talk[0]
    assert asked[1] >= 0.95 * asked[0]


def test_the_first_strangers_drafts_are_judged_rightly() -> None:
    cases = load_cases(name="stranger")
    wrong = [case.id for case in cases if (not is_caught(case) if case.false else is_sent_back(case))]
    assert wrong == []


def test_there_are_cases_of_every_class_and_language() -> None:
    cases = load_cases()
    assert len(cases) >= 400
    assert len(load_cases(name="stranger")) == 250
    assert [len(load_cases(half, "stranger3")) for half in HALVES] == [55, 65]
    assert [len(load_cases(kinds=(kind,))) >= least for kind, least in zip(TALK, (120, 60), strict=True)] == [
        True,
        True,
    ]
    assert len({case.id for case in cases}) == len(cases)
    kinds = {(case.kind, case.language, case.false) for case in cases}
    assert kinds == {(kind, language, false) for kind in CLASSES for language in LANGUAGES for false in (True, False)}


def test_the_names_of_days_and_months_are_those_of_the_cldr() -> None:
    assert FILE.read_text(encoding="utf-8") == render_names()
