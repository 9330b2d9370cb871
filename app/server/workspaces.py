"""The workspaces of the people who use the server: opened at a person's first request or for their reminders, and
closed when they are idle.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from ana.errors import ConfigError, PersonRemoved
from ana.handles import Handles, open_handles
from ana.keys import OWNER
from ana.people import People
from ana.runs.local import LocalRuns
from ana.runs.slots import Slots
from ana.settings import Settings
from ana.workspace import Workspace, open_workspace
from ana.workspace.storage import Stamp
from app.following import list_calendars
from app.mcp.sessions import Sessions
from app.meanwhile import PASSING
from app.reminding import list_targets, ring_meanwhile
from app.server.rows import Rows
from app.server.turns import PATIENCE, TurnRunner
from app.server.work import PROGRAM, GraphWorker
from app.turn import Assistant
from graph.builder import compile_graph
from prompts import decision_prompt

if TYPE_CHECKING:
    from ana.runs.queue import QueuedRuns

MOST = 100
"""How many people's workspaces are open at a time; more only while in all of them something works, or rings."""

IDLE_SECONDS = 600.0
"""After how long without a request a workspace is closed."""

LEAVING_SECONDS = 10.0
"""How long closing waits for the requests that still work with a workspace; it is closed once they have ended."""

_log = logging.getLogger(__name__)


@dataclass
class OpenWorkspace:
    """The open workspace with which a person's requests work.

    Args:
        worker: Runs the graph in the person's threads.
        rows: The rows of the person's threads.
        turns: Runs the turns of POST /ask.
        slots: The threads for turns and runs.
        sessions: The sessions of other assistants.
        stamp: The state of the person and of their settings when it was opened.
    """

    handles: Handles
    worker: GraphWorker
    runs: "LocalRuns | QueuedRuns"
    rows: Rows
    turns: TurnRunner
    slots: Slots
    sessions: Sessions
    stamp: Stamp
    used: float = field(default_factory=time.monotonic)
    """When a request came last."""
    requests: int = 0
    """How many are being answered."""
    asked: Event = field(default_factory=Event)
    """Set by the first one."""
    imports: int = 0
    """How many files are being brought in."""
    import_preview: object = None
    """A file whose rows the person was shown, before they come in."""

    @property
    def workspace(self) -> Workspace:
        return self.handles.workspace

    @property
    def is_idle(self) -> bool:
        """Whether no run or request is at work here."""
        return self.runs.is_idle and not self.requests and not self.imports

    async def is_over(self) -> bool:
        """Return whether it must not be used any more: the person was removed, and somebody else may have the name now;
        or their settings have changed, and no run or request is at work here.
        """
        now = await asyncio.to_thread(self._look)
        return now.place != self.stamp.place or (self.is_idle and now.settings != self.stamp.settings)

    def _look(self) -> Stamp:
        with contextlib.suppress(PersonRemoved):  # of which the stamp tells
            self.workspace.whereabouts.refresh(self.handles.clock)
        return self.workspace.storage.stamp()

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Keep it open while a request is answered."""
        self.requests += 1
        self.asked.set()
        try:
            yield
        finally:
            self.requests -= 1
            self.used = time.monotonic()


def open_served(workspace: Workspace) -> Handles:
    """Return the handles of a server's turns. Errors as of `open_handles`."""
    return open_handles(workspace, PROGRAM, instruct=decision_prompt)


def _finish_forgetting(assistant: Assistant) -> None:
    """Finish the forgetting that an ended process had begun."""
    if assistant.handles.workspace.note("forgetting").read():
        from app.forgetting.erasing import finish_at_start

        finish_at_start(assistant)


