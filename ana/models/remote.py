"""A model behind a network. Its replies are cleaned of thoughts, and calls written as text become calls."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr

from ana.errors import ModelFailed
from ana.models.base import REASONING, REFUSAL, RETRACTED, ModelWrapper, to_chunk
from ana.models.thoughts import Part, Thoughts
from ana.models.tool_schema import Schema, Tools
from ana.models.written_calls import HEAD, may_be_calls, read_calls
from ana.network import iterate
from ana.output import shorten
from ana.translation import _

LONGEST = 300
"""Most characters of a refusal to show."""


class RemoteModel(ModelWrapper):
    """A model behind a network. A call ends when its run ends, and closes its connection."""

    _thinks_first: set[str | None] = PrivateAttr(default_factory=set)
    """Names of models whose replies begin inside a thought; None: the endpoint's default. Known from the first
    such reply, part of which may have been shown."""

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        name = kwargs.get("model")
        reader = ReplyReader(kwargs.get("tools") or (), thinks_first=name in self._thinks_first)
        chunk, is_cut = None, False
        for chunk in iterate(self.inner._astream(messages, stop, **kwargs)):
            info = chunk.generation_info or {}
            is_cut = is_cut or info.get("finish_reason") == "length"
            yield ChatGenerationChunk(message=reader.read(to_chunk(chunk.message)), generation_info=info)
            if reader.thinks_first:
                self._thinks_first.add(name)
        if chunk is not None:  # who asked says that nothing was sent
            yield ChatGenerationChunk(message=reader.finish(is_cut=is_cut))


class ReplyReader:
    """Reads a reply as it comes, and passes on text that is certainly part of the answer.

    Args:
        tools: The offered tools, in the OpenAI format.
        thinks_first: Whether the reply is known to begin inside a thought; becomes true once that is seen.
    """

    def __init__(self, tools: Sequence[Schema], *, thinks_first: bool) -> None:
        self.thinks_first = thinks_first
        self._tools = Tools(tools)
        self._thoughts = Thoughts()
        self._refusal = ""
        self._pending: list[str] = []
        """Text that was not yet passed on."""
        self._passed: list[str] = []
        """Text that was passed on."""
        self._has_calls = False
        """Whether the server parsed calls itself."""
        self._waits_for_end = thinks_first
        """Whether all text so far may still be a thought."""
        self._head: str | None = "" if tools else None
        """The beginning of the text while it may be calls; None if it is not."""

    def read(self, chunk: AIMessageChunk) -> AIMessageChunk:
        """Return the part of a chunk that may be passed on."""
        more = dict(chunk.additional_kwargs)
        self._refusal += more.pop(REFUSAL, "")
        if chunk.tool_call_chunks:
            self._head, self._has_calls = None, True
        part = self._thoughts.feed(chunk.text)
        metadata = dict(chunk.response_metadata)
        if part.withdraws:
            part.thought[:0] = [*self._passed, *self._pending]
            if self._passed:
                metadata[RETRACTED] = True
            self._begin_again()
        thought = "".join([more.pop(REASONING, ""), *part.thought])
        if thought:
            more[REASONING] = thought
        fields = {"content": self._pass_on(part), "additional_kwargs": more, "response_metadata": metadata}
        return chunk.model_copy(update=fields)

    def finish(self, *, is_cut: bool) -> AIMessageChunk:
        """Return the remaining text at the end of the reply.

        Args:
            is_cut: Whether it was cut at the model's limit; then text inside an open thought was a thought.

        Raises:
            ModelFailed: The model refused.
        """
        if self._refusal.strip():
            reason = shorten(self._refusal, LONGEST).rstrip(".")
            says = _("The model refused to answer: “{reason}”.").format(reason=reason)
            raise ModelFailed(says, _("Say it in other words."))
        part = self._thoughts.finish()
        text = "".join([*self._pending, *part.said])
        if self._waits_for_end and is_cut:
            part.thought.insert(0, text)
            text = ""
        calls = read_calls(text, self._tools) if self._head is not None else []
        thought = "".join(part.thought)
        return AIMessageChunk(
            content="" if calls else text,
            additional_kwargs={REASONING: thought} if thought else {},
            tool_call_chunks=[
                tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=f"written-{n}", index=n)
                for n, call in enumerate(calls)
            ],
        )

    def _begin_again(self) -> None:
        """Drop the text so far, because it was a thought."""
        self.thinks_first, self._waits_for_end = True, False
        self._pending, self._passed = [], []
        self._head = "" if self._tools.schemas and not self._has_calls else None

    def _pass_on(self, part: Part) -> str:
        self._pending += part.said
        if self._waits_for_end or self._may_be_calls(part):
            return ""
        pieces, self._pending = self._pending, []
        self._passed += pieces
        return "".join(pieces)

    def _may_be_calls(self, part: Part) -> bool:
        if self._head is not None and len(self._head) < HEAD:
            self._head += "".join(part.said)
            if not may_be_calls(self._head):
                self._head = None
        return self._head is not None
