"""The chat model of a GGUF file."""

from collections.abc import Iterator
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import ConfigDict

from ana.models.base import ModelWrapper, stream_chunks
from ana.models.local.server import LocalServer


class LocalModel(ModelWrapper):
    """A model whose server is started again if it has ended.

    Args:
        inner: The model, as it is reached over the server's protocol.
        server: The server.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    server: LocalServer

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        self.server.start()
        for chunk in stream_chunks(self.inner, messages, stop, **kwargs):
            yield ChatGenerationChunk(message=chunk)
