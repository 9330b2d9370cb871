"""Updates for the bot: a message or a pressed button, with the fields that ana needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ana.text import replace_faults

Kind = Literal["text", "voice", "other", "button"]


@dataclass(frozen=True)
class Update:
    """A message to the bot, or a pressed button.

    Args:
        id: Telegram's number, which is stable for an update.
        chat: The chat, which in a private chat also identifies the sender.
        at: The time in seconds since 1970; 0 if unknown.
        text: The message text, or a button's data.
        is_others: Whether it is by somebody else: forwarded, or from another bot.
        file: The id of a voice message.
        pressed: The id for acknowledging a button.
        message: The message, or the message with the button.
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
    """Return an update; None if it is from a group or a channel, or needs no action.

    Raises:
        LookupError: It does not match the Bot API; TypeError and AttributeError mean the same.
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
