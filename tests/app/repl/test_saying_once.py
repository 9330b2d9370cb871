"""A turn says a thing once, in words; nothing names a command of the shell."""

import re
from contextlib import suppress

import pytest

from app.outcome import Done
from app.repl.approval import name_commands
from app.repl.live import Region
from tests.app.conftest import Run
from tests.openai_stub import Said, openai_stub

KEEP = ("create_item", {"content": "Buy milk", "properties": {"due_date": "2030-01-04"}})
LOOK = ("query_items", {"text": "milk"})


def test_a_write_stands_in_its_receipt_and_what_is_told_besides_is_told_once(ana: Run) -> None:
    shown = ana("chat", given="remind me to water the plants tomorrow\nremind me to buy milk tomorrow\n").stdout
    first, second = shown.split("\n> ")[1:]
    assert first.count("water the plants") == 2, "as it was typed, and as it was stored"
    assert second.count("buy milk") == 2
    assert shown.count("Nothing can ring") == 1
    assert "  + new · ~ changed · - deleted; /undo takes it back.\n" in first
    assert "/undo" not in second


def test_what_a_model_says_is_shown_whole(ana: Run) -> None:
    with openai_stub(Said(calls=[LOOK, KEEP]), Said("Kept “Buy milk”. “undo” takes it back.")) as stub:
        shown = ana("chat", given="milk\n", **stub.env).stdout
    told = shown.partition("> milk\n")[2]
    assert re.fullmatch(
        r"  · looked for “milk”\nKept “Buy milk”\. “undo” takes it back\.\n  \+ “Buy milk” \(due Fri 4 Jan 2030\)\n"
        r"  \+ new .+\n\n",
        told,
    )


def test_a_write_is_told_where_no_receipt_will(ana: Run) -> None:
    failing = Said(status=400, error="no")
    with openai_stub(Said(calls=[KEEP]), failing) as stub:
        shown = ana("chat", given="milk\n", **stub.env).stdout
    assert "Buy milk" in shown.partition("> milk\n")[2]


@pytest.mark.parametrize("ends", ["waiting", "stopped", "answered"])
def test_a_write_is_told_by_a_line_only_where_no_receipt_tells_of_it(
    ends: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = Done("Saved.", "t", "id", "path", [], {}, 0.0, [], None)
    with suppress(KeyboardInterrupt), Region(2026) as region:
        region.event({"tool": KEEP[0], "args": KEEP[1], "ok": True})
        region.event({"tool": LOOK[0], "args": LOOK[1], "ok": True})
        if ends == "stopped":
            raise KeyboardInterrupt
        region.end(done if ends == "answered" else None)
    kept = "" if ends == "answered" else "  · kept “Buy milk”\n"
    assert capsys.readouterr().out == f"  · looked for “milk”\n{kept}"


def test_an_unknown_command_names_the_nearest(ana: Run) -> None:
    assert "There is no command /itms. Did you mean /items?" in ana("chat", given="/itms\n").stdout


def test_open_items_come_first(ana: Run) -> None:
    said = "note: one\nnew task: Buy milk tomorrow\nnew task: Buy bread on Friday\ndone with buy milk\n/items\n"
    rows = ana("chat", given=said).stdout.partition("> /items\n")[2].splitlines()
    assert [row.partition("  ")[0] for row in rows[1:4]] == ["Buy bread on Friday", "one", "Buy milk tomorrow"]


def test_commands_of_the_shell_are_named_as_they_are_called_here(ana: Run) -> None:
    assert name_commands("Look: `ana due`, `ana threads list`.") == "Look: /due, /threads."
    bread = "".join(f"new task: Buy bread {n} tomorrow\n" for n in range(7))
    shown = ana("chat", given=f"{bread}what is due tomorrow?\nundo that\n/undo\n/undo 1\n").stdout
    assert "… and 2 more, in the list of items." in shown
    assert shown.count("/redo brings it back.") == 2
    assert "`" not in shown.partition("/undo 1")[0]


def test_stored_text_is_shown_as_it_is(ana: Run) -> None:
    hint = "Nothing can ring: see `ana due`. “undo” takes it back."
    shown = ana("chat", given=f"note: {hint}\nwhat about the ring?\n").stdout
    assert f"“{hint}”" in shown.partition("> what about")[2]
