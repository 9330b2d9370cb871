"""What the REPL shows and what its commands do."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ana.errors import ToolError, UserError
from ana.handles import Handles, open_handles
from ana.models.offline.reader import OfflineReader
from ana.models.scripted import ScriptedModel, calls
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.values import Properties
from ana.workspace import open_workspace
from app.due import group_due, summarize_due
from app.outcome import Waiting, expect_done
from app.repl.context import delete_line, edit_context, show_context
from app.repl.examples import EXAMPLES
from app.repl.repl import COMMANDS, Repl
from app.show.answers import show_text
from app.show.tables import show_table
from app.turn import open_assistant
from app.undo import undo_turn
from tests.chroma import open_memory
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY, folders

TABLE = "Two:\n| what | due |\n| --- | --- |\n| Buy milk \\| bread | Friday |\n| Call Bob |\nThat is all."


Terminal = Callable[[int], None]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Makes standard output a terminal of so many columns; to be called once capturing has begun."""

    def make(columns: int) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(columns))

    return make


def bare(text: str) -> list[str]:
    """Lines as they look, without styles."""
    return [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in text.splitlines()]


@pytest.fixture
def handles(tmp_path: Path) -> Iterator[Handles]:
    settings = load_settings(folders(tmp_path))
    opened = open_handles(open_workspace(settings), model=ScriptedModel(replies=[]))
    clock = Clock(BERLIN, lambda: WEDNESDAY)
    memory = open_memory(settings.ana_data_dir, EMBEDDER, clock)
    yield replace(opened, clock=clock, memory=memory)
    memory.close()


def test_in_a_pipe_an_answer_is_as_it_was_written(capsys: pytest.CaptureFixture[str]) -> None:
    show_text(TABLE)
    assert capsys.readouterr().out == TABLE + "\n"


