"""A person with a chat, a bot that a stub of Telegram knows, and a model that replies as told."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ana.backends.in_memory import InMemoryBackend
from ana.handles import open_handles
from ana.memory.memory import Memory
from ana.models.scripted import ScriptedModel
from ana.settings import Settings, load_settings
from ana.workspace import open_workspace
from app.telegram.api import Api
from app.telegram.bot import answer_telegram
from app.telegram.links import Chat, Links, make_code
from app.telegram.updates import Update
from app.turn import Assistant, open_assistant
from tests.conftest import EMBEDDER, folders
from tests.telegram_stub import ME, TOKEN, TelegramStub
from tests.waiting import wait_until


class Home:
    """A person's deployment."""

    def __init__(self, folder: Path, stub: TelegramStub, **env: str) -> None:
        self.stub = stub
        self.model = ScriptedModel(replies=[])
        self.env = {"TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_API_URL": stub.url, "LLM_PROVIDER": "openai"}
        self.env = folders(folder, **{**self.env, "OPENAI_API_KEY": "none", **env})
        self.settings: Settings = load_settings(self.env)
        self.workspace = open_workspace(self.settings)
        self.api = Api(TOKEN, stub.url, pause=0.01)
        self.backend = InMemoryBackend(EMBEDDER)

    def link(self) -> None:
        """Make the stub's person's chat the owner's."""
        digits = make_code(self.workspace)
        assert Links(self.settings).take_code(Update(1, ME, "text", text=digits)) == "owner"

    @property
    def chat(self) -> Chat:
        found = Links(self.settings).read("owner")
        assert found
        return found

    @property
    def memory(self) -> Memory:
        return Memory(self.backend, self.workspace.make_clock())

    @contextmanager
    def hold(self, person: str) -> Iterator[Assistant]:
        workspace = open_workspace(self.settings, person)
        handles = open_handles(workspace, model=self.model, backend=self.backend)
        with open_assistant(handles, patience=0.1) as assistant:
            yield assistant

    def read(self) -> list[str]:
        """Let the bot deal with all that came; return what then stands in the chat."""
        with answer_telegram(self.settings, self.hold):
            wait_until(lambda: self.stub.is_read)
        return self.stub.texts

    def say(self, text: str, *replies: Any, **more: Any) -> str:
        """Say something to the bot, whose model replies so; return the last message that stands in the chat then."""
        self.model.replies += replies
        self.stub.say(text, **more)
        return self.read()[-1]
