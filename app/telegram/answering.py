"""The handling of one update of a person's chat, which can restart wherever it was interrupted."""

import hashlib
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

from ana.errors import TurnStopped
from ana.memory.undo import find_undoable, find_undone, undo
from ana.models.transcription import BYTES_PER_SECOND, MODEL, estimate_cost, transcribe
from ana.reminders.reading import tell_time
from ana.reminders.ringing import LATE
from ana.translation import _, mark_text
from app.due import group_due_locally, list_today
from app.following import list_calendar_news
from app.messages import UserMessage
from app.outcome import Done, NotShown, Outcome, Waiting
from app.telegram.api import Api, Refused, Unreachable
from app.telegram.links import Chat, Taken
from app.telegram.screen import (
    Messages,
    Progress,
    draw_answer,
    draw_request,
    make_buttons,
    read_button,
    show_meanwhile,
)
from app.telegram.text import plain
from app.turn import Assistant
from app.undo import describe_undo

HELP = mark_text(
    "Say what is on your mind. What changes something stands under the answer.\n"
    "/new begins a new conversation, /today shows the day, /undo takes back the last change of this conversation."
)

NOT_TAKEN = mark_text(
    "I can only read text and voice messages here, not pictures and files. Please write what matters."
)

LONGEST_HEARD = 6_000
"""Most characters of a transcribed voice message; about eight minutes."""

ROOM, WIDTH = 40, 60
"""Most lines of /today, and columns of each."""


