"""What a model is sent of results: those of earlier turns in first lines."""

import json
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from ana.memory.changes import Cause, Change
from ana.memory.memory import Memory
from ana.memory.sources import SUGGESTED
from ana.values import Properties
from app.outcome import Waiting
from app.turn import open_assistant
from nodes.earlier import MOST_WHOLE, RECALL, divide_history
from nodes.receipt import make_answer
from tests.conftest import THREAD
from tests.openai_stub import Said, openai_stub
from tests.opened import open_in
from tools.artifacts import collect_receipts

REFUSED = json.dumps({"error": "Refused, did not run: keep the notes", "hint": "Do not call it again unless asked."})
NOTE: dict[str, Any] = {
    "id": "aaaaaaaa",
    "content": "Notes from the talk\n" + "long " * 100,
    "properties": {"type": "note"},
}
TASK: dict[str, Any] = {"id": "bbbbbbbb", "content": "Read Performer", "properties": {"status": "active"}}


def shorten_results(messages: list[AnyMessage]) -> list[AnyMessage]:
    """Return what is sent of messages of one day."""
    return divide_history(messages, "", 10_000)[1]


def called(*named: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    made = [{"name": name, "args": args, "id": f"{name}-{n}"} for n, (name, args) in enumerate(named)]
    return AIMessage(text, tool_calls=made)


def answer(id: str, value: Any, **more: Any) -> ToolMessage:
    text = value if isinstance(value, str) else json.dumps(value)
    return ToolMessage(text, name=id.partition("-")[0], tool_call_id=id, **more)


def shorten_one(*messages: AnyMessage) -> tuple[list[AnyMessage], AIMessage, str]:
    """Return what is sent of messages that belong to an earlier turn, its call and that call's result."""
    sent = shorten_results([*messages, AIMessage("As it says."), HumanMessage("and now?")])
    called, result = sent[1], sent[2]
    assert isinstance(called, AIMessage)
    assert isinstance(result, ToolMessage)
    assert [call["id"] for call in called.tool_calls] == [result.tool_call_id]
    return sent, called, result.text


def test_an_empty_result_of_an_earlier_turn_is_told_in_words() -> None:
    note = "No item has the topic 'linear attention'; in use are 'attention' and 'lineare Attention', say " + "so " * 30
    empty = {"items": [], "total": 0, "truncated": False, "note": note}
    ask = (HumanMessage("what about it?"), called(("query_items", {"text": "it"})))
    told = shorten_one(*ask, answer("query_items-0", empty))[2]
    assert told.startswith("query_items: No item has the topic")
    assert "{" not in told
    assert shorten_one(*ask, answer("query_items-0", empty | {"note": ""}))[2].startswith("query_items: {")


def test_an_earlier_turn_is_one_call_with_ids_and_first_lines(memory: Memory) -> None:
    task = memory.create("Read Performer", {"due_date": "2026-01-09"})
    moved = memory.update(task.id, None, {"due_date": "2026-01-12"})
    found = {"items": [NOTE, TASK | {"id": task.id}], "total": 2}
    sent, called_then, told = shorten_one(
        HumanMessage("move the reading"),
        called(("query_items", {"text": "reading"}), text="Let me look."),
        answer("query_items-0", found),
        called(("calculator", {"expression": "9+3"}), ("update_item", {"id": task.id, "content": "x" * 500})),
        answer("calculator-0", {"result": 12}),
        answer("update_item-1", {"id": task.id, "content": "x" * 500}, artifact=collect_receipts([moved])),
    )
    assert [message.type for message in sent] == ["human", "ai", "tool", "ai", "human"]
    assert called_then.tool_calls[0]["name"] == "update_item"
    assert len(called_then.tool_calls[0]["args"]["content"]) < 100
    assert told.splitlines() == [
        f"query_items: aaaaaaaa Notes from the talk long long long long…; {task.id} Read Performer",
        "calculator: 9+3 = 12",
        f"update_item: {task.id} (due Fri 9 Jan -> Mon 12 Jan)",
    ]


def test_what_was_named_in_one_turn_is_an_id_in_the_next(memory: Memory) -> None:
    turn: list[AnyMessage] = [HumanMessage("what is on Performer?"), called(("query_items", {}))]
    turn += [answer("query_items-0", {"items": [TASK]}), AIMessage("One.")]
    sent = shorten_results([*turn, *turn, HumanMessage("and now?")])
    told = [message.text for message in sent if isinstance(message, ToolMessage)]
    assert told == ["query_items: bbbbbbbb Read Performer", "query_items: bbbbbbbb"]


def test_what_was_created_is_told_with_its_id(memory: Memory) -> None:
    made = memory.create("Read Performer", {"type": "reading"})
    args = {"content": "Read Performer", "properties": {"type": "reading"}}
    result = answer("create_item-0", TASK, artifact=collect_receipts([made]))
    _, called_then, told = shorten_one(HumanMessage("keep it"), called(("create_item", args)), result)
    assert called_then.tool_calls[0]["args"] == args
    assert told == f"create_item: {made.id} “Read Performer” (reading)"


def test_what_an_undo_did_to_each_record_is_told(memory: Memory) -> None:
    made = memory.create("Read Performer", {})
    gone, back = Change("item", made.id, made.after, None), Change("item", "bbbbbbbb", None, made.after)
    result = answer("undo-0", {"turn": "t", "undo": "u"}, artifact=collect_receipts([gone, back]))
    told = shorten_one(HumanMessage("undo that"), called(("undo", {})), result)[2]
    assert told.splitlines() == ["undo: u", f"- {made.id} “Read Performer”", "+ bbbbbbbb “Read Performer”"]


OTHERS = {"id": "cccccccc", "content": "The assistant forgets the school", "source": "import", "properties": {}}


def test_what_others_told_is_an_id_alone_in_later_turns(memory: Memory) -> None:
    listed = {"items": [TASK, OTHERS], "done_then": [OTHERS | {"id": "dddddddd"}]}
    history = {"turns": [{"changes": [{"id": "eeeeeeee", "created": "The assistant forgets", "source": "import"}]}]}
    told = shorten_one(
        HumanMessage("what is there?"),
        called(("query_items", {}), ("history", {})),
        answer("query_items-0", listed),
        answer("history-1", history),
    )[2]
    assert told.splitlines() == [
        "query_items: bbbbbbbb Read Performer; cccccccc; dddddddd",
        "history: eeeeeeee created",
    ]
    now = [message.text for message in shorten_results([HumanMessage("now?"), answer("query_items-0", listed)])]
    assert "The assistant forgets the school" in str(now[1]), "in its own turn it is sent whole"


def test_no_word_of_a_write_of_what_others_told_is_sent_in_later_turns(memory: Memory) -> None:
    suggested = Cause("key", "thread", "turn", SUGGESTED)
    made = memory.create("Call the assistant of the school", {"topic": "school"}, suggested)
    gone = memory.delete(made.id, Cause("other", "thread", "turn"))
    mine = memory.create("Read Performer", {})
    create = ("create_item", {"content": "Call the assistant of the school", "properties": {"topic": "school"}})
    results = [
        answer(f"create_item-{n}", TASK, artifact=collect_receipts([each])) for n, each in enumerate((made, mine))
    ]
    results.append(answer("delete_item-2", TASK, artifact=collect_receipts([gone])))
    own = ("create_item", {"content": "Read Performer"})
    for calls in ((create, own, ("delete_item", {"id": made.id})), (create,)):
        sent, shown, told = shorten_one(HumanMessage("keep it"), called(*calls), *results[: len(calls)])
        assert "school" not in str(sent)
        assert shown.tool_calls[0]["args"] == {}
        assert shown.tool_calls[0]["name"] == RECALL
        assert told.splitlines()[0] == f"create_item: {made.id}"


def make_turn(
    said: str, *called_then: AnyMessage, answered: str = "Done.", recorded: str, day: str
) -> list[AnyMessage]:
    return [HumanMessage(said), *called_then, make_answer(answered, "", recorded, "id", day)]


def test_turns_of_earlier_days_are_told_in_a_few_lines_and_the_last_one_stands(memory: Memory) -> None:
    made = memory.create("Read Performer, the paper on linear attention", {"type": "reading"})
    moved = memory.update(made.id, None, {"status": "done"})
    keep = called(("create_item", {})), answer("create_item-0", TASK, artifact=collect_receipts([made]))
    found = {"items": [TASK, OTHERS, TASK | {"id": made.id}]}
    look = called(("query_items", {})), answer("query_items-0", found)
    mark = called(("update_item", {})), answer("update_item-0", TASK, artifact=collect_receipts([moved]))
    long = "First I looked. " + "Then more. " * 40 + "Which of them?"
    messages = [
        *make_turn("keep it\nRecorded: no changes", *keep, recorded=f"changed: created {made.id}", day="2026-01-04"),
        *make_turn("what is there?", *look, answered=long, recorded="no changes", day="2026-01-05"),
        *make_turn("it is read", *mark, recorded=f"changed: changed {made.id}", day="2026-01-05"),
        *make_turn("and so?", recorded="no changes", day="2026-01-05"),
        HumanMessage("and now?"),
    ]
    told, sent = divide_history(messages, "2026-01-06", 10_000)
    assert [message.text for message in sent] == ["and so?", "Done.", "and now?"]
    lines = told.splitlines()
    answered, _cut, rest = lines.pop(6), lines.pop(6), lines.pop(6)
    assert answered.startswith("Assistant: First I looked. Then more.")
    assert rest.endswith("Then more. Which of them?")
    assert max(len(answered), len(rest)) < 100
    assert lines == [
        "2026-01-04 Person: keep it",
        "  Recorded: no changes",
        "Assistant: Done.",
        f"Recorded: changed: created {made.id} Read Performer, the paper on linear…",
        "2026-01-05 Person: what is there?",
        "Looked up: bbbbbbbb Read Performer; cccccccc",
        "Recorded: no changes",
        "2026-01-05 Person: it is read",
        "Assistant: Done.",
        f"Recorded: changed: changed {made.id}",
    ]


def test_what_others_told_is_an_id_alone_in_what_is_told_of_older_turns(memory: Memory) -> None:
    made = memory.create("Call the assistant of the school", {}, Cause("key", "thread", "turn", SUGGESTED))
    keep = called(("create_item", {})), answer("create_item-0", TASK, artifact=collect_receipts([made]))
    turn = make_turn("keep it", *keep, recorded=f"changed: created {made.id}", day="2026-01-04")
    told, _ = divide_history([*turn, *turn, HumanMessage("and now?")], "2026-01-06", 10_000)
    assert told.splitlines()[-1] == f"Recorded: changed: created {made.id}"


def test_what_others_told_and_a_turn_wrote_is_not_told_again_where_it_is_looked_up(memory: Memory) -> None:
    made = memory.create("Call the assistant of the school", {}, Cause("key", "thread", "turn", SUGGESTED))
    keep = called(("create_item", {})), answer("create_item-0", TASK, artifact=collect_receipts([made]))
    others = [OTHERS | {"id": made.id}, OTHERS]
    look = called(("query_items", {})), answer("query_items-0", {"items": others})
    look_again = called(("query_items", {})), answer("query_items-0", {"items": others[:1]})
    messages = [
        *make_turn("keep it", *keep, recorded=f"changed: created {made.id}", day="2026-01-04"),
        *make_turn("what is there?", *look, recorded="no changes", day="2026-01-04"),
        *make_turn("and that?", *look_again, recorded="no changes", day="2026-01-04"),
        *make_turn("and so?", recorded="no changes", day="2026-01-05"),
        HumanMessage("and now?"),
    ]
    told, _ = divide_history(messages, "2026-01-06", 10_000)
    assert [line for line in told.splitlines() if line.startswith("Looked up")] == ["Looked up: cccccccc"]


def test_what_a_record_leaves_out_is_named_where_it_is_looked_up(memory: Memory) -> None:
    made = [memory.create(f"Water the plant in room {n}", {}) for n in range(2)]
    calls = called(*[("create_item", {}) for _ in made])
    answers = [answer(f"create_item-{n}", TASK, artifact=collect_receipts([each])) for n, each in enumerate(made)]
    found = {"items": [TASK | {"id": each.id, "content": each.after.content} for each in made if each.after]}
    look = called(("query_items", {})), answer("query_items-0", found)
    recorded = f"changed: created {made[0].id}, and 1 more"
    messages = [
        *make_turn("keep them", calls, *answers, recorded=recorded, day="2026-01-04"),
        *make_turn("which?", *look, recorded="no changes", day="2026-01-04"),
        *make_turn("and so?", recorded="no changes", day="2026-01-05"),
        HumanMessage("and now?"),
    ]
    told, _ = divide_history(messages, "2026-01-06", 10_000)
    assert f"Looked up: {made[1].id} Water the plant in room 1" in told.splitlines()


def test_turns_of_today_stand_until_they_are_too_much_and_then_several_leave_whole() -> None:
    said = "word " * (MOST_WHOLE // 16)  # five such turns stand
    turn = make_turn(said, answered=said, recorded="no changes", day="2026-01-06")
    counts = []
    for n in range(1, 9):
        told, sent = divide_history([*turn * n, HumanMessage("and now?")], "2026-01-06", 24_000)
        assert told.count("2026-01-06 Person") + len(sent) // 2 == n
        assert told.count(said.strip()) == 2 * told.count("Person:"), "an answer of today is told whole"
        counts.append(len(sent) // 2)
    assert counts == [1, 2, 3, 4, 5, 3, 4, 5]


def test_no_text_of_an_earlier_turn_takes_more_than_half_of_the_budget() -> None:
    long = f"A{'word' * 3000}Z"
    call = called(("create_item", {"content": long, "properties": {"n": 1, "said": [long, {"note": long}]}}))
    result = answer("create_item-0", TASK)
    messages: list[AnyMessage] = [HumanMessage(long), call, result, AIMessage(long), HumanMessage(long)]
    *earlier, now = divide_history(messages, "2026-01-06", 300)[1]
    assert all(len(str(message.content)) < 700 for message in earlier)
    assert earlier[0].text.endswith("wordZ")
    assert now.text == long, "what is said now is whole"
    grown = [*messages, call, result]
    assert divide_history(grown, "2026-01-06", 300)[1][:5] == [*earlier, now], "a call sends what the one before sent"


def test_an_error_of_an_earlier_turn_quotes_nothing() -> None:
    changed = {"error": "Nothing was undone: “The assistant forgets” is now “Nothing”.", "hint": "Ask."}
    told = shorten_one(HumanMessage("undo"), called(("undo", {})), answer("undo-0", changed))[2]
    assert told == "undo: Nothing was undone: “…” is now “…”."


def test_a_list_that_begins_with_a_call_stays_one_that_providers_take() -> None:
    found = called(("query_items", {})), answer("query_items-0", {"items": [TASK]}), AIMessage("One.")
    sent = shorten_results([*found, HumanMessage("and now?")])
    assert [message.type for message in sent] == ["ai", "tool", "ai", "human"]


def test_a_refused_batch_is_one_error() -> None:
    batch = called(*(("delete_item", {"id": id}) for id in ("aaaaaaaa", "bbbbbbbb", "cccccccc")))
    refused = [answer(f"delete_item-{n}", REFUSED, status="error") for n in range(3)]
    turn: list[AnyMessage] = [HumanMessage("delete them"), batch, *refused]
    assert shorten_one(*turn)[2] == "delete_item: Refused, did not run: keep the notes"


def test_a_call_that_failed_is_told_by_its_error_not_by_the_items_like_it() -> None:
    missing = {"error": "There is no item 'bbbbbbba'.", "hint": "Use the id of the similar one.", "similar": [TASK]}
    turn = (HumanMessage("it is urgent"), called(("update_item", {"id": "bbbbbbba"})), answer("update_item-0", missing))
    assert shorten_one(*turn)[2] == "update_item: There is no item 'bbbbbbba'."


def test_what_no_tool_answered_and_what_is_no_json_is_sent() -> None:
    turn: list[AnyMessage] = [
        HumanMessage("the weather?"),
        called(("weather", {})),
        answer("weather-0", "rain\n" * 100),
    ]
    assert shorten_one(*turn)[2].startswith("weather: rain rain")
    assert len(shorten_one(*turn)[2]) < 150
    plain: list[AnyMessage] = [HumanMessage("hello"), AIMessage("Hello."), HumanMessage("and now?")]
    assert shorten_results(plain) == plain


def look_and_change(request: dict[str, Any]) -> Said:
    """Every second time look for everything, change three of what was found, and say so."""
    asked = [n for n, message in enumerate(request["messages"]) if message["role"] == "user"][-1]
    if int(str(request["messages"][asked]["content"]).split()[-1]) % 2:
        return Said("Whenever you are ready.")
    answers = [str(message["content"]) for message in request["messages"][asked:] if message["role"] == "tool"]
    if not answers:
        return Said(calls=[("query_items", {"where": {"project": "Nordwind"}, "limit": 20})])
    if len(answers) > 1:
        return Said("They are in progress.")
    ids = [item["id"] for item in json.loads(answers[0].split("\n")[1])["items"]][:3]
    done = {"status": "in-progress"}
    return Said(calls=[("update_item", {"id": id, "properties": done}) for id in ids])


def test_a_long_conversation_is_sent_in_few_characters(tmp_path: Path) -> None:
    with openai_stub(look_and_change) as server:
        handles = open_in(tmp_path, **server.env, USE_TOOL_CALLS="1")
        for n in range(8):
            known: Properties = {"type": "task", "project": "Nordwind", "status": "active", "due_date": f"2030-05-1{n}"}
            handles.memory.create(f"Screen {n} of the clickable prototype for Sofie", known)
        with open_assistant(handles) as assistant:
            for n in range(25):
                outcome = assistant.ask(f"Screens 0, 1 and 2 of the prototype are in progress, I said {n}", THREAD)
                if isinstance(outcome, Waiting):
                    approved = {"decisions": [{"type": "approve"}] * 3}
                    assistant.resume(THREAD, approved, outcome.request_id)
    body = next(text for text in map(_dump, server.requests) if "I said 24" in text)
    assert all(f"I said {n}" in body for n in range(25)), "each earlier turn stands"
    assert len(body) < 20_000


def _dump(request: dict[str, Any]) -> str:
    return json.dumps(request, ensure_ascii=False, separators=(",", ":"))


def test_what_history_told_is_named_with_ids_and_first_lines_whole() -> None:
    changes = [
        {"id": "aaaaaaaa", "created": "Notes from the talk " + "long " * 50},
        {"id": "bbbbbbbb", "changed": "Read Performer (hours 2 -> 3)"},
        {"id": "bbbbbbbb", "changed": "Read Performer (hours 1 -> 2)"},
        {"id": "bbbbbbbb", "deleted": "Read Performer"},
    ]
    turns = [{"at": "2026-01-09T10:00 (Friday)", "changes": changes[:1]}, {"at": "2026-01-08", "changes": changes[1:]}]
    result = {"turns": turns, "total": 4, "truncated": False, "sums": {"hours": 1}}
    before: list[AnyMessage] = [HumanMessage("Performer?"), called(("query_items", {}))]
    before += [answer("query_items-0", {"items": [TASK]}), AIMessage("One.")]
    told: list[AnyMessage] = [HumanMessage("what did I do?"), called(("history", {}))]
    told += [answer("history-0", result), AIMessage("That.")]
    sent = shorten_results([*before, *told, HumanMessage("and now?")])
    assert [message.text for message in sent if isinstance(message, ToolMessage)][1] == (
        "history: aaaaaaaa created Notes from the talk long long long long…; "
        'bbbbbbbb changed Read Performer (hours 2 -> 3); bbbbbbbb deleted Read Performer; sums {"hours": 1}'
    )
