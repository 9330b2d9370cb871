"""The bot: it polls for updates and handles each once, even if the program ends in between."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from ana.errors import AnaError, TurnStopped, UserError
from ana.settings import Settings
from ana.threads.ids import make_id
from ana.threads.ports import owning
from ana.translation import speaking
from app.meanwhile import PASSING, repeat_meanwhile
from app.outcome import describe_unforeseen
from app.telegram.answering import Answering
from app.telegram.api import POLL_SECONDS, SECONDS, Api, BotUnusable, Refused, Unreachable, open_api
from app.telegram.links import MOST_DONE, Chat, Links, Taken
from app.telegram.screen import Messages
from app.telegram.text import plain
from app.telegram.updates import Update, read_update
from app.turn import Assistant

PROGRAM = "ana telegram"

AGAIN_SECONDS = 10.0
"""Seconds to wait after a failure."""

MOST_TRIES = 5
"""How often to try an update that ends the program each time."""

STRANGER = "I only answer people whom I know. If you are one of them: `ana telegram --link` shows a code; send it here."
LINKED = "This chat is now linked to you. /help lists what you can send."

Hold = Callable[[str], AbstractContextManager[Assistant]]
"""Yields the assistant of a person, which stays open meanwhile."""

_log = logging.getLogger(__name__)


class Bot:
    """The bot of all people of a server."""

    def __init__(self, api: Api, settings: Settings, hold: Hold, now: Callable[[], float] = time.time) -> None:
        self._api = api
        self._hold = hold
        self._links = Links(settings, now)
        self._strangers: set[int] = set()
        """Strangers who were answered."""

    def run(self) -> None:
        """Finish interrupted updates, then handle new ones until stopped.

        Raises:
            BotUnusable: Telegram does nothing for this bot.
            AnaError: A temporary failure, like errors of files; the next run does what remains.
        """
        for _, chat in [*self._links.list_chats()]:
            if chat.taken:
                self.take(chat.taken.update)
        offset = None
        while True:
            wanted = {"timeout": POLL_SECONDS, "allowed_updates": ["message", "callback_query"], "offset": offset}
            for raw in self._api.insist("getUpdates", POLL_SECONDS + SECONDS, **wanted):
                if update := _read(raw):
                    self.take(update)
                offset = raw["update_id"] + 1  # asked for from there on, Telegram forgets what was before

    def take(self, update: Update) -> None:
        """Handle an update unless it was handled before. Errors as of `run`."""
        person = self._links.find(update.chat)
        if person is None:
            self._answer_stranger(update)
            return
        locks = self._links.open_workspace(person).open_locks()
        with owning(locks.lock(make_id("updates of Telegram", person), PROGRAM)):  # another program may be at it
            chat = self._links.read(person)
            if chat and chat.id == update.chat and update.id not in chat.done:
                self._deal_with(update, person, chat)

    def _deal_with(self, update: Update, person: str, chat: Chat) -> None:
        """Answer an update, recording each step before and after, so that it can restart anywhere."""

        def save() -> None:
            self._links.save(person, chat)

        taken = chat.taken if chat.taken and chat.taken.update.id == update.id else Taken(update)
        taken.tries += 1
        chat.taken = taken
        save()
        messages = Messages(self._api, chat.id, taken.messages, save)
        with suppress(Refused):  # nobody can be told, as where the person has blocked the bot
            try:
                self._answer(person, lambda each: Answering(self._api, each, chat, taken, messages, save), taken.tries)
            except (TurnStopped, BotUnusable, Unreachable, Refused):
                raise
            except AnaError as exc:  # it would come again each time, and must not keep the next from being answered
                messages.show([plain(exc.sentence())])
        chat.done = [*chat.done, update.id][-MOST_DONE:]
        chat.taken = None
        save()

    def _answer(self, person: str, prepare: Callable[[Assistant], Answering], tries: int) -> None:
        if tries > MOST_TRIES:
            raise UserError("This could not be answered: the program crashed several times while handling it.")
        try:
            with self._hold(person) as assistant, speaking(assistant.handles.settings.language):
                prepare(assistant).answer()
        except PASSING:
            raise
        except Exception as exc:  # an update that always fails would come again each time, and hold up the next
            _log.exception("an update of Telegram could not be dealt with")
            raise UserError(describe_unforeseen(exc)) from exc

    def _answer_stranger(self, update: Update) -> None:
        """Link a chat by its code. Anybody else gets one sentence, once."""
        is_linked = update.kind == "text" and self._links.take_code(update) is not None
        if is_linked or update.chat not in self._strangers:
            self._strangers.add(update.chat)
            with suppress(Refused):
                self._api.insist("sendMessage", chat_id=update.chat, text=LINKED if is_linked else STRANGER)


def _read(raw: Any) -> Update | None:
    """Return an update; None if it needs no action or does not match the Bot API."""
    try:
        return read_update(raw)
    except (LookupError, TypeError, AttributeError, ValueError) as exc:
        _log.warning("an update of Telegram cannot be read: %s", type(exc).__name__)
        return None


@contextmanager
def answer_telegram(settings: Settings, hold: Hold) -> Iterator[None]:
    """Answer messages from Telegram in a separate thread while the context is open, if there is a bot."""
    if settings.telegram_bot_token is None:
        yield
        return
    api = open_api(settings)
    try:
        with repeat_meanwhile("messages of Telegram", Bot(api, settings, hold).run, AGAIN_SECONDS):
            yield
    finally:
        api.close()
