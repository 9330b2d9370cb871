"""Turns as stories."""

import pytest

from ana.evaluations import Evaluation, keep_evaluation
from ana.workspace import load_workspace
from app.page.pictures import EDGES, NODES, draw_arrows, draw_bars, draw_boxes, word_path
from graph.builder import builder
from tests.app.page.conftest import Browser


def test_a_turn_is_told_and_run_again(browser: Browser) -> None:
    browser.open("/app")
    browser.say("Note: the spare key is in the blue tin")
    browser.follow("How")
    assert "kept “the spare key is in the blue tin”" in browser.text
    assert "load context" in browser.text
    assert browser.text.count(" out, free") == 1, "what it cost is told, also if that is nothing"
    assert browser.one("main svg")["aria-label"] == (
        "It looked at what is known, then asked the model, then ran its calls, then asked the model, "
        "then checked the answer."
    )
    browser.submit("Run it again")
    assert "The same again: 1 step and the answer." in browser.text


def test_the_last_turns_are_listed(browser: Browser) -> None:
    browser.open("/app/turns")
    assert "Nothing was said yet" in browser.text
    browser.open("/app")
    browser.say("Note: the spare key is in the blue tin")
    browser.open("/app/turns")
    assert "changed something" in browser.text
    browser.follow("Note: the spare key is in the blue tin")
    assert "How this was answered" in browser.text


def test_the_picture_has_the_nodes_and_the_edges_of_the_graph() -> None:
    drawn = builder.compile().get_graph()
    inner = {edge for edge in ((e.source, e.target) for e in drawn.edges) if not {"__start__", "__end__"} & {*edge}}
    assert {*NODES} == drawn.nodes.keys() - {"__start__", "__end__"}
    assert {*EDGES} == {(a, b) for a, b in inner if a != b}


@pytest.mark.parametrize("path", [[], ["load_context", "reason", "reflect"]])
def test_only_what_was_walked_is_marked(path: list[str]) -> None:
    assert [box.name for box in draw_boxes(path) if box.visits] == path
    assert sum(arrow.is_walked for arrow in draw_arrows(path)) == max(len(path) - 1, 0)
    assert word_path(path).count("then") == max(len(path) - 1, 0)


def test_the_dearest_day_is_as_high_as_the_picture() -> None:
    assert [bar.height for bar in draw_bars([("a", 0.5), ("b", 1.0), ("c", 0.0)])] == [50, 100, 0]
    assert draw_bars([]) == []


def test_what_evaluations_came_to_is_drawn_and_said(browser: Browser) -> None:
    for n in range(12):
        keep_evaluation(
            load_workspace(), Evaluation("2026-11-27T10:00:00+00:00", f"model-{n}", {"time": 0.5, "all": 1})
        )
    browser.open("/app/turns")
    assert "Evaluation of model-11" in browser.text
    assert "model-1," not in browser.text, "the last ten are kept"
    assert browser.one("svg.bars")["aria-label"] == "Right of the runs: time 50 %; all 100 %; "


def test_evaluations_that_cannot_be_read_are_none(browser: Browser) -> None:
    load_workspace().evaluations_file.write_text("{")
    assert "Evaluation of" not in browser.open("/app/turns").get_text()
