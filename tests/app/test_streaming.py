"""What a client of the server is sent while a turn runs: one id for each model call, and nothing twice.

The dev server streams the same graph in the same way: it is asked where it has a way of its own, and once besides.
"""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph_sdk.client import SyncLangGraphClient

from nodes.receipt import add_receipt, strip_receipt
from tests.app.conftest import say
from tests.openai_stub import Said, Stub
from tests.servers import Serve, own_serving

HELLO = Said("Hello there you.")
MILK = Said("I will look.", calls=[("create_item", {"content": "Buy milk"}), ("now", {})])
SAVED = Said("See your list: buy milk.")
FALSE = Said("See `abcd2e4f`.")
ASKED = "I need milk"
MODES: Any = ["messages-tuple", "values", "custom"]


class Heard:
    """A turn as a client hears it.

    Args:
        parts: The parts of the stream, in order.
    """

    def __init__(self, parts: Iterator[Any]) -> None:
        self.parts = list(parts)
        assert not [part for part in self.parts if part.event == "error"]
        self.messages: list[dict[str, Any]] = [part.data[0] for part in self.parts if part.event == "messages"]
        self.custom: list[dict[str, Any]] = [part.data for part in self.parts if part.event == "custom"]
        (*_, last) = self.values()
        self.last = last

    def values(self) -> Iterator[list[tuple[str, str]]]:
        """Each list of messages that was sent, as number of the model call or rest of the id, and text."""
        for part in self.parts:
            if part.event == "values":
                yield [
                    (number(m), strip_receipt(m["content"]).strip())
                    for m in part.data["messages"]
                    if m["type"] != "human"
                ]

    def streamed(self) -> list[tuple[str, str]]:
        """The messages that the chunks add up to, in order."""
        whole: dict[str, str] = {}
        for message in self.messages:
            whole[number(message)] = whole.get(number(message), "") + message["content"]
        return [(id, strip_receipt(text).strip()) for id, text in whole.items()]


def number(message: dict[str, Any]) -> str:
    assert not message["id"].startswith("lc_run")
    return str(message["id"].partition("-")[2])


def hear(client: SyncLangGraphClient, stub: Stub, *script: Said, assistant: str = "ana", **more: Any) -> Heard:
    stub.script = list(script)
    thread = client.threads.create()["thread_id"]
    return Heard(client.runs.stream(thread, assistant, input=say(ASKED), stream_mode=MODES, **more))


@pytest.mark.own_server
@pytest.mark.database
def test_an_answer_comes_in_chunks_under_its_id_and_is_not_sent_again(client: SyncLangGraphClient, stub: Stub) -> None:
    heard = hear(client, stub, HELLO)
    assert {message["type"] for message in heard.messages} == {"AIMessageChunk"}
    assert [m["content"] for m in heard.messages if m["content"]] == ["Hello ", "there ", "you. "]
    assert [m.get("chunk_position") for m in heard.messages].count("last") == 1
    assert heard.streamed() == heard.last == [("1", "Hello there you.")]
    assert "".join(event["draft"] for event in heard.custom).strip() == "Hello there you."
    assert {event["id"] for event in heard.custom} == {heard.messages[0]["id"]}


@pytest.mark.database
def test_a_call_and_the_answer_have_an_id_each_and_the_receipt_comes_with_the_last_values(
    client: SyncLangGraphClient, stub: Stub
) -> None:
    figs = Said("I will look.", calls=[("create_item", {"content": "Buy figs"}), ("now", {})])  # of no other test here
    heard = hear(client, stub, figs, Said("See your list: buy figs."))
    told = [part.data for part in heard.parts if part.event == "values"]
    assert [len(values["messages"]) for values in told] == [1, 2, 4, 5], "as often as messages are written"
    assert {name for values in told for name in values} == {"messages"}
    last = told[-1]["messages"][-1]
    assert (number(last), last["content"]) == ("2", add_receipt("See your list: buy figs.", "- Stored: “Buy figs”"))
    ids = ["1", "1-0-result", "1-1-result", "2"]
    assert [id for id, _ in heard.streamed()] == [id for id, _ in heard.last] == ids
    assert (heard.streamed()[0][1], heard.streamed()[-1][1]) == ("I will look.", "See your list: buy figs.")
    called = [call["id"] for m in heard.messages for call in m.get("tool_call_chunks") or [] if call["id"]]
    answered = [message["tool_call_id"] for message in heard.messages if message["type"] == "tool"]
    assert [id.partition("-")[2] for id in called] == ["1-0", "1-1"]
    assert [event["id"] for event in heard.custom if "tool" in event] == called == answered
    assert [number({"id": event["erase"]}) for event in heard.custom if "erase" in event] == ["1"]


