"""Whatever ids a provider sends, a reply and its calls have ours, in every chunk."""

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk

from ana.models.base import StreamingModel
from ana.models.call import IdentifiedModel, complete

Part = tuple[int | None, str | None, str | None, str]
"""A part of a call as a provider sends it: its index, its id, the name, arguments."""


class Parts(StreamingModel):
    """Sends the parts of calls, each in a chunk with an id of its own.

    Args:
        parts: The parts.
    """

    parts: list[Any]

    @property
    def _llm_type(self) -> str:
        return "parts"

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        for number, (index, id, name, args) in enumerate(self.parts):
            part = tool_call_chunk(name=name, args=args, id=id, index=index)
            yield ChatGenerationChunk(message=AIMessageChunk(content="", id=f"chunk-{number}", tool_call_chunks=[part]))


NOW, SUM = ("now", "{}"), ("calculator", '{"x": 1}')
WAYS: dict[str, list[Part]] = {
    "OpenAI": [(0, "a", "now", ""), (0, None, None, "{}"), (1, "b", "calculator", ""), (1, None, None, '{"x": 1}')],
    "one id for all": [(0, "a", "now", ""), (0, None, None, "{}"), (1, "a", *SUM)],
    "the id each time": [(0, "a", *NOW), (1, "b", "calculator", '{"x"'), (1, "b", None, ": 1}")],
    "the id at last": [(0, None, "now", "{"), (0, "a", None, "}"), (1, "b", *SUM)],
    "no ids": [(0, None, "now", "{"), (0, "", None, "}"), (1, "", *SUM)],
    "one index for all": [(0, "a", *NOW), (0, "b", "calculator", '{"x"'), (0, "b", None, ": 1}")],
    "no index": [(None, None, *NOW), (None, None, *SUM)],
    "in alternation": [(0, "a", "now", "{"), (1, "b", *SUM), (0, None, None, "}")],
}


@pytest.mark.parametrize("way", WAYS)
def test_calls_are_told_apart_and_numbered(way: str) -> None:
    chunks: list[AIMessageChunk] = []
    model = IdentifiedModel(inner=Parts(parts=WAYS[way]), id="t-1", receive=chunks.append, streaming=True)
    sent = list(model.stream([HumanMessage("hello")]))
    assert {chunk.id for chunk in sent} == {"t-1"}
    assert {part["id"] for chunk in sent for part in chunk.tool_call_chunks} - {None} == {"t-1-0", "t-1-1"}
    reply = complete(Parts(parts=WAYS[way]), [HumanMessage("hello")], "t-1")
    assert reply.id == "t-1"
    assert [(call["id"], call["name"], call["args"]) for call in reply.tool_calls] == [
        ("t-1-0", "now", {}),
        ("t-1-1", "calculator", {"x": 1}),
    ]


def test_a_call_that_cannot_be_read_keeps_its_place() -> None:
    parts: list[Part] = [(0, "a", "now", "{"), (1, "b", "calculator", '{"x": 1}')]
    reply = complete(Parts(parts=parts), [HumanMessage("hello")], "t-1")
    assert [call["id"] for call in reply.invalid_tool_calls] == ["t-1-0"]
    assert [call["id"] for call in reply.tool_calls] == ["t-1-1"]
