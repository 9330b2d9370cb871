"""The client for OpenAI's protocol, which several providers use."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, Self

import langchain_openai
import openai
from langchain_core.outputs import ChatGenerationChunk
from pydantic import model_validator

from ana.models.base import REASONING, REFUSAL
from ana.models.complaints import read_complaint
from ana.models.parameters import RefusedParameters, find_refused, leave_out
from ana.notes import TextPlace
from ana.values import read_object

THOUGHTS = ("reasoning_content", "reasoning")
"""Fields in which servers send a model's thoughts."""


class ChatOpenAI(langchain_openai.ChatOpenAI):
    """The library's class, with the same name in traces, but messages and tools are sent as langchain built them.

    openai would check each of them again by all types of messages, which takes a tenth of a turn's time.
    """

    @model_validator(mode="after")
    def _take_any_form(self) -> Self:
        self.async_client = _Client(self.async_client, RefusedParameters(str(self.openai_api_base)))
        return self

    def keep_refused(self, note: TextPlace) -> None:
        """Store refused parameters in a note, and omit those already in it."""
        self.async_client.refused = RefusedParameters(str(self.openai_api_base), note)

    def _get_request_payload(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        payload = super()._get_request_payload(*args, **kwargs)
        written = {name: payload[name] for name in ("messages", "tools") if name in payload}
        unread = {name: value for name, value in payload.items() if name != "tools"} | {"messages": []}
        return unread | {"extra_body": {**(payload.get("extra_body") or {}), **written}}

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        """Return a chunk with parts that the library drops: thoughts, a refusal, calls in other formats."""
        deltas = [choice["delta"] for choice in (chunk.get("choices") or ())[:1] if choice.get("delta")]
        for delta in deltas:
            _complete_calls(delta)
        piece = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        if piece:
            for delta in deltas:
                piece.message.additional_kwargs |= dict(_read_beside(delta))
        return piece


class _Client:
    """openai's client, called without refused parameters. Chunks are passed on unchanged; for unexpected types,
    such as arguments that are an object, openai would warn the person."""

    def __init__(self, client: Any, refused: RefusedParameters) -> None:
        self._client = client
        self.refused = refused

    @asynccontextmanager
    async def _read(self, stream: Any) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        async with stream as pieces:
            yield (piece.model_dump(warnings=False) async for piece in pieces)

    async def create(self, **payload: Any) -> Any:
        """Return the reply to a request, as it comes; each parameter that is refused is left out of another try."""
        fitting, dropped = self.refused.fit(payload), list[str]()
        while True:
            try:
                stream = await self._client.create(**fitting)
                break
            except openai.APIStatusError as exc:
                name = find_refused(read_complaint(exc), fitting)
                if name is None:
                    raise
                fitting = leave_out(fitting, name)
                dropped.append(name)
        await _require_stream(stream.response)
        if dropped:  # only what helped
            self.refused.keep(payload, dropped)
        return self._read(stream)


async def _require_stream(response: Any) -> None:
    """Raise openai's error if a server answered with status 200, but with a web page or a single object."""
    kind = response.headers.get("content-type", "")
    if "html" not in kind and "json" not in kind:
        return
    body = await response.aread()
    error = None if "html" in kind else read_object(body.decode(errors="replace"))
    raise openai.APIStatusError("this is no stream", response=response, body=error)


def _complete_calls(delta: dict[str, Any]) -> None:
    """Give calls an index, without which the library drops them, and turn arguments that are an object into JSON."""
    for call in delta.get("tool_calls") or ():
        call.setdefault("index", None)
        function = call.get("function") or {}
        if isinstance(function.get("arguments"), dict):
            function["arguments"] = json.dumps(function["arguments"])


def _read_beside(delta: dict[str, Any]) -> Iterator[tuple[str, str]]:
    thoughts = (delta.get(name) for name in THOUGHTS)
    if thought := next((each for each in thoughts if isinstance(each, str) and each), ""):
        yield REASONING, thought
    if isinstance(refusal := delta.get(REFUSAL), str) and refusal:
        yield REFUSAL, refusal