class Answering:
    """Answers one update.

    Args:
        chat: The chat as stored by `save`.
        taken: The update and its progress; a part of the chat.
    """

    def __init__(
        self, api: Api, assistant: Assistant, chat: Chat, taken: Taken, messages: Messages, save: Callable[[], object]
    ) -> None:
        self._api = api
        self._assistant = assistant
        self._chat, self._taken, self._update = chat, taken, taken.update
        self._messages = messages
        self._save = save
        self._head: list[str] = []
        """HTML above the answer."""

    def answer(self) -> None:
        """Carry out the update and show the result. Errors as of a turn and of Bot API calls."""
        if self._update.kind == "button":
            self._press()
            return
        self._messages.begin()
        clock = self._assistant.handles.clock
        if self._update.at and clock.now() - (then := datetime.fromtimestamp(self._update.at, clock.zone)) > LATE:
            self._head.append(f"<i>{plain(_('Late: you wrote this {when}.').format(when=tell_time(then)))}</i>")
        text = self._update.text.strip()
        command = COMMANDS.get("/undo" if text.lower() == "undo" else text.partition(" ")[0].lower())
        if self._update.is_others:
            command = None
        if self._update.kind == "other":
            self._show(_(NOT_TAKEN))
        elif command:
            self._show(command(self))
        elif text.startswith("/") and not self._update.is_others:
            self._show(f"{_('There is no such command.')}\n{_(HELP)}")
        else:
            self._ask(self._hear() if self._update.kind == "voice" else text)

    def _ask(self, text: str) -> None:
        # nobody can tell what was pasted into a message; a forwarded one is all of somebody else
        message = UserMessage(text, (text,) if self._update.is_others else () if self._update.kind == "voice" else None)
        assistant, thread, request_id = self._assistant, self._chat.thread, self._chat.shown or None
        self._act(lambda listen: assistant.ask(message, thread, on_event=listen, request_id=request_id))

    def _hear(self) -> str:
        """Return the words of a voice message, and show them."""
        if not self._taken.heard:
            self._taken.heard = self._transcribe(self._api.download(self._update.file))[:LONGEST_HEARD]
            self._save()
        self._head.append(f"<blockquote>{plain(self._taken.heard)}</blockquote>")
        return self._taken.heard

    def _transcribe(self, sound: bytes) -> str:
        """Return the words in a recording; what they cost counts like a model's call."""
        settings, spending = self._assistant.handles.settings, self._assistant.handles.spending
        with spending.reserve(estimate_cost(settings, len(sound) / BYTES_PER_SECOND)):
            heard = transcribe(settings, sound)
            spending.add(heard.usd or 0.0)
        usage = {"input_tokens": 0, "output_tokens": 0}
        spending.keep({"model": MODEL, "provider": settings.provider, "usage": usage, "cost_usd": heard.usd or 0.0})
        return heard.text

    def _press(self) -> None:
        """Decide a request, or tick an action of it."""
        with suppress(Refused, Unreachable):  # it only ends the sign on the button that something is going on
            self._api.call("answerCallbackQuery", callback_query_id=self._update.pressed)
        try:
            id, act, bits = read_button(self._update.text)
        except ValueError:
            return
        waiting = self._assistant.find_open_turn(self._chat.thread)
        if act == "tick":
            if isinstance(waiting, Waiting) and waiting.request_id == id:
                self._change_buttons(self._update.message, make_buttons(waiting, bits))
            return
        count = len(waiting.request["action_requests"]) if isinstance(waiting, Waiting) else 0
        each = ["approve" if bits >> n & 1 else "reject" for n in range(max(count, 1))]
        reply = {"decisions": [{"type": decision} for decision in each]}
        self._messages.begin()
        assistant, thread = self._assistant, self._chat.thread
        self._act(lambda listen: assistant.resume(thread, reply, id, on_event=listen))
        self._change_buttons(self._update.message, [])

    def _act(self, act: Callable[[Callable[[dict[str, Any]], None]], Done | Waiting]) -> None:
        """Continue the conversation, unless that has happened since the update was taken, and show its state."""
        progress = Progress(self._assistant.handles.clock.now().year)
        with show_meanwhile(self._messages, progress):
            self._assistant.finish(self._chat.thread, progress.read)
            stands = self._assistant.find_last_turn(self._chat.thread)
            if self._taken.before is None:
                self._taken.before = _name(stands)
                self._save()
            if stands is None or self._taken.before == _name(stands):
                try:
                    stands = act(progress.read)
                except NotShown as exc:
                    progress.ended.append(exc.sentence())
                    stands = exc.waiting
                except TurnStopped:
                    if not isinstance(stands, Waiting):  # the turn has ended without an answer: it is begun again
                        self._taken.before = None
                        self._save()
                    raise
        self._head += map(plain, progress.ended)
        self._show(stands)

    def _show(self, outcome: Outcome | str | None) -> None:
        """Show a turn, or a sentence by ana."""
        blocks, buttons = [plain(outcome)] if isinstance(outcome, str) else [], None
        if isinstance(outcome, Waiting):
            blocks, buttons = draw_request(outcome), make_buttons(outcome)
        elif isinstance(outcome, Done):
            blocks = draw_answer(outcome)
        last = self._messages.show([*self._head, *blocks], buttons)
        if isinstance(outcome, str):
            return
        if self._chat.shown_in != last:
            self._forget_buttons()
        if isinstance(outcome, Waiting):
            self._chat.shown, self._chat.shown_in = outcome.request_id, last

    def _forget_buttons(self) -> None:
        """Remove the buttons of the last request, because it is decided or shown again below."""
        if self._chat.shown_in:
            self._change_buttons(self._chat.shown_in, [])
        self._chat.shown, self._chat.shown_in = "", 0

    def _change_buttons(self, message: int, buttons: list[list[dict[str, str]]]) -> None:
        with suppress(Refused):  # they are so already, or the person has deleted it
            place = {"chat_id": self._chat.id, "message_id": message}
            self._api.insist("editMessageReplyMarkup", **place, reply_markup={"inline_keyboard": buttons})

    def _begin_new(self) -> str:
        self._forget_buttons()
        self._chat.thread = str(uuid.uuid4())
        return f"{_('A new conversation.')} {_('What I know about you and your items stay.')}"

    def _show_today(self) -> str:
        handles = self._assistant.handles
        news = list_calendar_news(handles)[: ROOM // 3]
        lines = list_today(group_due_locally(handles), ROOM - len(news), WIDTH, handles.clock.now().date())
        lines += [_("From your calendars"), *news] if news else []
        return "\n".join(lines) or _("Nothing is due in the next seven days.")

    def _undo(self) -> str:
        memory = self._assistant.handles.memory
        mark = hashlib.sha256(f"{self._update.chat} {self._update.id} {self._update.at}".encode()).hexdigest()[:8]
        done = find_undone(memory, mark) or undo(memory, find_undoable(memory, self._chat.thread), mark=mark)
        return "\n".join(describe_undo(done))

    def _help(self) -> str:
        return _(HELP)


COMMANDS: dict[str, Callable[[Answering], str]] = {
    "/new": Answering._begin_new,
    "/today": Answering._show_today,
    "/undo": Answering._undo,
    "/help": Answering._help,
    "/start": Answering._help,
}


def _name(stands: Outcome | None) -> str:
    """Return a value that identifies a conversation's state: it changes with each finished turn and each request."""
    if isinstance(stands, Waiting):
        return stands.request_id
    return stands.trace_id if isinstance(stands, Done) else ""
