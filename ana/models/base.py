"""The base of ana's chat models: tools are bound in the OpenAI format, and a subclass only writes streaming."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.base import LangSmithParams
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable, RunnableBinding
from langchain_core.utils.function_calling import convert_to_openai_tool

PROMPT_DATA = "prompt_data"
"""Key in a system message's `additional_kwargs` for what a turn has read: {"now", "vocabulary", "lines"}.

For models in this process, which do not need to parse the prompt. Chat providers only get a system
message's text and role; a test checks that this key never reaches one.
"""

TYPED = "typed"
"""Key in a user message's `additional_kwargs` for the person's typed part; for the same models."""

FROM_PROGRAM = "from_program"
"""Key in a user message's `additional_kwargs` for a message by the program instead of the person: a draft that was sent
back. For the same models; others know it by its mark."""

NOT_UNDERSTOOD = "not_understood"
"""Key in a reply's `response_metadata`: true if the model says that it failed or did not understand."""

COMPOSED = "composed"
"""Key in a reply's `response_metadata`: true if rules made the reply from the results of its calls."""

REASONING = "reasoning"
"""Key in a reply's `additional_kwargs` for the model's thoughts, which are stored with the decision but never shown."""

REFUSAL = "refusal"
"""Key in a reply's `additional_kwargs` for the reason of a refusal, if the provider reports it separately."""

RETRACTED = "retracted"
"""Key in the `response_metadata` of a chunk: all earlier chunks of the reply were a thought."""

MARKS = (NOT_UNDERSTOOD, COMPOSED)
"""Metadata of a reply to store with the decision."""


class StreamingModel(BaseChatModel):
    """A chat model that only implements streaming; its bound tools are in `tools`."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        named = LangSmithParams(ls_provider=self._llm_type, ls_model_name=self._llm_type)
        return cast(LangSmithParams, {**super()._get_ls_params(stop, **kwargs), **named})

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, **kwargs))


class ModelWrapper(StreamingModel):
    """A chat model around another. A call is one run in traces and event streams, reported as the inner model's."""

    inner: BaseChatModel

    @property
    def _llm_type(self) -> str:
        return self.inner._llm_type

    @property
    def _serialized(self) -> dict[str, Any]:
        return self.inner._serialized

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        # its own metadata tells the provider, which the class alone does not: several speak OpenAI's protocol
        return cast(LangSmithParams, {**self.inner._get_ls_params(stop, **kwargs), **(self.inner.metadata or {})})

    def _get_invocation_params(self, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        return self.inner._get_invocation_params(stop, **kwargs)


def stream_chunks(
    model: BaseChatModel, messages: list[BaseMessage], stop: list[str] | None, /, **options: Any
) -> Iterator[AIMessageChunk]:
    """Yield a model's chunks for its wrapper; `model.stream` would be a second run of the same call."""
    if type(model)._stream is BaseChatModel._stream:
        yield to_chunk(model._generate(messages, stop, **options).generations[0].message)
        return
    for chunk in model._stream(messages, stop, **options):
        message = to_chunk(chunk.message)
        message.response_metadata = {**(chunk.generation_info or {}), **message.response_metadata}
        yield message


def bind_options(model: BaseChatModel, tools: Sequence[Any], /, **options: Any) -> dict[str, Any]:
    """Return the options of a call with these tools in the model's own format."""
    if not tools:  # providers refuse an empty list
        return options
    bound = model.bind_tools(tools, **options)
    assert isinstance(bound, RunnableBinding)
    return dict(bound.kwargs)


def to_chunk(message: BaseMessage) -> AIMessageChunk:
    """Return a message as a chunk; a model that does not stream sends the whole message as its only chunk."""
    return message if isinstance(message, AIMessageChunk) else AIMessageChunk(**message.model_dump(exclude={"type"}))
