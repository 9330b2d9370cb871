"""What a bot is told: a message, or a button that was pressed, as far as it matters here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ana.text import replace_faults

Kind = Literal["text", "voice", "other", "button"]


@dataclass(frozen=True)
class Update:
    """A message to the bot, or a button that was pressed.

    Args:
        id: Telegram's number of it; the same update always has the same.
        chat: Where, which in a chat of two is also who.
        at: When, in seconds since 1970; 0 if that is not told.
        text: What was written; of a button what it says to us.
        is_others: Whether somebody else wrote or said it: it was forwarded, or comes from another bot.
        file: The id of a voice message.
        pressed: The id by which a button is told that it was seen.
        message: The message, or that which the button is under.
    """

    id: int
    chat: int
    kind: Kind
    at: int = 0
    text: str = ""
    is_others: bool = False
    file: str = ""
    pressed: str = ""
    message: int = 0


def read_update(raw: Mapping[str, Any]) -> Update | None:
    """Return an update; None if it is of a group or a channel, of which nothing is read, or asks for nothing.

    Raises:
        LookupError: It is not what the Bot API describes, as are TypeError and AttributeError.
    """
    if query := raw.get("callback_query"):
        message, sender = query.get("message") or {}, query["from"]["id"]
        if message.get("chat", {}).get("id") != sender:
            return None
        data, number = str(query.get("data", "")), int(message["message_id"])
        return Update(raw["update_id"], sender, "button", text=data, pressed=str(query["id"]), message=number)
    message = raw.get("message")
    if not message or message["chat"].get("type") != "private":
        return None
    voice = message.get("voice") or {}
    kind: Kind = "voice" if voice else "text" if "text" in message else "other"
    return Update(
        raw["update_id"],
        message["chat"]["id"],
        kind,
        message.get("date", 0),
        str(replace_faults(message.get("text", ""))),
        any(name in message for name in ("forward_origin", "forward_date", "via_bot")),
        str(voice.get("file_id", "")),
        message=message["message_id"],
    )