class Workspaces:
    """The open workspaces, by person.

    Args:
        load_settings: Returns the deployment's settings.
        open: Opens the handles of a workspace.
    """

    def __init__(
        self,
        load_settings: Callable[[], Settings],
        open: Callable[[Workspace], Handles] = open_served,
    ) -> None:
        self._load_settings = load_settings
        self._place: object = None
        """Where everything is, as the settings said at first."""
        self._open_handles = open
        self._slots = Slots()
        self._open: dict[str, tuple[OpenWorkspace, contextlib.AsyncExitStack]] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._ringing: set[str] = set()
        """Whose reminders ring, or whose calendars are read."""
        self._failing: dict[str, str] = {}
        """Why a person's reminders do not."""

    def count_waiting(self) -> int:
        """Return how many runs are waiting."""
        if url := self._load_settings().ana_database_url:
            from ana.runs.queue import count_waiting

            return count_waiting(url.get_secret_value())
        return sum(each.runs.count_waiting() for each, _ in [*self._open.values()] if isinstance(each.runs, LocalRuns))

    async def list_people(self) -> list[str]:
        """Return everybody who has a folder, the owner first. Errors as of `load_settings`."""

        def find() -> list[str]:
            return [OWNER, *open_workspace(self._load()).list_people()]

        return await asyncio.to_thread(find)

    async def ring(self) -> None:
        """Deliver the reminders of everybody who has an address, and read the calendars of everybody who follows one.
        If that fails for a person, the reason is logged when it changes.
        """
        people = await self.list_people()
        self._ringing &= {*people}
        for person in people:
            try:
                await self._ring(person)
                self._failing.pop(person, None)
            except PASSING as exc:
                if self._failing.get(person) != str(exc):
                    _log.warning("the reminders of %s do not ring: %s", person, exc)
                self._failing[person] = str(exc)

    async def open(self, person: str) -> OpenWorkspace:
        """Return the person's workspace; open it if it is closed, and reopen it if their settings changed and nothing
        is at work.

        Errors as of `open_workspace` and `open_handles`.
        """
        async with self._opening.setdefault(person, asyncio.Lock()):
            before = self._open.get(person)
            if before and await before[0].is_over():
                await self.close(person)
            if person not in self._open:
                await self.close_idle()
                async with contextlib.AsyncExitStack() as stack:
                    opened = await self._build(person, stack)
                    self._open[person] = opened, stack.pop_all()
            opened, _ = self._open[person]
            opened.used = time.monotonic()
            return opened

    @contextlib.asynccontextmanager
    async def hold(self, person: str) -> AsyncIterator[OpenWorkspace]:
        """Open the person's workspace, and keep it open while the context is. Errors as of `open`."""
        opened = await self.open(person)
        with opened.hold():
            yield opened

    async def enter(self, person: str, context: contextlib.AbstractAsyncContextManager[None]) -> None:
        """Enter a context that ends before the person's open workspace is closed."""
        await self._open[person][1].enter_async_context(context)

    async def close_idle(self) -> None:
        """Close the workspaces of removed people, those not used for long, and others until there is room."""
        for person, (each, _) in [*self._open.items()]:
            if await each.is_over():
                await self.close(person)
        idle = [person for person, (each, _) in self._open.items() if each.is_idle and person not in self._ringing]
        idle.sort(key=lambda person: self._open[person][0].used)
        late = time.monotonic() - IDLE_SECONDS
        for person in idle:
            if self._open[person][0].used < late or len(self._open) >= MOST:
                await self.close(person)

    async def close(self, person: str) -> None:
        """Stop a person's runs, and close their workspace if it is open, once nothing works with it: Chroma that is
        closed under a request can end the process. Whoever closes waits for that for LEAVING_SECONDS at most.
        """
        if opened := self._open.pop(person, None):
            await opened[0].runs.close()
            closing = asyncio.create_task(opened[1].aclose())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            if closing in (await asyncio.wait({closing}, timeout=LEAVING_SECONDS))[0]:
                closing.result()

    async def close_all(self) -> None:
        """Close all open workspaces."""
        for person in [*self._open]:
            await self.close(person)

    def _load(self) -> Settings:
        """Return the deployment's settings. Raises ConfigError if they name another place for data than before."""
        settings = self._load_settings()
        place = settings.ana_database_url or Workspace(settings).folder
        self._place = self._place or place
        if place != self._place:
            raise ConfigError(
                "ANA_DATA_DIR or ANA_DATABASE_URL is not what it was when this program began to work.",
                "Start it again, or set back what was changed.",
            )
        return settings

    async def _ring(self, person: str) -> None:
        workspace = await asyncio.to_thread(open_workspace, self._load(), person)
        if not list_targets(workspace) and not await asyncio.to_thread(list_calendars, workspace):
            self._ringing.discard(person)
            return
        opened = self._open.get(person)
        if opened and opened[0].is_idle and opened[0].workspace.settings != workspace.settings:
            await self.close(person)
        await self.open(person)
        self._ringing.add(person)

    async def _build(self, person: str, stack: contextlib.AsyncExitStack) -> OpenWorkspace:
        # a request that was let in before they were removed would make a place, for the next of this name to find
        if person not in (*await self.list_people(), *await asyncio.to_thread(People(self._load()).names)):
            raise PersonRemoved
        storage = await asyncio.to_thread(lambda: Workspace(self._load(), person).storage)
        before = await asyncio.to_thread(storage.stamp)  # so that a later change of settings is seen
        workspace = await asyncio.to_thread(open_workspace, self._load(), person)
        handles = await asyncio.to_thread(self._open_handles, workspace)
        sessions = Sessions(lambda: handles, lambda: f"{handles.clock.now():%Y-%m-%d}")
        stack.push_async_callback(asyncio.to_thread, handles.memory.close)
        stack.push_async_callback(asyncio.to_thread, sessions.close)
        saver = await stack.enter_async_context(workspace.open_thread_store().open_server_saver())
        opened: OpenWorkspace | None = None

        async def wait_for_requests() -> None:
            while opened and (opened.requests or opened.imports):
                await asyncio.sleep(0.05)

        stack.push_async_callback(wait_for_requests)
        worker = GraphWorker(handles, saver)
        assistant = Assistant(handles, compile_graph(saver), PROGRAM, PATIENCE)
        await asyncio.to_thread(_finish_forgetting, assistant)
        stack.enter_context(ring_meanwhile(handles))
        runs, turns = self._open_runs(workspace, worker), TurnRunner(assistant)
        stamp = (await asyncio.to_thread(storage.stamp))._replace(settings=before.settings)
        opened = OpenWorkspace(handles, worker, runs, Rows(workspace, runs), turns, self._slots, sessions, stamp)
        return opened

    def _open_runs(self, workspace: Workspace, worker: GraphWorker) -> "LocalRuns | QueuedRuns":
        """Return the storage of a person's runs: the queue of a database, or this process."""
        if workspace.settings.ana_database_url is None:
            return LocalRuns(workspace.person, worker, self._slots)
        from ana.runs.queue import QueuedRuns

        return QueuedRuns(workspace.rows)