def test_in_a_terminal_a_table_is_drawn(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    terminal(80)
    show_text(TABLE)
    lines = bare(capsys.readouterr().out)
    assert lines == ["Two:", "what              due", "Buy milk | bread  Friday", "Call Bob", "That is all."]


@pytest.mark.parametrize("text", ["| not a table", "|a|b|\nno rule", "a | b", "[bold]x[/bold] :smile: 1 < 2", "**x**"])
def test_what_is_no_table_is_shown_as_it_is(text: str, terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    terminal(80)
    show_text(text)
    assert capsys.readouterr().out == text + "\n"


def test_a_narrow_terminal_has_no_columns(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    terminal(30)
    show_table(("id", "what", "when"), [("a1", "Buy milk", "Friday")], first=1)
    assert bare(capsys.readouterr().out) == ["Buy milk", "  a1 · Friday"]


def test_a_wide_cell_is_folded_and_not_cut(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    terminal(80)
    text = " ".join(f"word{n}" for n in range(60))
    show_table(("id", "what"), [("a1", text)], fixed=("id",))
    shown = bare(capsys.readouterr().out)
    assert all(len(line) <= 80 for line in shown)
    assert [word for word in " ".join(shown).split() if word.startswith("word")] == text.split()


DAILY: Properties = {"repeats": "FREQ=DAILY", "due_date": "2026-01-05T08:00"}
LATE: list[tuple[str, Properties]] = [
    (f"late {n}", {"status": "active", "due_date": f"2025-12-{n + 11}"}) for n in range(7)
]
OPENINGS: dict[str, tuple[list[tuple[str, Properties]], list[str]]] = {
    "nothing": ([], []),
    "overdue, today and soon": (
        [
            *LATE,
            ("Dentist", {"due_date": "2026-01-07T14:30"}),
            ("done already", {"due_date": "2026-01-07", "status": "done"}),
            ("Exam", {"due_date": "2026-01-14T09:00"}),
            ("far away", {"due_date": "2026-01-15"}),
        ],
        [
            *("Overdue (7):", "  late 0 (since Thu 11 Dec 2025)", "  late 1 (since Fri 12 Dec 2025)"),
            *("  late 2 (since Sat 13 Dec 2025)", "  late 3 (since Sun 14 Dec 2025)"),
            "  late 4 (since Mon 15 Dec 2025)",
            *("  and 2 more: /due", "Today (1):", "  Dentist (14:30)"),
            *("Next seven days (1):", "  Exam (Wed 14 Jan 09:00)"),
        ],
    ),
    "a moment with another offset": (
        [
            ("Call", {"status": "active", "due_date": "2026-01-06T23:24:00Z", "remind": ["2026-01-06T23:00:00Z"]}),
            ("For ever", {"due_date": "9999-12-31T23:59:59Z"}),
        ],
        ["Overdue (1):", "  Call (since Wed 7 Jan 00:24) (23:24 UTC)"],
    ),
    "what repeats, once, and what passed by itself": (
        [
            ("Medicine", DAILY | {"type": "task"}),
            ("School closes at 1", {"repeats": "every Friday", "due_date": "2026-01-02T13:00"}),
            ("Early class", DAILY | {"type": "class"}),
        ],
        [
            *("Not marked (1):", "  Medicine (since Mon 5 Jan 08:00)"),
            *("Today (1):", "  Early class (08:00)"),
            *("Next seven days (8):", "  Early class (Thu 8 Jan 08:00)", "  Early class (Fri 9 Jan 08:00)"),
            *("  School closes at 1 (Fri 9 Jan 13:00)", "  Early class (Sat 10 Jan 08:00)"),
            *("  Early class (Sun 11 Jan 08:00)", "  and 3 more: /due"),
        ],
    ),
}


@pytest.mark.parametrize("name", OPENINGS)
def test_it_opens_with_what_is_overdue_and_due_today_and_soon(handles: Handles, name: str) -> None:
    items, lines = OPENINGS[name]
    for content, properties in items:
        handles.memory.create(content, properties)
    assert summarize_due(handles) == lines


def test_a_span_is_never_overdue_and_stands_under_today_until_it_has_ended(handles: Handles) -> None:
    spans = {"Painter": ("2026-01-05", "2026-01-08"), "Carpenter": ("2026-01-05", "2026-01-06")}
    for name, (start, end) in spans.items():
        planned: Properties = {"status": "planned", "start_date": start, "end_date": end}
        handles.memory.create(name, planned)
    morning: Properties = {"status": "planned", "start_date": "2026-01-07T08:00", "end_date": "2026-01-07T12:00"}
    handles.memory.create("Boiler", morning)
    handles.memory.create("Report", {"status": "active", "due_date": "2026-01-05", "end_date": "2026-01-09"})
    handles.memory.create("Dinner", {"type": "event", "status": "active", "due_date": "2026-01-05T19:00"})
    handles.memory.create("Paid", {"type": "expense", "paid_on": "2026-01-05"})
    found = {name: {item.content for item in group.items} for name, group in group_due(handles).items()}
    assert found == {"overdue": {"Report"}, "unmarked": set(), "today": {"Painter", "Boiler"}, "week": set()}


def test_what_is_due_agrees_with_the_question_what_is_overdue(handles: Handles) -> None:
    for due in ("2026-01-06", "2026-01-07", "2026-01-07T08:59", "2026-01-07T09:00", "2026-01-07T06:00+00:00"):
        handles.memory.create(due, {"status": "active", "due_date": due})
    with open_assistant(replace(handles, model=OfflineReader())) as assistant:
        told = expect_done(assistant.ask("what's overdue?", "00000000-0000-4000-8000-000000000000"))
    asked = {item["content"] for item in told.steps[0]["observation"]["items"]}
    assert asked == {item.content for item in group_due(handles)["overdue"].items}
    assert asked == {"2026-01-06", "2026-01-07T08:59", "2026-01-07T06:00+00:00"}


def test_why_a_line_is_known(handles: Handles, capsys: pytest.CaptureFixture[str]) -> None:
    model = ScriptedModel(replies=[calls(("append_context", {"content": "Prefers tea"})), "I will remember that."])
    with open_assistant(replace(handles, model=model)) as assistant:
        assistant.ask("I'd rather have tea", "00000000-0000-4000-8000-000000000000")
    handles.memory.append_line("Lives in Berlin")
    show_context(handles)
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert " ".join(shown[1]) == "0 Prefers tea Wed 7 Jan “I'd rather have tea”"
    assert " ".join(shown[2]) == "1 Lives in Berlin Wed 7 Jan (your own edit)"


def test_an_undo_takes_back_what_was_changed_by_hand(handles: Handles) -> None:
    handles.memory.append_line("Likes tea")
    edit_context(handles, "0 Likes coffee", "t")
    edit_context(handles, "0 Likes water", "elsewhere")
    undo_turn(handles.memory, None, thread="t", override=True)
    delete_line(handles, "0", "t")
    assert handles.memory.lines() == {}
    undo_turn(handles.memory, None, thread="t")
    assert handles.memory.lines() == {0: "Likes tea"}


def test_lines_are_changed_by_hand(handles: Handles) -> None:
    for text in ("Prefers tea", "Lives in Berlin"):
        handles.memory.append_line(text)
    edit_context(handles, "1 Lives in Hamburg")
    delete_line(handles, "0")
    assert handles.memory.lines() == {1: "Lives in Hamburg"}
    with pytest.raises(ToolError, match="no Global Context line 7"):
        edit_context(handles, "7 x")
    with pytest.raises(UserError, match="not understood"):
        show_context(handles, "forget everything")


EDITS = {
    "sed -i -e s/tea/coffee/ -e 's/1--.*/Has a dog/'": {0: "Prefers coffee", 2: "Has a dog"},
    "sed -i s/x/x/": {0: "Prefers tea", 1: "Lives in Berlin"},
    "true": {0: "Prefers tea", 1: "Lives in Berlin"},
}


@pytest.mark.parametrize("editor", EDITS)
def test_lines_are_changed_in_an_editor(handles: Handles, editor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("Prefers tea", "Lives in Berlin"):
        handles.memory.append_line(text)
    monkeypatch.setenv("VISUAL", editor)
    edit_context(handles)
    assert handles.memory.lines() == EDITS[editor]


def test_an_editor_that_is_not_there_changes_nothing(handles: Handles, monkeypatch: pytest.MonkeyPatch) -> None:
    handles.memory.append_line("Prefers tea")
    monkeypatch.setenv("VISUAL", "no-such-editor")
    with pytest.raises(UserError, match="no-such-editor") as failure:
        edit_context(handles)
    assert "EDITOR" in failure.value.hint
    assert handles.memory.lines() == {0: "Prefers tea"}


def test_a_line_that_changed_while_it_was_edited_is_left_alone(
    handles: Handles, monkeypatch: pytest.MonkeyPatch
) -> None:
    import click

    handles.memory.append_line("Prefers tea")

    def edit(text: str, extension: str) -> str:
        handles.memory.replace_line(0, "Prefers green tea")
        return text.replace("tea", "coffee")

    monkeypatch.setattr(click, "edit", edit)
    with pytest.raises(ToolError, match="has changed"):
        edit_context(handles)
    assert handles.memory.lines() == {0: "Prefers green tea"}


def test_an_empty_text_does_not_forget_everything(handles: Handles, monkeypatch: pytest.MonkeyPatch) -> None:
    handles.memory.append_line("Prefers tea")
    monkeypatch.setenv("VISUAL", "sed -i d")
    with pytest.raises(UserError, match="forget everything"):
        edit_context(handles)
    assert handles.memory.lines() == {0: "Prefers tea"}


def test_tab_knows_commands_and_conversations(tmp_path: Path) -> None:
    from prompt_toolkit.completion import CompleteEvent, WordCompleter
    from prompt_toolkit.document import Document

    repl = Repl(open_workspace(load_settings(folders(tmp_path))), "mum's birthday")
    completer = WordCompleter(repl._completions, sentence=True)

    def offered(text: str) -> list[str]:
        return [each.text for each in completer.get_completions(Document(text), CompleteEvent())]

    assert offered("/context e") == ["/context edit"]
    assert offered("/threads m") == ["/threads mum's birthday"]
    assert set(offered("/")) > {command.name for command in COMMANDS}
    assert offered("buy") == []


def test_a_day_is_the_persons(clock: Clock) -> None:
    late = datetime(2026, 1, 6, 23, 30, tzinfo=UTC)
    assert str(clock.day(late.isoformat())) == "2026-01-07"
    assert str(clock.day((late - timedelta(hours=1)).isoformat())) == "2026-01-06"


def test_the_sentences_in_the_help_are_understood(handles: Handles) -> None:
    with open_assistant(replace(handles, model=OfflineReader())) as assistant:
        done = [assistant.ask(sentence, "00000000-0000-4000-8000-000000000000") for sentence in EXAMPLES]
    assert len(EXAMPLES) == 5
    assert not [answer for answer in done if answer.error or isinstance(answer, Waiting) or answer.fruitless]
    assert [bool(answer.changes) for answer in done] == [True, True, True, False, True]
