"""The bot: it asks for what came and deals with each update once, whatever ends the program in between."""

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
from app.telegram.links import KEPT, Chat, Links, Taken
from app.telegram.screen import Messages
from app.telegram.text import plain
from app.telegram.updates import Update, read_update
from app.turn import Assistant

PROGRAM = "ana telegram"

AGAIN_SECONDS = 10.0
"""How long nothing is asked after something failed."""

MOST_TRIES = 5
"""How often an update is begun that ends the program each time."""

STRANGER = "I answer only those whom I know. If you are one of them: `ana telegram --link` shows a code; send it here."
LINKED = "This chat is yours from now on. /help says what else there is."

Hold = Callable[[str], AbstractContextManager[Assistant]]
"""Yields what runs a person's turns, which stays open meanwhile."""

_log = logging.getLogger(__name__)


class Bot:
    """A bot of everybody's in a deployment."""

    def __init__(self, api: Api, settings: Settings, hold: Hold, now: Callable[[], float] = time.time) -> None:
        self._api = api
        self._hold = hold
        self._links = Links(settings, now)
        self._told: set[int] = set()
        """Strangers who were answered."""

    def run(self) -> None:
        """Deal with what was begun, then with what comes, until it is stopped.

        Raises:
            BotUnusable: Telegram does nothing for this bot.
            AnaError: Something failed that may be over later, as are errors of files; what was not done is done then.
        """
        for _, chat in [*self._links.list_chats()]:
            if chat.taken:
                self.take(chat.taken.update)
        offset = None
        while True:
            wanted = {"timeout": POLL_SECONDS, "allowed_updates": ["message", "callback_query"], "offset": offset}
            for told in self._api.insist("getUpdates", POLL_SECONDS + SECONDS, **wanted):
                if update := _read(told):
                    self.take(update)
                offset = told["update_id"] + 1  # asked for from there on, Telegram forgets what was before

    def take(self, update: Update) -> None:
        """Deal with an update, if that was not done before. Errors as of `run`."""
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
        """Answer an update. What is done is kept before and after, so that it can be begun again at any place."""

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
        chat.done = [*chat.done, update.id][-KEPT:]
        chat.taken = None
        save()

    def _answer(self, person: str, prepare: Callable[[Assistant], Answering], tries: int) -> None:
        if tries > MOST_TRIES:
            raise UserError("This could not be answered: the program ended at it several times.")
        try:
            with self._hold(person) as assistant, speaking(assistant.handles.settings.language):
                prepare(assistant).answer()
        except PASSING:
            raise
        except Exception as exc:  # an update that always fails would come again each time, and hold up the next
            _log.exception("an update of Telegram could not be dealt with")
            raise UserError(describe_unforeseen(exc)) from exc

    def _answer_stranger(self, update: Update) -> None:
        """Link a chat by its code. Anybody else is answered once, with a sentence."""
        is_linked = update.kind == "text" and self._links.take_code(update) is not None
        if is_linked or update.chat not in self._told:
            self._told.add(update.chat)
            with suppress(Refused):
                self._api.insist("sendMessage", chat_id=update.chat, text=LINKED if is_linked else STRANGER)


def _read(told: Any) -> Update | None:
    """Return an update; None if it asks for nothing, or is not what the Bot API describes."""
    try:
        return read_update(told)
    except (LookupError, TypeError, AttributeError, ValueError) as exc:
        _log.warning("an update of Telegram cannot be read: %s", type(exc).__name__)
        return None


@contextmanager
def answer_telegram(settings: Settings, hold: Hold) -> Iterator[None]:
    """Answer what comes from Telegram in a thread of its own while the context is open, where there is a bot."""
    if settings.telegram_bot_token is None:
        yield
        return
    api = open_api(settings)
    try:
        with repeat_meanwhile("messages of Telegram", Bot(api, settings, hold).run, AGAIN_SECONDS):
            yield
    finally:
        api.close()
