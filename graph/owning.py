"""The graph as a server runs it: every run owns its thread.

Of each step a client sees the draft, the correction, the request and the receipt, but no clocks and no digests.
langgraph reports the same channels for a step (`updates`) and for the state (`values`). So the graph asks langgraph for
the channels of the steps, and shows the state without them, whenever the messages are written.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.errors import EmptyInputError
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from ana.errors import UserError
from ana.threads.ids import name_run
from ana.threads.runs import Run, find_run
from ana.translation import speaking
from graph.context import THREAD_FIELDS, Context
from graph.replies import bind_message, bind_reply
from graph.state import Output, merge_messages
from graph.updates import check_config, check_input
from nodes.autonomy.wording import word_request
from nodes.turns import build_input

PATIENCE = 600.0
"""Seconds that a run waits for its thread: several turns at the REPL may come before it."""

STEPS = ("messages", "turn", "draft")
"""The channels in which the steps are."""

ASKS = "__interrupt__"
"""Under which langgraph adds to the state what a person is asked."""

OUTPUT_KEYS = {*Output.__annotations__, ASKS}


class OwningGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """The graph of a run: it waits for its thread before it reads the checkpoint.

    It waits here and not before, because a server cancels a run only while it reads the stream.
    """

    async def astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        run, (inputs, *more) = find_run(), args
        assert run is not None
        config: RunnableConfig = more[0] if more else kwargs["config"]
        # here, because not every server has looked at them before
        check_input(inputs)
        check_config(config, run.thread)
        await run.acquire(PATIENCE)
        if not run.is_persistent:
            kwargs.pop("durability", None)  # langgraph waits for a checkpoint that nobody saves
        strip_thread_fields(config)
        begun = await self._has_begun(inputs, config, run)
        if begun:
            config["configurable"].pop("checkpoint_id", None)
            bound: Any = build_input(await self.aget_state(config))
        else:
            bound = await self._bind(inputs, config, run)
        stream = cast("AsyncGenerator[Any]", super().astream(bound, *more, **kwargs | {"output_keys": STEPS}))
        try:
            drafts = _shows_drafts(kwargs.get("context"), config)
            async with aclosing(stream), aclosing(show_steps(stream, drafts=drafts)) as parts:
                async for part in parts:
                    yield part
        except EmptyInputError as exc:
            raise UserError("There is nothing to answer: the thread is empty.", "Send a user message.") from exc
        finally:
            run.stop()  # a node whose task was cancelled works on in its thread

    async def _has_begun(self, inputs: Any, config: RunnableConfig, run: Run) -> bool:
        """Return whether an earlier attempt at the run has left a state from which it can go on, even if another door
        has taken the thread over since.
        """
        if not run.goes_on:
            return False
        if not run.is_persistent:
            raise UserError("The run was cut short, and nothing of it is kept.", "Send it again.")
        state = await self.aget_state(_newest(config))
        id = str(config["configurable"]["run_id"])
        if state.metadata is not None and str(state.metadata.get("run_id")) == id:
            return True
        new = merge_messages([], inputs["messages"]) if isinstance(inputs, dict) and inputs.get("messages") else []
        known = {message.id for message in state.values.get("messages", [])}
        return any(message.id in known and name_run(run.thread, str(message.id)) == id for message in new[-1:])

    async def _bind(self, inputs: Any, config: RunnableConfig, run: Run) -> Any:
        if isinstance(inputs, Command) and inputs.resume is not None:
            state = await self.aget_state(config)
            origin = config["configurable"].get("checkpoint_id") or (state.metadata or {}).get("run_id")
            return bind_reply(inputs, {each.id for each in state.interrupts}, is_visible=bool(origin))
        if isinstance(inputs, dict) and inputs.get("messages") and run.is_persistent:
            return bind_message(inputs, await self.aget_state(_newest(config)), config)
        return inputs


def _newest(config: RunnableConfig) -> RunnableConfig:
    return {**config, "configurable": {k: v for k, v in config["configurable"].items() if k != "checkpoint_id"}}


def strip_thread_fields(config: RunnableConfig | None) -> None:
    """Remove the fields of the server's thread from a run's metadata: every trace would contain them, even if LangSmith
    must not see inputs.
    """
    if config and config.get("metadata"):
        config["metadata"] = {name: value for name, value in config["metadata"].items() if name not in THREAD_FIELDS}


def _shows_drafts(context: Any, config: RunnableConfig) -> bool:
    if isinstance(context, Context):
        return context.stream_drafts
    options = context if isinstance(context, dict) else config["configurable"]
    return bool(options.get("stream_drafts", True))


async def show_steps(parts: AsyncIterator[Any], *, drafts: bool) -> AsyncGenerator[Any]:
    """Yield the stream of a run that reports STEPS, in the form that a client expects.

    Args:
        parts: (mode, data), with the names of subgraphs before it or without, or {type, data, ...}.
        drafts: Whether unchecked drafts may be shown.
    """
    last: Any = None
    async for part in parts:
        *where, mode, data = (part["type"], part["data"]) if isinstance(part, dict) else part
        if mode == "values":
            messages, asks = data.get("messages"), ASKS in data or (isinstance(part, dict) and part["interrupts"])
            if messages is last and not asks:  # the very same list: this step wrote none
                continue
            last, data = messages, {name: value for name, value in data.items() if name in OUTPUT_KEYS}
        elif mode == "updates":
            data = {node: _describe(node, update, drafts) for node, update in data.items()}
        yield part | {"data": data} if isinstance(part, dict) else (*where, mode, data)


def _describe(node: str, update: Any, drafts: bool) -> Any:
    if not isinstance(update, Mapping):
        return update
    turn = update.get("turn") or {}
    fields = {"messages": update["messages"]} if "messages" in update else {}
    if drafts and update.get("draft"):
        fields["draft"] = update["draft"]
    if node == "load_context":
        fields["turn_id"] = turn.get("id")
    if request := turn.get("asked"):
        with speaking(request.get("language", "en")):
            fields["asked"] = word_request(request)
    if node == "reflect" and turn.get("answer") is not None:
        fields["receipt"] = turn.get("receipt", "")
    elif node == "reflect" and turn.get("corrections"):
        names = ("policy", "reason", "draft") if drafts else ("policy", "reason")
        fields["correction"] = {name: turn["corrections"][-1][name] for name in names}
    return fields | ({"error": turn["error"]} if turn.get("error") else {})
