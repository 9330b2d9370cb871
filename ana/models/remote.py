"""The chat model behind a network."""

from collections.abc import Iterator
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk

from ana.models.base import ModelWrapper
from ana.network import iterate


class RemoteModel(ModelWrapper):
    """A model whose call ends with the run that it belongs to, wherever it is, and closes its connection.

    Args:
        inner: The model, as its library reaches it.
    """

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        return iterate(self.inner._astream(messages, stop, **kwargs))
