"""Another assistant, which has its own conversation with the person and reaches the store over MCP."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from ana.errors import ToolError
from ana.handles import Handles
from ana.models.fence import fence
from app.mcp.resources import read_context
from app.mcp.session import Session
from tools.catalog import schemas

MOST_ROUNDS = 5
"""Replies of a model to one message."""


class Client:
    """Reads Global Context at its beginning, and shows its model every result; its person approves nothing.

    Args:
        handles: The store.
    """

    def __init__(self, handles: Handles) -> None:
        self._session = Session(handles, "gullible", "gullible")
        self._messages: list[BaseMessage] = [HumanMessage(fence(read_context(self._session), None), id="context")]
        self.requests: list[str] = []
        """The tools of the calls that asked."""

    def ask(self, model: BaseChatModel, message: str) -> None:
        """Let a model answer a message of its person."""
        self._messages.append(HumanMessage(message))
        for _ in range(MOST_ROUNDS):
            reply = model.bind_tools(schemas()).invoke(self._messages)
            assert isinstance(reply, AIMessage)
            self._messages.append(reply)
            if not reply.tool_calls:
                return
            self._messages += [self._answer(call) for call in reply.tool_calls]

    def _answer(self, call: Any) -> ToolMessage:
        try:
            outcome = self._session.call(call["name"], call["args"])
        except ToolError as exc:
            return ToolMessage(exc.sentence(), tool_call_id=call["id"], name=call["name"], status="error")
        if not isinstance(outcome, ToolMessage):
            self.requests.append(call["name"])
            return ToolMessage("It waits for the person.", tool_call_id=call["id"], name=call["name"])
        return ToolMessage(fence(outcome.text, None), tool_call_id=call["id"], name=call["name"])
