"""What remains of turns that a thread no longer holds."""

import logging
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ana.errors import ModelFailed
from ana.handles import Handles
from ana.models.call import complete
from graph.state import Usage
from nodes.usage import used
from prompts import render

NONE = "(nothing)"

MOST_CHARACTERS = 24_000
"""Of what is dropped, at most this much is shown to the model, the newest part of it."""

LONGEST = 2_000
"""Characters of a summary; a model that writes more is cut."""

_log = logging.getLogger(__name__)


def summarised(handles: Handles, earlier: str, dropped: Sequence[AnyMessage], usage: Usage) -> tuple[str, Usage]:
    """The summary of what came before, with what is dropped now; as it was where no model can write one.

    Args:
        handles: For the model.
        earlier: The summary so far.
        dropped: The messages that leave the thread.
        usage: The turn's tokens so far.

    Returns:
        The summary, and the tokens with those it cost.
    """
    if not dropped or handles.settings.provider == "offline":
        return earlier, usage
    request = HumanMessage(render("summary", earlier=earlier or NONE, conversation=_told(dropped)[-MOST_CHARACTERS:]))
    try:
        reply = complete(handles.model, [request], lambda _: None)
    except ModelFailed as exc:
        _log.warning("the turns that were dropped could not be summarised: %s", exc.message)
        return earlier, usage
    return reply.text.strip()[:LONGEST] or earlier, used(usage, reply, [request])


def _told(messages: Sequence[AnyMessage]) -> str:
    """Who said what; results of tools are in the answers."""
    names = {HumanMessage: "Person", AIMessage: "Assistant"}
    told = ((names.get(type(message)), " ".join(message.text.split())) for message in messages)
    return "\n".join(f"{name}: {text}" for name, text in told if name and text)


def quoted(summary: str) -> str:
    """A summary as it stands in the prompt: marked line by line as something that was said."""
    return "\n".join(f"> {line}" for line in summary.splitlines() if line.strip()) or NONE
