"""Chat models around a model that takes no tool calls, or perhaps none: it is asked for JSON decisions, which are read
here.
"""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.messages.utils import merge_message_runs
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr

from ana.errors import ModelFailed
from ana.json_lines import Quoted
from ana.models.base import FROM_PROGRAM, RETRACTED, ModelWrapper, bind_options, stream_chunks
from ana.models.call import RAW, REFUSED, drop_retracted
from ana.models.complaints import read_complaint
from ana.models.faults import provider_errors
from ana.models.json_mode.reader import read_decision
from ana.models.json_mode.shapes import ParsedReply, refuse_example
from ana.models.tool_schema import Schema, Tools, describe_tools

MOST_REFUSED = 2
"""How many decisions in a row may be refused: the first, and the one that was to correct it."""

TOOLS = ("tools", "tool.choice", "tool (?:use|calling)", "support tool", "function.call(?:ing|s)?")
"""What servers call the parameter with the tools: OpenRouter, Ollama, vLLM, llama.cpp. What they call the calls in the
conversation is not among it."""

_log = logging.getLogger(__name__)


class JsonDecisions(ModelWrapper):
    """Lists the tools in the prompt, and reads one decision from each reply.

    The endpoint is asked to enforce the schema of a decision. Some endpoints refuse that parameter, which is then left
    out (`ana/models/parameters.py`), and some ignore it, so each reply is read leniently all the same.

    A reply that cannot be used comes back as an invalid tool call that says why, so the graph records it and lets the
    model correct it. The text is held back until it is known to be an answer: nobody is shown JSON while it streams.

    Args:
        instruct: Makes the instructions from the list of tools.
    """

    instruct: Callable[[str], str]

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=self._decide(messages, stop, **kwargs))

    def _decide(self, messages: list[BaseMessage], stop: list[str] | None, **kwargs: Any) -> AIMessageChunk:
        if count_refused(messages) >= MOST_REFUSED:
            raise ModelFailed(
                "The model's replies could not be used, even after it was told why.",
                "Say it in other words, or choose another model.",
            )
        schemas = kwargs.pop("tools", [])
        instructions = self.instruct(describe_tools(schemas))
        plain = to_plain_history(messages, instructions)
        # in the body and not as an option: langchain then asks through OpenAI's parser, which raises where a reply
        # is cut at the model's limit
        structured = kwargs | {"extra_body": {"response_format": build_response_format(schemas)}}
        reply = AIMessageChunk(content="") + drop_retracted([*stream_chunks(self.inner, plain, stop, **structured)])
        asked = (message for message in messages if isinstance(message, HumanMessage))
        said = (message.text for message in asked if not message.additional_kwargs.get(FROM_PROGRAM))
        return to_message(refuse_example(read_decision(reply.text, Tools(schemas)), instructions, said), reply)


class ToolCallFallback(ModelWrapper):
    """Starts with native calls; once they are refused, it asks for JSON decisions from then on.

    Args:
        json_decisions: The same model, asked for decisions.
    """

    json_decisions: JsonDecisions
    _refusing: set[str | None] = PrivateAttr(default_factory=set)
    """The models that refuse tools, by name; None is the endpoint's own."""

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        options = {key: value for key, value in kwargs.items() if key != "tools"}
        native = bind_options(self.inner, kwargs.get("tools", ()), **options)
        model, has_begun = kwargs.get("model"), False
        if model not in self._refusing:
            try:
                for chunk in stream_chunks(self.inner, messages, stop, **native):
                    has_begun = True
                    yield ChatGenerationChunk(message=chunk)
                return
            except provider_errors() as exc:
                # text that was already sent cannot be taken back, so what was begun is not begun again
                if has_begun or not read_complaint(exc).refuses(*TOOLS):
                    raise
                self._refusing.add(model)
                _log.warning("the endpoint does not take tools (%s); asking for JSON decisions from now on", exc)
        for chunk in stream_chunks(self.json_decisions, messages, stop, **kwargs):
            yield ChatGenerationChunk(message=chunk)


