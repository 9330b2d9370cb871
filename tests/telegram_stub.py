"""A loopback server that speaks the part of Telegram's Bot API that is used, as its documents describe it.

Updates come again until a later offset is asked for. A long poll hangs until something comes. What a person sees is in
`texts`. Faults are put in `faults`, by method, each for one call.
"""

import json
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from html import unescape
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.loopback_server import serve_on_loopback

TOKEN = "123456:a-long-token-of-a-bot-that-is-nowhere"
ME = 4711
"""The person, and so the chat with them."""

LONGEST = 4096
_TAG = re.compile(r"<(/?)([a-z]+)>")
_KNOWN = ("b", "i", "u", "s", "code", "pre", "blockquote")


class _RefusedError(Exception):
    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.told = {"ok": False, "error_code": code, "description": description, "parameters": parameters}
        self.code = code


class TelegramStub:
    """What it was asked, and what stands in its chats."""

    def __init__(self) -> None:
        self.url = ""
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.updates: list[dict[str, Any]] = []
        self.messages: dict[int, dict[str, Any]] = {}
        """What the bot has sent, by its number."""
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[Any]] = defaultdict(list)
        """For a method: a status, ("flood", seconds), "cut" after it was done, "cut before", or a sentence to refuse
        with."""
        self.repeats: list[dict[str, Any]] = []
        """Updates that come once more, though their receipt was told."""
        self.ended = False
        self._changed = threading.Condition()
        self._next = 1000
        self._message = 0

    def say(self, text: str, chat: int = ME, at: float | None = None, **more: Any) -> dict[str, Any]:
        """Let a person write something; `more` are further fields of the message."""
        message = {"text": text} | more if text else more
        return self._add(message={"date": int(time.time() if at is None else at), **self._place(chat), **message})

    def press(self, text: str, number: int | None = None, chat: int = ME) -> dict[str, Any]:
        """Let a person press the button with this text, under the last message that has it, or under one."""
        with self._changed:
            known = [number] if number else [*self.messages][::-1]
            for each in known:
                for button in self.buttons(each):
                    if button["text"] == text:
                        message = {"message_id": each, "chat": {"id": chat, "type": "private"}}
                        data = {"id": "77", "from": {"id": chat}, "data": button["callback_data"], "message": message}
                        break
                else:
                    continue
                break
            else:
                raise AssertionError(f"no button {text!r}")
        return self._add(callback_query=data)

    def buttons(self, number: int) -> list[dict[str, str]]:
        """The buttons under a message."""
        return [each for row in self.messages[number]["buttons"] for each in row]

    @property
    def texts(self) -> list[str]:
        """The texts that stand in the person's chat, as they read them."""
        with self._changed:
            return [unescape(_TAG.sub("", m["text"])) for m in self.messages.values() if m["chat"] == ME]

    @property
    def is_read(self) -> bool:
        """Whether the bot has told the receipt of everything."""
        with self._changed:
            return not self.updates and not self.repeats

    def list_edits(self) -> list[str]:
        """The texts that messages were changed to."""
        return [given["text"] for method, given in self.calls if method == "editMessageText"]

    def delete(self, number: int) -> None:
        """Let a person delete a message of the bot's."""
        with self._changed:
            del self.messages[number]

    def end(self) -> None:
        """Answer every poll that hangs."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def answer(self, method: str, given: dict[str, Any]) -> Any:
        """What a method gives."""
        with self._changed:
            self.calls.append((method, given))
            result: Any = getattr(self, f"_{method}")(**given)
            return result

    def _add(self, **told: Any) -> dict[str, Any]:
        with self._changed:
            self._next += 1
            update = {"update_id": self._next, **told}
            self.updates.append(update)
            self._changed.notify_all()
            return update

    def _place(self, chat: int) -> dict[str, Any]:
        kind = "private" if chat > 0 else "group"
        self._message += 1
        return {"message_id": 10**6 + self._message, "chat": {"id": chat, "type": kind}, "from": {"id": abs(chat)}}

    def _getMe(self) -> Any:
        return {"id": 1, "is_bot": True, "username": "a_bot"}

    def _getUpdates(self, timeout: int, allowed_updates: list[str], offset: int | None = None) -> Any:
        assert allowed_updates == ["message", "callback_query"]
        if offset is not None:
            self.updates = [each for each in self.updates if each["update_id"] >= offset]
        self._changed.wait_for(lambda: self.updates or self.repeats or self.ended, timeout)
        again, self.repeats = self.repeats, []
        return [*again, *self.updates][:100]

    def _sendMessage(self, chat_id: int, text: str, **more: Any) -> Any:
        self._check(text, more)
        self._message += 1
        self.messages[self._message] = {"chat": chat_id, "text": text, "buttons": _read_buttons(more)}
        return {"message_id": self._message}

    def _editMessageText(self, chat_id: int, message_id: int, text: str, **more: Any) -> Any:
        message = self._find(chat_id, message_id)
        self._check(text, more)
        new = {"chat": chat_id, "text": text, "buttons": _read_buttons(more)}
        if new == message:
            raise _RefusedError(
                400, "Bad Request: message is not modified: specified new message content and reply ..."
            )
        self.messages[message_id] = new
        return {"message_id": message_id}

    def _editMessageReplyMarkup(self, chat_id: int, message_id: int, **more: Any) -> Any:
        message = self._find(chat_id, message_id)
        if message["buttons"] == _read_buttons(more):
            raise _RefusedError(400, "Bad Request: message is not modified")
        message["buttons"] = _read_buttons(more)
        return {"message_id": message_id}

    def _answerCallbackQuery(self, callback_query_id: str) -> Any:
        return bool(callback_query_id)

    def _getFile(self, file_id: str) -> Any:
        if file_id not in self.files:
            raise _RefusedError(400, "Bad Request: invalid file_id")
        return {"file_id": file_id, "file_path": f"voice/{file_id}"}

    def _find(self, chat: int, number: int) -> dict[str, Any]:
        message = self.messages.get(number)
        if message is None or message["chat"] != chat:
            raise _RefusedError(400, "Bad Request: message to edit not found")
        return message

    def _check(self, text: str, more: dict[str, Any]) -> None:
        """Refuse what Telegram refuses of a text: none, a long one, tags that it does not know or that do not match."""
        opened: list[str] = []
        for end, name in _TAG.findall(text) if more.get("parse_mode") == "HTML" else ():
            if name not in _KNOWN or (end and (not opened or opened.pop() != name)) or (not end and "pre" in opened):
                raise _RefusedError(400, "Bad Request: can't parse entities")
            opened += [] if end else [name]
        read = unescape(_TAG.sub("", text))
        if opened or re.search(r"<(?!/?[a-z]+>)", text):
            raise _RefusedError(400, "Bad Request: can't parse entities")
        if not read.strip():
            raise _RefusedError(400, "Bad Request: message text is empty")
        if len(read.encode("utf-16-le")) // 2 > LONGEST:
            raise _RefusedError(400, "Bad Request: MESSAGE_TOO_LONG")


def _read_buttons(more: dict[str, Any]) -> Any:
    rows = (more.get("reply_markup") or {}).get("inline_keyboard", [])
    assert all(len(each["callback_data"].encode()) <= 64 for row in rows for each in row)
    return rows


def _refuse(fault: Any) -> None:
    if isinstance(fault, tuple):
        raise _RefusedError(429, "Too Many Requests: retry after", retry_after=fault[1])
    if fault not in (None, "cut", "cut before"):
        raise _RefusedError(400, str(fault))


@contextmanager
def telegram_stub() -> Iterator[TelegramStub]:
    """A running stub; `url` is the address of its Bot API."""
    stub = TelegramStub()
    with serve_on_loopback(_handler(stub)) as stub.url:
        try:
            yield stub
        finally:
            stub.end()


def _handler(stub: TelegramStub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = stub.files.get(self.path.rpartition("/")[2])
            self._send(200 if content else 404, content or b"")

        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            _, bot, method = self.path.split("/")
            if bot != f"bot{TOKEN}":
                self._tell(404, {"ok": False, "error_code": 404, "description": "Not Found"})
                return
            fault = stub.faults[method].pop(0) if stub.faults[method] else None
            if isinstance(fault, int):
                self._send(fault, b"<html>bad gateway</html>")
                return
            try:
                _refuse(fault)
                result = None if fault == "cut before" else stub.answer(method, given)
                if fault is None:
                    self._tell(200, {"ok": True, "result": result})
                self.close_connection = fault is not None
            except _RefusedError as exc:
                self._tell(exc.code, exc.told)

        def _tell(self, status: int, told: dict[str, Any]) -> None:
            self._send(status, json.dumps(told).encode())

        def _send(self, status: int, body: bytes) -> None:
            with suppress(ConnectionError):  # whoever asked has ended meanwhile
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        protocol_version = "HTTP/1.1"
        log_message: Callable[..., None] = lambda *_: None

    return Handler