@pytest.mark.own_server
@pytest.mark.database
def test_a_withdrawn_draft_is_gone_from_the_values_before_the_next_one_comes(
    client: SyncLangGraphClient, stub: Stub
) -> None:
    heard = hear(client, stub, FALSE, HELLO)
    assert heard.streamed() == [("1", "See `abcd2e4f`."), ("2", "Hello there you.")]
    assert heard.last == [("2", "Hello there you.")]
    assert [number({"id": event["erase"]}) for event in heard.custom if "erase" in event] == ["1"]
    order = [number(p.data[0]) if p.event == "messages" else p.event for p in heard.parts if p.event != "custom"]
    assert "values" in order[order.index("1") : order.index("2")]


@pytest.mark.own_server
def test_an_answer_that_no_model_wrote_is_a_message_of_its_own(client: SyncLangGraphClient, stub: Stub) -> None:
    heard = hear(client, stub, FALSE)
    assert [id for id, _ in heard.streamed()] == ["1", "2", "3", "answer"]
    assert heard.last == [("answer", "I was going to name an entry that I cannot find.")]
    heard = hear(client, stub, Said("Well, this", finish="", usage=False))
    assert [id for id, _ in heard.streamed()] == ["1", "answer"]
    assert [id for id, _ in heard.last] == ["answer"]
    assert "erase" in heard.custom[-1]


@pytest.mark.own_server
@pytest.mark.database
def test_the_first_word_is_there_before_the_second_is_said(client: SyncLangGraphClient, stub: Stub) -> None:
    arrived, waited = threading.Event(), list[bool]()
    stub.script = [Said("Hello there you.", pause=lambda: waited.append(arrived.wait(20)))]
    for part in client.runs.stream(None, "ana", input=say(ASKED), stream_mode=["messages-tuple"]):
        if part.event == "messages" and part.data[0]["content"]:
            arrived.set()
    assert waited == [True]


@pytest.mark.own_server
def test_drafts_can_be_kept_back_until_they_are_checked(client: SyncLangGraphClient, stub: Stub) -> None:
    heard = hear(client, stub, FALSE, MILK, SAVED, context={"stream_drafts": False})
    assert {message["type"] for message in heard.messages} == {"ai", "tool"}
    assert heard.streamed() == heard.last
    assert [id for id, _ in heard.last] == ["2", "2-0-result", "2-1-result", "3"]
    assert [set(event) for event in heard.custom] == [{"tool", "args", "ok", "id"}] * 2


def read_updates(client: SyncLangGraphClient, stub: Stub, *script: Said, **more: Any) -> list[tuple[str, Any]]:
    """Return what `updates` tell of a turn: node and what is shown of it."""
    stub.script = list(script)
    thread = client.threads.create()["thread_id"]
    parts = client.runs.stream(thread, "ana", input=say(ASKED), stream_mode="updates", **more)
    return [pair for part in parts if part.event == "updates" for pair in part.data.items()]


@pytest.mark.own_server
def test_updates_tell_draft_correction_call_and_receipt_and_no_clocks(client: SyncLangGraphClient, stub: Stub) -> None:
    (_, begun), *steps = read_updates(client, stub, FALSE, MILK, SAVED)
    nodes = ["reason", "reflect", "reason", "execute_tools", "reason", "reflect"]
    assert [node for node, _ in steps] == nodes
    drafted, sent_back, called, ran, drafted_again, answered = (shown for _, shown in steps)
    assert drafted == {"draft": "See `abcd2e4f`."}
    assert sent_back["messages"] == []
    assert (sent_back["correction"]["policy"], sent_back["correction"]["draft"]) == ("citation", "See `abcd2e4f`.")
    assert "abcd2e4f" in sent_back["correction"]["reason"]
    assert [set(shown) for shown in (begun, called, ran)] == [{"turn_id"}, {"messages"}, {"messages"}]
    assert drafted_again == {"draft": "See your list: buy milk."}
    (message,) = answered["messages"]
    assert message["content"] == add_receipt("See your list: buy milk.", answered["receipt"])
    assert message["id"] == f"{begun['turn_id']}-3"
    assert message["usage_metadata"]["total_tokens"] == 110
    assert set(answered) == {"messages", "receipt"}


@pytest.mark.own_server
@pytest.mark.database
def test_updates_tell_what_is_asked(client: SyncLangGraphClient, stub: Stub) -> None:
    context = {"autonomy": "advise", "language": "de"}
    *_, (node, shown), (kind, waiting) = read_updates(client, stub, MILK, context=context)
    assert (node, kind) == ("execute_tools", "__interrupt__")
    assert shown["asked"] == waiting[0]["value"]


@pytest.mark.own_server
def test_updates_show_no_draft_that_is_kept_back(client: SyncLangGraphClient, stub: Stub) -> None:
    steps = read_updates(client, stub, FALSE, HELLO, context={"stream_drafts": False})
    assert not [shown for _, shown in steps if "draft" in shown or "draft" in shown.get("correction", {})]


