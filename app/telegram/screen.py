"""The output in a chat: messages of an answer, partial and complete, and requests with buttons."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from threading import Event, Thread
from typing import Any

from ana.errors import TurnStopped
from ana.memory.receipts import tells_no_changes
from ana.translation import _
from app.outcome import Done, Waiting
from app.show.answers import list_below
from app.show.calls import describe_call
from app.show.requests import QUESTION, word_actions
from app.telegram.api import Api, BotUnusable, Refused, Unreachable
from app.telegram.text import draw_text, plain, split_messages, strip_markup
from app.turn import Event as TurnEvent

EDIT_SECONDS = 1.0
"""Seconds between edits of a message while an answer is written."""

HINT_SECONDS = 5.0
"""Seconds that such an edit may take; it may get lost."""

TAIL = 1500
"""Most characters of an unfinished answer."""

WORKING = "…"

MOST_TICKED = 24
"""Most actions with their own buttons; more are decided together, or on the page."""

ALL = -1
"""Every bit: all actions, however many there are."""

Buttons = list[list[dict[str, str]]]


class Messages:
    """The messages of one answer. Each is sent once, as a placeholder, and then edited: if a message is sent twice
    because its receipt was lost, the answer still appears only once.

    Args:
        ids: Messages that were already sent.
        keep: Saves the ids; called after each message.
    """

    def __init__(self, api: Api, chat: int, ids: list[int], keep: Callable[[], object]) -> None:
        self._api = api
        self._chat = chat
        self._ids = ids
        self._keep = keep

    def begin(self) -> None:
        """Send the first placeholder, if it was not sent yet."""
        if not self._ids:
            self._send(0)

    def hint(self, text: str) -> float:
        """Show the text so far unless Telegram limits this; return the seconds to wait."""
        try:
            self._api.call(
                "editMessageText", HINT_SECONDS, chat_id=self._chat, message_id=self._ids[0], text=text, **_AS_HTML
            )
        except Unreachable as exc:
            return exc.seconds
        except (Refused, BotUnusable):
            pass
        return 0.0

    def show(self, blocks: Sequence[str], buttons: Buttons | None = None) -> int:
        """Show blocks of HTML, in as many messages as they need; return the last, which gets the buttons."""
        parts = split_messages(blocks) or [WORKING]
        for number, part in enumerate(parts):
            if number == len(self._ids):
                self._send(number)
            last = {"inline_keyboard": buttons} if buttons and number == len(parts) - 1 else None
            self._change(number, last, text=part, **_AS_HTML)
        return self._ids[len(parts) - 1]

    def _change(self, number: int, markup: Any, **fields: Any) -> None:
        place = {"chat_id": self._chat, "message_id": self._ids[number], "reply_markup": markup}
        try:
            self._api.insist("editMessageText", **place, **fields)
        except Refused as exc:
            why = exc.message.lower()
            if "not modified" in why:
                return
            if "parse" in why and "parse_mode" in fields:  # better without form than not at all
                self._change(number, markup, text=strip_markup(fields["text"]))
            elif "not found" in why or "can't be edited" in why:  # the person has deleted it
                self._send(number)
                self._change(number, markup, **fields)
            else:
                raise

    def _send(self, number: int) -> None:
        sent = self._api.insist("sendMessage", chat_id=self._chat, text=WORKING)
        self._ids[number:] = [sent["message_id"]]
        self._keep()


_AS_HTML = {"parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}


class Progress:
    """The status of a working turn.

    Args:
        year: The year to omit from dates.
    """

    def __init__(self, year: int) -> None:
        self._year = year
        self._line = self._draft = ""
        self.ended: list[str] = []
        """What the turn says before its answer: that it ended a waiting request."""

    def read(self, event: TurnEvent) -> None:
        """Process an event of a turn."""
        if "draft" in event:
            self._draft += event["draft"]
            return
        self._draft = ""
        if "tool" in event:
            self._line = describe_call(event, self._year)
        elif "ended" in event:
            self.ended.append(event["ended"])

    def draw(self) -> str:
        """Return the turn's progress as HTML; empty while there is none."""
        text = self._draft[-TAIL:].strip() or self._line
        return f"{plain(text)} {WORKING}" if text else ""


@contextmanager
def show_meanwhile(messages: Messages, progress: Progress) -> Iterator[None]:
    """Show a turn's progress while the context is open, in a separate thread, so that no turn waits for Telegram."""
    ended = Event()

    def keep_showing() -> None:
        last, pause = "", EDIT_SECONDS
        while not ended.wait(pause):
            pause = EDIT_SECONDS
            if (now := progress.draw()) and now != last:
                with suppress(TurnStopped):
                    pause = max(EDIT_SECONDS, messages.hint(now))
                last = now

    thread = Thread(target=copy_context().run, args=(keep_showing,), name="telegram", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()  # what it sends last must not come after the answer


def draw_answer(done: Done) -> list[str]:
    """Return an answer with its receipt as blocks of HTML."""
    lines = "\n".join(map(plain, list_below(done)))
    below = f"<i>{lines}</i>" if lines and tells_no_changes(done.receipt) else lines
    return [*draw_text(done.answer), *filter(None, [below])]


def draw_request(waiting: Waiting) -> list[str]:
    """Return a request as blocks of HTML: every action with all its arguments, numbered if there are several."""
    request = waiting.request
    actions = [*word_actions(request)]
    if not actions:
        return [plain(_("Before I go on: {asked}").format(asked=request.get("value")))]
    blocks = [f"<b>{plain(_(QUESTION))}</b>", plain(request.get("summary", ""))]
    for number, (first, lines) in enumerate(actions, 1):
        numbered = f"{number}. {first}" if len(actions) > 1 else first
        blocks.append("\n".join(map(plain, [numbered, *lines])))
    return [block for block in blocks if block]


def make_buttons(waiting: Waiting, ticked: int = 0) -> Buttons:
    """Return the buttons under a request: a checkbox per action if there are several, then all, ticked, or none.

    A button's data contains its whole meaning, so that nothing has to be remembered.

    Args:
        ticked: The ticked actions, one bit each.
    """
    count, id = len(waiting.request["action_requests"]), waiting.request_id

    def button(text: str, act: str, bits: int) -> dict[str, str]:
        return {"text": text, "callback_data": f"{id}:{act}:{bits:x}"}

    if count < 2:
        return [[button(_("Yes"), "do", ALL), button(_("No"), "do", 0)]]
    each = [button(f"{'☑' if ticked >> n & 1 else '☐'} {n + 1}", "tick", ticked ^ 1 << n) for n in range(count)]
    rows = [each[n : n + 6] for n in range(0, count, 6)] if count <= MOST_TICKED else []
    chosen = ", ".join(str(n + 1) for n in range(count) if ticked >> n & 1)
    only = _("Only {numbers}").format(numbers=chosen) if len(chosen) < 20 else _("Only these")
    those = [button(only, "do", ticked)] if ticked else []
    return [*rows, [button(_("All"), "do", ALL), *those, button(_("None"), "do", 0)]]


def read_button(data: str) -> tuple[str, str, int]:
    """Return a button's request, what it does, and the ticked actions.

    Raises:
        ValueError: It is not a button by ana.
    """
    id, act, bits = data.split(":")
    return id, act, int(bits, 16)
