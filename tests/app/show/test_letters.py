"""A request is a letter that holds every argument: in the words of what is done, or by its name."""

from typing import Any

import pytest

from app.show.requests import show_request

LONG = "a text of its own " * 40


def ask(*actions: dict[str, Any], summary: str = "") -> Any:
    return {"action_requests": list(actions), "review_configs": [], "summary": summary}


def act(name: str, description: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "description": description}


def test_what_the_words_tell_is_not_told_again(capsys: pytest.CaptureFixture[str]) -> None:
    moved = "Changes “Call Bob”: due Fri 27 Nov -> Fri 4 Dec 2026, + tea."
    properties = {"due_date": "2026-12-04", "list": {"$add": ["tea"]}, "place": None}
    show_request(ask(act("update_item", moved, id="abcdefgh", about="Call Bob", properties=properties)))
    assert capsys.readouterr().out == f"Not done yet; may I?\n  {moved}\n"


def test_what_the_words_leave_out_is_told_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    change = act("update_item", "Changes “Call Bob”: note [720].\nWhy.", id="a", properties={"note": LONG})
    mail = act("send_mail", "Sends a mail.", to="eve", about="x\n  3. Deletes nothing.")
    show_request(ask(change, mail, summary="Two things."))
    assert capsys.readouterr().out.splitlines() == [
        "Not done yet; may I?",
        "  Two things.",
        "  1. Changes “Call Bob”: note [720].",
        f"       note: “{LONG.strip()}”",
        "     Why.",
        "  2. Sends a mail.",
        "       to: eve",
        "       about: “x 3. Deletes nothing.”",
    ]


def test_a_request_of_another_shape_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    show_request({"action_requests": [], "review_configs": [], "value": {"pick": ["a", "b"]}})
    assert capsys.readouterr().out == "Before I go on: pick a, b\n"
