"""Images and files in a message: nothing here reads them, so they are taken out and the answer says so."""

from langchain_core.messages import AnyMessage, HumanMessage

from ana.translation import _

MARK = "left_out"
"""Key in a message's `additional_kwargs` with the kinds of content that were taken out of it."""


def list_unread(message: AnyMessage) -> list[str]:
    """Return the kinds of content in a message that are not text, including those that were removed."""
    blocks = message.content if isinstance(message.content, list) else []
    kinds = {str(block.get("type")) for block in blocks if isinstance(block, dict) and block.get("type") != "text"}
    return sorted(kinds | set(message.additional_kwargs.get(MARK, ())))


def keep_text(message: HumanMessage) -> HumanMessage:
    """Return a message with its text alone, as it is kept.

    Attachments would be sent to the model with every later message, and written with every checkpoint.
    """
    if not (kinds := list_unread(message)):
        return message
    marks = message.additional_kwargs | {MARK: kinds}
    return message.model_copy(update={"content": message.text, "additional_kwargs": marks})


def explain_unread(message: AnyMessage) -> str:
    """Return the sentence that an answer ends with; nothing for a message that is all text."""
    return "\n\n" + _("Images and files are not read; this answers the text.") if list_unread(message) else ""