def count_refused(messages: Sequence[BaseMessage]) -> int:
    """Count the last consecutive replies that contained only refused calls."""
    count = 0
    for message in reversed(messages):  # a person's message ends the row
        if isinstance(message, AIMessage):
            if not message.invalid_tool_calls or message.tool_calls:
                break
            count += 1
        elif message.type != "tool":
            break
    return count


def to_message(decision: ParsedReply, reply: AIMessageChunk) -> AIMessageChunk:
    """Return a decision in the form that a model with native tool calls would have sent."""
    metadata = {name: value for name, value in reply.response_metadata.items() if name != RETRACTED}
    calls = []
    if decision.error and reply.text.strip():  # an empty reply is left empty: the graph has its own answer to that
        _log.info("a decision was refused: %s", Quoted(decision.error))
        metadata[REFUSED] = decision.error
        calls = [tool_call_chunk(name="", args=reply.text[:RAW], id="call-0", index=0)]
    elif decision.tool:
        calls = [tool_call_chunk(name=decision.tool, args=json.dumps(decision.args), id="call-0", index=0)]
    return AIMessageChunk(
        content=decision.answer or "",
        additional_kwargs=reply.additional_kwargs,
        tool_call_chunks=calls,
        usage_metadata=reply.usage_metadata,
        response_metadata=metadata,
    )


def build_response_format(tools: Sequence[Schema]) -> dict[str, Any]:
    """Return the `response_format` for a request whose answer should be one decision."""
    # not strict: OpenAI then refuses properties of any name, and items have such
    schema = {"name": "decision", "schema": _describe_decision(tools), "strict": False}
    return {"type": "json_schema", "json_schema": schema}


def _describe_decision(tools: Sequence[Schema]) -> dict[str, Any]:
    choices = []
    for name, parameters in Tools(tools).schemas.items():
        args = {"type": "object", "properties": {}, **parameters, "additionalProperties": False}
        choices.append(_describe_object(tool=_describe_object(name={"const": name}, args=args)))
    choices.append(_describe_object(final=_describe_object(answer={"type": "string"})))
    return {"type": "object", "anyOf": choices}  # OpenAI asks for an object at the top


def _describe_object(**properties: Any) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def to_plain_history(messages: Sequence[BaseMessage], instructions: str) -> list[BaseMessage]:
    """Return the same conversation in system, user and assistant messages; user and assistant alternate.

    Each call becomes a decision of its own, followed by its result, as the model itself would have made them.

    Args:
        messages: Every call answered right after its message.
        instructions: How to decide; they begin the system message.
    """
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    plain = [each for message in messages for each in _rewrite(message, answers)]
    system = plain.pop(0).text if plain and isinstance(plain[0], SystemMessage) else ""
    # many chat templates refuse two messages of one side in a row
    history = merge_message_runs(plain, chunk_separator="\n\n")
    # the system prompt ends with what changes from turn to turn, and a cache holds a prompt only up to there
    return [SystemMessage(f"{instructions}\n{system}".strip()), *history]


def _rewrite(message: BaseMessage, answers: dict[str, ToolMessage]) -> Iterator[BaseMessage]:
    if isinstance(message, ToolMessage):
        return
    if not isinstance(message, AIMessage):
        yield message
        return
    for call in message.tool_calls:
        yield AIMessage(json.dumps({"tool": {"name": call["name"], "args": call["args"]}}, ensure_ascii=False))
        yield _rewrite_answer(answers.get(str(call["id"])))
    for broken in message.invalid_tool_calls:  # shown as it was sent, so that the reason makes sense
        yield AIMessage(broken["args"] or "{}")
        yield _rewrite_answer(answers.get(str(broken["id"])))
    if not (message.tool_calls or message.invalid_tool_calls):
        yield AIMessage(json.dumps({"final": {"answer": message.text}}, ensure_ascii=False))


def _rewrite_answer(answer: ToolMessage | None) -> HumanMessage:
    if answer is None:
        return HumanMessage("[no result] The call was interrupted.")
    label = f"result of {answer.name}" if answer.status == "success" else "refused"
    return HumanMessage(f"[{label}] {answer.text}")
