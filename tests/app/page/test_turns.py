"""Turns as stories."""

from itertools import pairwise

from bs4 import BeautifulSoup

from ana.evaluations import Evaluation, keep_evaluation
from ana.workspace import load_workspace
from app.page.shell import draw
from graph.builder import builder
from tests.app.page.conftest import Browser


def test_a_turn_is_told_and_run_again(browser: Browser) -> None:
    browser.open("/app")
    browser.say("Note: the spare key is in the blue tin")
    browser.follow("How")
    assert "the spare key" in browser.one(".talks [aria-current]").get_text()
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
    assert "no model cost anything" in browser.page.get_text()
    browser.follow("Note: the spare key is in the blue tin")
    assert "How this was answered" in browser.text


def draw_path(*path: str) -> BeautifulSoup:
    """Return the picture of the way of a turn."""
    return BeautifulSoup(draw("path.html", path=path, walked={*pairwise(path)}), "html.parser")


def test_the_picture_has_the_nodes_and_the_edges_of_the_graph() -> None:
    drawn = builder.compile().get_graph()
    inner = {edge for edge in ((e.source, e.target) for e in drawn.edges) if not {"__start__", "__end__"} & {*edge}}
    picture = draw_path("reason")
    assert {str(each["data-node"]) for each in picture.select("[data-node]")} == drawn.nodes.keys() - {
        "__start__",
        "__end__",
    }
    assert {str(each["data-edge"]) for each in picture.select("[data-edge]")} == {
        f"{a} {b}" for a, b in inner if a != b
    }


def test_only_what_was_walked_is_marked() -> None:
    picture = draw_path("load_context", "reason", "reflect", "reason", "reflect")
    assert [each["data-node"] for each in picture.select("[data-node].walked")] == ["load_context", "reason", "reflect"]
    assert {str(each["data-edge"]) for each in picture.select("[data-edge].walked")} == {
        "load_context reason",
        "reason reflect",
        "reflect reason",
    }
    assert "reason ×2" in picture.get_text()
    told = str(picture.select("svg")[0]["aria-label"])
    assert told.startswith("It looked at what is known, then asked the model, then checked the answer, then")


def test_a_node_of_another_version_is_told_by_its_name() -> None:
    assert "It plan, then asked the model." in draw_path("plan", "reason").get_text()


def test_the_dearest_day_is_as_high_as_the_picture() -> None:
    picture = BeautifulSoup(draw("costs.html", costs={"a": 0.5, "b": 1.0, "c": 0.0}), "html.parser")
    assert [each["height"] for each in picture.select("rect")] == ["50.0", "100.0", "0.0"]
    assert [each["y"] for each in picture.select("rect")] == ["52.0", "2.0", "102.0"]
    assert "$1.5000" in picture.get_text()


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
