"""The doors at which a person decides on what waits: each shows it, and takes a reply in its own form."""

import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.types import Command
from mcp_types import ElicitResult

import ana.handles
import app.cli.approve
from ana.errors import NotWaiting, WrongReply
from ana.handles import Handles
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings
from ana.workspace import open_workspace
from app.messages import UserMessage
from app.outcome import Waiting
from app.repl.repl import Repl
from app.turn import Assistant
from graph.builder import builder
from graph.context import LocalContext
from tests.app.mcp.conftest import call, serve
from tests.app.telegram.home import Home
from tests.asking import asking
from tests.command_line import run_here
from tests.conftest import THREAD, folders
from tests.others import let_others_speak
from tests.sent import typed
from tests.telegram_stub import telegram_stub

ORDER = "tidy up"
THINGS = ["Buy milk", "Passport"]

Between = Callable[[], object]
"""What happens after the request was shown, and before the reply."""


def do_nothing() -> None:
    """Nothing happens."""


@dataclass
class Desk:
    """A store with two things in it, and an assistant that deletes both when it is told to tidy up.

    Args:
        assistant: Answers anything else with "Hello.", and a result with "That is that."
        settings: Of the folder in which it lives.
        patch: Lets every door open this store.
    """

    assistant: Assistant
    settings: Settings
    patch: pytest.MonkeyPatch

    def __post_init__(self) -> None:
        let_others_speak(self.handles.memory)
        self.passport, self.milk = (self.handles.memory.create(each, {}).id for each in ("Passport", "Buy milk"))
        assert isinstance(self.handles.model, ScriptedModel)
        self.handles.model.replies = [self._reply] * 40
        for place in (ana.handles, app.cli.approve):
            self.patch.setattr(place, "open_handles", lambda *_, **__: self.handles)

    @property
    def handles(self) -> Handles:
        return self.assistant.handles

    @property
    def contents(self) -> list[str]:
        return sorted(item.content for item in self.handles.memory.items())

    @property
    def waits(self) -> bool:
        """Whether a conversation waits for a decision."""
        return bool(open_workspace(self.settings).open_threads().waiting())

    def ask(self, order: str = ORDER, thread: str = THREAD) -> Waiting:
        asked = self.assistant.ask(order, thread)
        assert isinstance(asked, Waiting)
        return asked

    def run(self, *arguments: str, given: str = "") -> str:
        """Run a command; return all that it prints."""
        env = folders(self.settings.ana_data_dir.parent, LLM_PROVIDER="offline", COLUMNS="200")
        done = run_here(*arguments, given=given, env=env)
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    def replace(self) -> None:
        """Another door asks for the same: the first message is held, and the second ends what waits."""
        for thread in open_workspace(self.settings).open_threads().waiting():
            for _ in range(2):
                self.ask(thread=thread)

    def reject(self) -> None:
        """Another door decides."""
        for thread in open_workspace(self.settings).open_threads().waiting():
            shown = self.assistant.find_open_turn(thread)
            assert isinstance(shown, Waiting)
            self.assistant.resume(thread, {"decisions": [{"type": "reject"}] * 2}, shown.request_id)

    def change(self) -> None:
        """Somebody changes what is to be deleted."""
        for id in (self.passport, self.milk):
            self.handles.memory.update(id, f"{self.handles.memory.get(id).content}, new")

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        said = typed(messages[-1].text)
        if messages[-1].type == "tool" or ORDER not in said:
            return AIMessage("That is that." if messages[-1].type == "tool" else "Hello.")
        both = [self.passport, self.milk]
        return calls(*(("delete_item", {"id": id}) for id in (both[:1] if "passport" in said else both)))


