"""The base of our own chat models: tools are bound in the OpenAI form, and streaming is the only method to write."""

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

PROMPT_DATA = "prompt_data"
"""Key in a system message's `additional_kwargs` for what its text was rendered from: {"now": ..., "lines": {...}}.

For models in this process, which need not read a prompt that is written for others. Chat providers are sent a system
message's text and role alone; a test holds that nothing of this key reaches one.
"""

NOT_UNDERSTOOD = "not_understood"
"""Key in a reply's `response_metadata` that is true where the model says that it did not understand the person."""


class StreamingModel(BaseChatModel):
    """A chat model that only has to say how it streams; it finds the tools it was bound to under `tools`."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, **kwargs))


def to_chunk(message: AIMessage) -> AIMessageChunk:
    """Return a message as a chunk of a stream; a model that does not stream sends a whole message as its only one."""
    return message if isinstance(message, AIMessageChunk) else AIMessageChunk(**message.model_dump(exclude={"type"}))