@pytest.mark.own_server
def test_half_a_character_does_not_end_the_run(client: SyncLangGraphClient, stub: Stub) -> None:
    half = Said("Well \ud83d then", calls=[("create_item", {"content": "\ud83d milk"})])
    heard = hear(client, stub, half, Said("Saved \ud83d it."))
    assert [heard.last[0][1], heard.last[-1][1]] == ["Well ? then", "Saved ? it."]
    assert [event for event in heard.custom if "tool" in event] == [], "the call is refused"


@pytest.mark.own_server
@pytest.mark.parametrize(
    "thinking",
    [
        Said("<think>secret plan</think>Hello there you."),
        Said("Hello there you.", thoughts={"reasoning": "secret plan"}),
    ],
    ids=["tags", "a field"],
)
def test_no_client_is_sent_a_thought(client: SyncLangGraphClient, stub: Stub, thinking: Said) -> None:
    heard = hear(client, stub, thinking)
    assert heard.streamed() == heard.last == [("1", "Hello there you.")]
    assert "secret" not in str(heard.parts)
    assert "think" not in str(heard.parts)


@pytest.mark.own_server
def test_no_client_is_sent_a_call_as_text(client: SyncLangGraphClient, stub: Stub) -> None:
    written = Said('<tool_call>{"name": "create_item", "arguments": {"content": "Buy milk"}}</tool_call>')
    heard = hear(client, stub, written, SAVED)
    assert [id for id, _ in heard.last] == ["1", "1-0-result", "2"]
    assert not [message for message in heard.messages if "tool_call" in message["content"]]
    assert [event["args"] for event in heard.custom if "tool" in event] == [{"content": "Buy milk"}]


@pytest.mark.own_server
@pytest.mark.parametrize("shown", [["Hello ", "there ", "you. "], []], ids=["as it comes", "kept back"])
def test_events_show_each_word_once_or_none(client: SyncLangGraphClient, stub: Stub, shown: list[str]) -> None:
    stub.script = [HELLO]
    options: Any = {"context": {"stream_drafts": bool(shown)}, "stream_mode": "events"}
    parts: list[Any] = list(client.runs.stream(None, "ana", input=say(ASKED), **options))
    events = [part.data for part in parts if part.event == "events" and "chat_model" in part.data["event"]]
    words = [event["data"]["chunk"]["content"] for event in events if event["event"] == "on_chat_model_stream"]
    assert [word for word in words if word] == shown
    assert [event["event"] for event in events].count("on_chat_model_start") == 1


@pytest.mark.dev_server
def test_the_newer_protocol_takes_options_and_streams_words_under_the_same_ids(
    client: SyncLangGraphClient, stub: Stub
) -> None:
    stub.script = [MILK, SAVED]
    with client.threads.stream(assistant_id="ana") as thread:
        thread.run.start(input=say(ASKED), config={"configurable": {"model": "two"}})
        whole = [(number({"id": message.message_id}), "".join(message.text).strip()) for message in thread.messages]
        kept = [number(message) for message in thread.output["messages"] if message["type"] == "ai"]
    assert whole == [("1", "I will look."), ("2", "See your list: buy milk.")]
    assert kept == ["1", "2"]
    assert stub.requests[-1]["model"] == "two"


OPTIONS = {"model": "two", "temperature": 0.5, "max_steps": 3, "stream_drafts": False}


@pytest.mark.parametrize("how", ["run", "assistant", "configurable"])
def test_the_form_works_for_a_run_and_as_an_assistants_configuration(
    client: SyncLangGraphClient, serve: Serve, stub: Stub, how: str
) -> None:
    ways: dict[str, dict[str, Any]] = {
        "run": {},
        "assistant": {"context": OPTIONS},
        "configurable": {"config": {"configurable": OPTIONS}},
    }
    kept = ways[how]
    if serve is own_serving:  # it keeps no assistants, and takes both with a run
        assistant, given = "ana", kept or {"context": OPTIONS}
    else:
        assistant = client.assistants.create("ana", **kept)["assistant_id"] if kept else "ana"
        given = {} if kept else {"context": OPTIONS}
    before = len(stub.requests)
    heard = hear(client, stub, MILK, assistant=assistant, **given)
    assert "the limit of 3 steps" in heard.last[-1][1] or "only repeats itself" in heard.last[-1][1]
    assert {message["type"] for message in heard.messages} == {"ai", "tool"}
    sent = stub.requests[before:]
    assert [(request["model"], request["temperature"]) for request in sent] == [("two", 0.5)] * 3
    hear(client, stub, HELLO)
    assert (stub.requests[-1]["model"], stub.requests[-1]["temperature"]) == ("one", 0.0)
