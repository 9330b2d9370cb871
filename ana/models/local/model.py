"""The chat model of a GGUF file."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import ConfigDict

from ana.models.base import ModelWrapper, stream_chunks
from ana.models.local.server import LocalServer
from ana.network import wait_for

SEPARATORS = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""Between the parts of a structured reply, as the prompt's examples are written. With room for line breaks a weak model
indents its reply up to the limit."""
AGAINST_REPETITION = {"repeat_penalty": 1.1, "repeat_last_n": 64}
"""Or a weak model repeats a word or a key up to the limit. They are Ollama's defaults."""


class LocalModel(ModelWrapper):
    """A model whose server is started again if it has ended.

    Args:
        inner: The model, as it is reached over the server's protocol.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    server: LocalServer

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        wait_for(lambda: asyncio.to_thread(self.server.start))  # a large file takes minutes
        if "extra_body" in kwargs:
            kwargs["extra_body"] = hold_to_schema(kwargs["extra_body"])
        for chunk in stream_chunks(self.inner, messages, stop, **kwargs):
            yield ChatGenerationChunk(message=chunk)


def hold_to_schema(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return further fields of a request in which llguidance, and not llama.cpp's own grammar, holds the reply to its
    schema: only that one can be told what stands between the parts."""
    left = dict(body)
    asked = left.pop("response_format", None)
    if asked is None:
        return left
    schema = json.dumps({**asked["json_schema"]["schema"], "x-guidance": SEPARATORS})
    return left | AGAINST_REPETITION | {"grammar": f"%llguidance {{}}\nstart: %json {schema}"}