@contextmanager
def killed_after_writing(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a turn end as a kill ends it, between what it wrote and its answer."""
    with patch.context() as patched:
        patched.setattr("nodes.execute_tools.secrets.token_hex", lambda _: sys.exit("killed"))
        with pytest.raises(SystemExit):
            yield


Door = Callable[[Desk, Any, Between], object]


def in_process(desk: Desk, decisions: Any, between: Between) -> None:
    shown = desk.ask()
    between()
    with suppress(NotWaiting, WrongReply):
        desk.assistant.resume(THREAD, {"decisions": decisions}, shown.request_id)


def in_words(desk: Desk, message: Any, between: Between) -> None:
    shown = desk.ask()
    between()
    with suppress(NotWaiting):
        desk.assistant.ask(message, THREAD, request_id=shown.request_id)


def run_graph(desk: Desk, reply: Any) -> None:
    with open_workspace(desk.settings).open_thread_store().open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        place: Any = {"configurable": {"thread_id": THREAD}}
        graph.invoke(Command(resume=reply), place, context=LocalContext(opened=desk.handles))


def at_studio(desk: Desk, reply: Any, between: Between) -> None:
    """A run of the graph, with a reply to a request for one thing that names nothing."""
    desk.ask(f"{ORDER} the passport")
    between()
    run_graph(desk, reply)


def at_an_sdk(desk: Desk, decisions: Any, between: Between) -> None:
    """The same, where the reply names its request."""
    shown = desk.ask()
    between()
    run_graph(desk, {shown.request_id: {"decisions": decisions}})


def at_post_ask(desk: Desk, reply: Any, between: Between) -> None:
    """Decisions with the request's id, or a message."""
    with asking(desk.handles) as client:
        shown = client.post("/ask", json={"thread_id": THREAD, "question": ORDER}).json()["pending"]
        between()
        body = (
            {"question": reply} if isinstance(reply, str) else {"decisions": reply, "request_id": shown["request_id"]}
        )
        client.post("/ask", json={"thread_id": THREAD, **body})


def at_ask(desk: Desk, reply: Any, between: Between) -> str:
    """`ana ask` outside of a terminal, with options, or with the next message."""
    shown = desk.run("ask", "--thread", THREAD, ORDER)
    between()
    request = re.findall("--request ([0-9a-f]{32})", shown)[0]
    arguments = [reply] if isinstance(reply, str) else [each.format(request=request) for each in reply]
    return desk.run("ask", "--thread", THREAD, *arguments)


def at_the_repl(desk: Desk, line: Any, between: Between) -> None:
    def type_lines() -> Any:
        yield UserMessage(ORDER)
        between()
        yield UserMessage(line)

    with desk.patch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO())
        patch.setattr("app.repl.repl.read_piped_lines", type_lines)
        Repl(open_workspace(desk.settings), THREAD).run()


def at_approve(desk: Desk, line: Any, between: Between) -> None:
    """`ana approve` in a terminal, which asks about each request, or with an option."""
    shown = desk.ask()
    if line.startswith("--"):
        between()
        desk.run("approve", shown.request_id, line)
        return

    def type_line(_: str) -> Any:
        between()
        return line

    with desk.patch.context() as patch:
        patch.setattr("app.cli.approve.can_ask", lambda: True)
        patch.setattr("app.cli.approve.ask_line", type_line)
        desk.run("approve")


def in_telegram(desk: Desk, reply: Any, between: Between) -> None:
    """Buttons, pressed one after the other, or a message."""
    with telegram_stub() as stub:
        home = Home(Path(desk.settings.ana_data_dir.parent), stub)
        home.backend, home.model = desk.handles.memory.backend, desk.handles.model  # type: ignore[assignment]
        home.link()
        with closing(home.api):
            home.say(ORDER)
            between()
            for each in [] if isinstance(reply, str) else reply:
                stub.press(each)
                home.read()
            if isinstance(reply, str):
                home.say(reply)


def _elicit(desk: Desk, reply: Any, between: Between, mode: str) -> None:
    async def answer(context: Any, params: Any) -> Any:
        assert "Passport" in params.message
        between()
        return ElicitResult(action=reply[0], content={"decision": reply[1]} if reply[1] else None)

    with closing(serve(desk.handles)) as served:
        call(served, "delete_item", {"id": desk.passport}, mode=mode, elicit=answer if reply else None)


def in_a_client(desk: Desk, reply: Any, between: Between) -> None:
    """Another assistant wants to delete the passport, and its program asks: action and decision, or it cannot ask."""
    _elicit(desk, reply, between, "legacy")


def in_a_newer_client(desk: Desk, reply: Any, between: Between) -> None:
    """The same by the protocol without a handshake."""
    _elicit(desk, reply, between, "2026-07-28")
