"""What is forgotten is in no byte of what is kept, and nothing brings it back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import RemoveMessage

from ana.errors import NotFound, StoreBroken
from ana.handles import Handles
from ana.models.scripted import calls
from ana.reminders.ledger import RingKey
from ana.settings import Settings
from ana.workspace import open_workspace
from app.forgetting import erasing
from app.forgetting.erasing import carry_out, finish
from app.forgetting.plan import make_plan
from app.messages import UserMessage
from app.outcome import Done, Waiting, config_of
from app.repl.conversations import Conversations
from app.repl.repl import Repl
from app.turn import Assistant
from tests.app.conftest import Run
from tests.conftest import MakeAssistant, script_of
from tests.traces_of import find_traces

SECRET = "The pin of the quokka card is 47119932"
WORDS = ("quokka", "47119932")
"""Words that nothing else holds."""

HERE, THERE = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001", "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b002"


def list_ids(ana: Run, thread: str) -> list[str]:
    told = ana("threads", "show", thread).stdout
    return [line.split("  ")[1] for line in told.splitlines() if line.startswith("20")]


def test_a_message_and_what_it_stored_leave_no_byte(ana: Run, tmp_path: Path) -> None:
    for said in (f"note: {SECRET}", "what do you know about the quokka card?", "note: the bins go out on Thursday"):
        assert ana("ask", said, "--thread", "work").returncode == 0
    for said in (f"note: {SECRET}", "hello", "add it again"):
        with (tmp_path / "data" / "typed").open("a") as typed:
            typed.write(f"\n# 2026-01-07 09:00:00\n+{said}\n")
    with (tmp_path / "log" / "ana.log").open("a") as log:
        log.write(f"one line\nINFO body: {json.dumps(SECRET)}\nlast line\n")
    first = list_ids(ana, "work")[0]
    asked = ana("forget", first)
    assert (asked.returncode, "this is not a terminal" in asked.stderr) == (1, True)
    assert asked.stdout.count(SECRET) == 2, "the message, and what it stored"
    assert f"> note: {SECRET}" in ana("threads", "show", "work").stdout

    assert ana("forget", first, "--with-items", "--yes").returncode == 0
    assert find_traces(tmp_path, WORDS) == []
    assert ana("threads", "show", "work").stdout.count("> (forgotten on ") == 2
    assert "bins" in ana("items").stdout
    typed_now = (tmp_path / "data" / "typed").read_text()
    assert typed_now == "\n# 2026-01-07 09:00:00\n+hello\n\n# 2026-01-07 09:00:00\n+add it again\n"
    assert "one line\nlast line\n" in (tmp_path / "log" / "ana.log").read_text()

    replayed = ana("replay", first, "--rerun")
    assert (replayed.returncode, "was forgotten on" in replayed.stderr) == (2, True)
    assert "All is well" in ana("doctor").stdout
    backup = tmp_path / "data" / "backups" / "later.zip"
    assert ana("backup", str(backup)).returncode == 0
    for again in ("undo", f"restore {backup} --yes", "undo", "ask hello --thread work"):
        ana(*again.split())
    assert find_traces(tmp_path, WORDS) == []


def test_a_message_alone_leaves_what_it_stored_and_says_so(ana: Run, tmp_path: Path) -> None:
    ana("ask", f"note: {SECRET}", "--thread", "work")
    ana("ask", f"note: {SECRET}, said again", "--thread", "other")
    told = ana("forget", *list_ids(ana, "work"), "--yes").stdout
    assert "This was stored with it, and stays:\n- the item " in told
    assert SECRET in ana("items").stdout
    assert f"note: {SECRET}\n" not in ana("threads", "show", "work").stdout


def test_nothing_is_forgotten_without_a_name_or_of_one_that_is_not_there(ana: Run) -> None:
    for name in ("line 7", "nothing", HERE, "a/b"):
        assert "There is no message, item or line" in ana("forget", name, "--yes").stderr
    assert "Say what to forget." in ana("forget").stderr


def talk(assistant: Assistant, *turns: tuple[str, str, Any]) -> list[str]:
    """Run turns, each of a thread, a message and its replies; return their ids."""
    ids = []
    for thread, said, replies in turns:
        script_of(assistant).replies += replies if isinstance(replies, list) else [replies]
        outcome = assistant.ask(said, thread)
        assert isinstance(outcome, Done)
        ids.append(outcome.trace_id)
    return ids


KEEP = [calls(("create_item", {"content": SECRET, "properties": {"iban": "DE89370400440532013000"}})), "Kept."]


def look_up(assistant: Assistant) -> list[Any]:
    return [calls(("query_items", {"text": "card"})), "It is DE89370400440532013000."]


def find_kept(assistant: Assistant, folder: Path) -> list[str]:
    """Return where the words still stand, in files and in the store."""
    memory = assistant.handles.memory
    held = [repr(each) for each in (*memory.items(), *memory.history())]
    texts = [*WORDS, "DE89370400440532013000"]
    return [*find_traces(folder, texts), *(each for each in held if any(text in each for text in texts))]


def test_an_item_goes_with_every_turn_that_wrote_or_shows_it(make_assistant: MakeAssistant, tmp_path: Path) -> None:
    assistant = make_assistant()
    memory = assistant.handles.memory
    talk(assistant, (HERE, "keep this", KEEP), (THERE, "my card?", look_up(assistant)), (THERE, "hello", "Hi."))
    (item,) = memory.items()
    memory.update(item.id, f"{SECRET}, renewed")
    ledger = assistant.handles.workspace.open_ledger()
    ledger.note_delivered("address", ring := RingKey(item.id, "2026-01-07T09:00"))
    held = {Path(place.partition(":")[0]).name.removesuffix("-wal") for place in find_kept(assistant, tmp_path)}
    assert {"threads.sqlite", f"{HERE}.jsonl", f"{THERE}.jsonl"} <= held
    plan = make_plan(assistant.handles, item.id)
    told = " ".join(plan.forgets[:2])
    assert ("“keep this”" in told, "“my card?”" in told, len(plan.forgets)) == (True, True, 3)
    carry_out(assistant, plan)
    assert find_kept(assistant, tmp_path) == []
    assert ledger.list_open("address", [ring]) == [ring]
    talk(assistant, (THERE, "and now?", "Yes."))
    assert [m.text for m in script_of(assistant).seen[-1] if m.type == "human"][1] == "hello"
    assert "(forgotten" in script_of(assistant).seen[-1][1].text
    assert memory.history() == []


def test_a_line_goes_with_the_turn_that_taught_it(make_assistant: MakeAssistant, tmp_path: Path) -> None:
    assistant = make_assistant()
    talk(assistant, (HERE, "keep this", [calls(("append_context", {"content": SECRET})), "Kept."]))
    carry_out(assistant, make_plan(assistant.handles, "line 0"))
    assert (assistant.handles.memory.lines(), find_kept(assistant, tmp_path)) == ({}, [])


def test_where_the_same_words_still_stand_is_told(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant()
    memory = assistant.handles.memory
    (turn, other) = talk(assistant, (HERE, SECRET, "I see."), (THERE, f"{SECRET}!", "Yes."))
    memory.append_line(f"Said: {SECRET}")
    copy = memory.create(f"{SECRET}.")
    plan = make_plan(assistant.handles, turn)
    assert [line.partition(", ")[0] for line in plan.stays] == [f"the item {copy.id}", "line 0", f"the message {other}"]


@pytest.mark.parametrize("is_forgotten", [True, False])
def test_a_summary_that_may_hold_it_goes(make_assistant: MakeAssistant, is_forgotten: bool) -> None:
    assistant = make_assistant()
    first, last = talk(assistant, (HERE, SECRET, "I see."), (HERE, "hello", "Hi."))
    graph, place = assistant._graph, config_of(HERE)
    messages = graph.get_state(place).values["messages"]
    gone = [RemoveMessage(id=each.id) for each in messages[:2]]
    graph.update_state(place, {"messages": gone, "summary": f"They said: {SECRET}"}, as_node="reflect")
    carry_out(assistant, make_plan(assistant.handles, first if is_forgotten else last))
    assert ("quokka" in graph.get_state(place).values["summary"]) != is_forgotten


def test_what_waits_with_it_ends_and_is_not_done(make_assistant: MakeAssistant, tmp_path: Path) -> None:
    assistant = make_assistant()
    assistant.autonomy = "advise"
    item = assistant.handles.memory.create(SECRET, {"iban": "DE89370400440532013000"})
    script_of(assistant).replies += [calls(("update_item", {"id": item.id, "content": f"{SECRET}!"}))]
    assert isinstance(assistant.ask("change it", HERE), Waiting)
    carry_out(assistant, make_plan(assistant.handles, item.id))
    assert assistant.find_open_turn(HERE) is None
    assert find_kept(assistant, tmp_path) == []


def test_copies_and_deleted_conversations_are_found(make_assistant: MakeAssistant, tmp_path: Path) -> None:
    assistant = make_assistant()
    copy = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b003"
    (turn, _) = talk(assistant, (HERE, SECRET, "I see."), (HERE, "hello", "Hi."))
    saver: Any = assistant._graph.checkpointer
    saver.copy_thread(HERE, copy)
    saver.copy_thread(HERE, THERE)
    threads = assistant.handles.workspace.open_threads()
    threads.move_to_trash(THERE)
    plan = make_plan(assistant.handles, turn)
    assert "1 deleted conversation in the trash" in plan.forgets
    carry_out(assistant, plan)
    assert find_kept(assistant, tmp_path) == []
    assert threads.store.list_trash() == []
    assert "hello" in str(assistant._graph.get_state(config_of(copy)).values)


STEPS: dict[str, Callable[[Handles], tuple[Any, str]]] = {
    "typed": lambda _: (erasing, "remove_typed"),
    "lines": lambda _: (erasing, "remove_lines"),
    "state": lambda _: (Assistant, "rewrite"),
    "trace": lambda handles: (type(handles.traces), "change"),
    "trash": lambda handles: (type(handles.workspace.open_threads()), "purge"),
    "delete": lambda handles: (type(handles.memory), "delete"),
    "erase": lambda handles: (type(handles.memory.backend), "erase"),
    "ledger": lambda handles: (type(handles.workspace.open_ledger()), "forget"),
}


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_what_is_cut_short_is_finished_later(
    make_assistant: MakeAssistant, tmp_path: Path, settings: Settings, step: str, is_done: bool
) -> None:
    assistant = make_assistant()
    talk(assistant, (HERE, "keep this", KEEP), (THERE, "my card?", look_up(assistant)))
    (item,) = assistant.handles.memory.items()
    owner, name = STEPS[step](assistant.handles)
    real = getattr(owner, name)

    def fail(*args: Any, **more: Any) -> None:
        if is_done:
            real(*args, **more)
        raise StoreBroken("The disk is full.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, fail)
        with pytest.raises(StoreBroken):
            carry_out(assistant, make_plan(assistant.handles, item.id))
    note = open_workspace(settings).note("forgetting")
    assert "quokka" not in note.read()
    assert finish(make_assistant(handles=assistant.handles))
    assert (find_kept(assistant, tmp_path), note.read(), finish(assistant)) == ([], "", False)


def test_the_repl_forgets_the_last_message_once_the_person_agrees(
    make_assistant: MakeAssistant,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assistant = make_assistant()
    talk(assistant, (HERE, "hello", "Hi."), (HERE, "keep this", KEEP))
    monkeypatch.setattr("ana.handles.open_handles", lambda *_, **__: assistant.handles)
    monkeypatch.setattr(erasing, "can_ask", lambda: True)
    questions, agreed = list[str](), [True]

    def confirm(question: str) -> bool:
        questions.append(question)
        return agreed[0]

    monkeypatch.setattr(erasing, "confirm", confirm)
    monkeypatch.setattr(erasing, "require_consent", lambda question, **_: questions.append(question))

    def chat(*lines: str) -> str:
        monkeypatch.setattr("app.repl.repl.read_piped_lines", lambda: iter([UserMessage(line) for line in lines]))
        Repl(open_workspace(settings), HERE).run()
        return capsys.readouterr().out

    assert "There is no such message here." in chat("/forget 3")
    assert "- the message “keep this”" in chat("/forget")
    assert questions == ["Forget what was stored, too?", "This cannot be undone. Forget it?"]
    assert find_kept(assistant, tmp_path) == []
    agreed[0] = False
    assert "> (forgotten on " in chat("/forget 2", "/transcript")


def test_the_greeting_quotes_no_message_older_than_today(
    make_assistant: MakeAssistant, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assistant = make_assistant()
    talk(assistant, (HERE, SECRET, "I see."))
    conversations = Conversations(open_workspace(settings), HERE)
    conversations.greet()
    assert f"last: {SECRET}" in capsys.readouterr().out
    assistant.handles.traces.change(HERE, lambda record: record | {"ts": "2026-01-07T09:00:00+01:00"})
    conversations.greet()
    assert capsys.readouterr().out.startswith("Going on with the last conversation (1 turn)\n")


def test_what_is_not_reached_is_named(make_assistant: MakeAssistant, tmp_path: Path) -> None:
    assistant = make_assistant()
    (turn,) = talk(assistant, (HERE, SECRET, "I see."))
    (tmp_path / "data" / "backups").mkdir()
    (tmp_path / "data" / "backups" / "old.zip").touch()
    plan = make_plan(assistant.handles, turn)
    assert plan.unreached == ["1 backup in the data folder/backups may hold them."]
    with pytest.raises(NotFound):
        make_plan(assistant.handles, "abcdefgh")
