"""`ana serve` as its service runs it, killed and started again: a phone, a chat, a model, and a clock that is set.

Everything is on loopback. Time passes only when `at` is told so; what comes due then is delivered within moments.
"""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ana.handles import open_data
from ana.keys import OWNER
from ana.memory.memory import Memory
from ana.people import People
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.workspace import open_workspace
from app.telegram.links import Links, make_code
from app.telegram.updates import Update
from evals.load.server import free_port
from tests.conftest import BERLIN, folders
from tests.forks import Fork, fork
from tests.ntfy_stub import NtfyStub, ntfy_stub
from tests.openai_stub import Said, openai_stub
from tests.sent import typed
from tests.telegram_stub import ME, TOKEN, TelegramStub, telegram_stub
from tests.waiting import wait_until

SERVE = """
    import os
    from datetime import datetime
    from pathlib import Path
    from ana.time.clock import Clock
    from app import reminding, replying
    from app.routines import running
    from app.telegram import bot

    Clock.__init__.__defaults__ = (lambda: datetime.fromisoformat(Path(os.environ["TEST_NOW"]).read_text()),)
    reminding.SECONDS = replying.LOOK_SECONDS = running.LOOK_SECONDS = bot.AGAIN_SECONDS = 0.05
    from app.cli.main import main
    main()
"""
"""`ana serve`, whose clock is a file, and which looks more often than every 20 seconds."""

KEPT = "It is kept."
BRIEF = "All is well."


class Supervised:
    """A server that may be killed at any moment, and all that it works with.

    Args:
        folder: Where its files are.
        phone: Where reminders ring.
        telegram: Where the owner has a chat.
        model: The address of a model that keeps notes and answers anything else with a sentence.
        begin: The first moment of the clock.
        is_reached: Whether the phone reaches the server, and so need not publish what is pressed.
    """

    def __init__(
        self,
        folder: Path,
        phone: NtfyStub,
        telegram: TelegramStub,
        model: str,
        begin: datetime,
        is_reached: bool,
    ) -> None:
        self.phone, self.telegram, self.is_reached = phone, telegram, is_reached
        phone.now = lambda: self.now.timestamp()
        self.port, self._now, self._log = free_port(), folder / "now", folder / "output"
        places = {"ANA_NOTIFY": phone.address} | (
            {"ANA_PUBLIC_URL": f"http://127.0.0.1:{self.port}"} if is_reached else {}
        )
        places |= {"TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_API_URL": telegram.url, "OPENAI_BASE_URL": model}
        self.env = folders(folder, LLM_PROVIDER="openai", OPENAI_API_KEY="none", TEST_NOW=str(self._now), **places)
        self.settings = load_settings(self.env)
        self._process: Fork | None = None
        self.kills = 0
        self.at(begin)
        code = make_code(open_workspace(self.settings))
        People(self.settings).renew(OWNER)
        assert Links(self.settings).take_code(Update(1, ME, "text", text=code)) == "owner"

    @property
    def is_up(self) -> bool:
        """Whether it was started and not killed since."""
        return self._process is not None

    def at(self, now: datetime) -> None:
        """Set the clock."""
        self.now = now.astimezone(UTC)
        written = self._now.with_suffix(".new")
        written.write_text(self.now.isoformat())
        written.rename(self._now)

    def start(self) -> None:
        """Start it, if it does not run."""
        if self._process is None:
            with open(os.devnull) as nothing, self._log.open("ab") as log:
                out = log.fileno()
                command = ("-c", SERVE, "serve", "--port", str(self.port))
                self._process = fork(*command, stdin=nothing.fileno(), stdout=out, stderr=out, env=self.env)

    def kill(self, after: float) -> None:
        """Kill it after so many seconds."""
        time.sleep(after)
        if self._process:
            self.check()
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None
            self.kills += 1

    def check(self) -> None:
        """Fail if it has ended by itself."""
        assert self._process is None or self._process.poll() is None, self._log.read_text()[-3000:]

    def press(self, word: str, number: int) -> int:
        """Press a button of a message as somebody does who tries until somebody answers; return the status."""
        while (status := self.phone.press(word, number)) == 0 or status >= 500:
            time.sleep(0.02)
        return status

    def wait_for_presses(self) -> None:
        """Wait until what was pressed before is carried out, while the server runs."""
        polls = self.phone.polls
        wait_until(lambda: self.is_reached or self.phone.polls > polls + 1)

    def say(self, text: str) -> None:
        """Write to the bot, whether or not it runs."""
        self.telegram.say(text, at=self.now.timestamp())

    @contextmanager
    def open(self) -> Iterator[Memory]:
        """Yield what is stored, while the server does not run."""
        assert self._process is None
        with open_data(open_workspace(self.settings), "a test") as handles:
            yield Memory(handles.memory.backend, Clock(BERLIN, lambda: self.now))


def _reply(request: dict[str, Any]) -> Said:
    last = request["messages"][-1]
    if last["role"] == "tool":
        return Said(KEPT)
    text = typed(last["content"])
    return Said(calls=[("create_item", {"content": text})]) if text.startswith("note") else Said(BRIEF)


@contextmanager
def supervised(folder: Path, begin: datetime, *, is_reached: bool) -> Iterator[Supervised]:
    """A server that does not run yet; it is killed at the end. Arguments as of `Supervised`."""
    with ntfy_stub() as phone, telegram_stub() as telegram, openai_stub(_reply) as model:
        server = Supervised(folder, phone, telegram, model.url, begin, is_reached)
        try:
            yield server
        finally:
            server.kill(0)


def choose_pause(chance: random.Random) -> float:
    """Return how long a server works before it is killed: often while it starts, or does what has come due."""
    return chance.choice((0.1, 0.6, 2.0)) * chance.random()
