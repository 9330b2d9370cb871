"""What a turn can be run again from."""

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from graph.recording import digest_messages


def test_a_conversation_has_the_fingerprint_that_earlier_records_hold() -> None:
    call = {"name": "get_item", "args": {"id": "a", "n": 1}, "id": "c1"}
    said: list[AnyMessage] = [
        HumanMessage("1"),
        AIMessage("", tool_calls=[call]),
        ToolMessage('{"found":  1, "é": [true]}', name="get_item", tool_call_id="c1"),
        ToolMessage("1", name="get_item", tool_call_id="c2", status="error"),
        AIMessage("1"),
        HumanMessage([{"type": "text", "text": "two"}]),
    ]
    digests = [digest_messages(part) for part in (said, [], said[:1], said[4:5])]
    assert digests == ["5c145bae456bffde", "4f53cda18c2baa0c", "73f0831882be460a", "69f3ac7d6feb96b0"]
