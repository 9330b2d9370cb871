"""The receipt under an answer: what the turn wrote, as the store confirmed it, what was there already, and what failed.

It is part of the answer's message, so that every door shows it. The model is sent the message without it, for it would
learn to write receipts of its own; what was recorded of an earlier turn it is told in a message of the program.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage

from ana.memory.few_words import tell_more
from ana.memory.receipts import Receipt, combine_receipts, name_failed, name_verbs, word_change
from ana.output import escape_controls, quote, shorten
from ana.translation import _
from nodes.answers import Call
from tools.catalog import WRITERS

SEPARATOR = "\n\n---\n"
"""Markdown's rule."""

MOST_LINES = 30
"""How many changes are named one by one."""

MOST_CHARACTERS = 80
"""Of the text of an item that was there already."""

RECEIPT = "ana_receipt"
"""In an answer's `additional_kwargs`: the receipt that stands at its end."""

RECORDED, DAY = "ana_recorded", "ana_day"
"""In an answer's `additional_kwargs`: what was recorded of its turn, as the model is told it in the turns after, and
the day on which the person wrote. An earlier version kept no day."""

_OPS = {"create": "created", "update": "changed", "delete": "deleted"}
_FORMER = re.compile(r"(?:- [^\n]*(?:\n- [^\n]*)*|[^\n?]{,100})\s*")
"""A receipt of an earlier version, in whichever language: a list, or a sentence."""
_RECORD = re.compile(r"^\[recorded [^\]\n]*\]\n?", re.MULTILINE)


def render_receipt(calls: Sequence[Call], declined: Sequence[str] = ()) -> str:
    """Return a line for each write of a turn: done, unnecessary because it existed, failed, or refused.

    Args:
        calls: The calls that were answered.
        declined: What the person refused, in words.
    """
    receipts = (receipt for call in calls for receipt in call.receipts)
    lines = [word_change(receipt) for receipt in combine_receipts(receipts)]
    existing, failed, refused = _name_rest()
    lines += [f"{existing}: {quote(call.existing, MOST_CHARACTERS)}" for call in calls if call.existing]
    lines += [f"{failed}: {escape_controls(' '.join(read_error(call).split()))}" for call in find_failed(calls)]
    lines += [f"{refused}: {shorten(each, MOST_CHARACTERS)}" for each in declined]
    more = [tell_more(len(lines) - MOST_LINES)] if len(lines) > MOST_LINES else []
    return "\n".join(f"- {line}" for line in [*lines[:MOST_LINES], *more])


def find_failed(calls: Iterable[Call]) -> list[Call]:
    """Return the writes that failed, without those that a later decision of the model made good."""
    failed: list[Call] = []
    for call in calls:
        if call.tool in WRITERS and not call.ok:
            failed.append(call)
        elif call.tool in WRITERS:
            # a batch is decided at once: a success beside a failure is another thing's
            again = next((other for other in failed if _repeats(call, other)), None)
            failed = [other for other in failed if other is not again]
    return failed


def _repeats(call: Call, failed: Call) -> bool:
    same = failed.args.get("id") is not None and failed.args.get("id") == call.args.get("id")
    return (call.step > failed.step or same) and call.tool == failed.tool


def read_error(call: Call) -> str:
    """Return the sentence with which a call failed."""
    return str(call.read().get("error", call.text))


def name_unchanged() -> str:
    """Return the text in place of a receipt if nothing was written."""
    return _("no changes")


def _name_rest() -> tuple[str, str, str]:
    """Return what a receipt says of what was there already, of what failed and of what the person refused."""
    return _("Already there"), name_failed(), _("Not done, you said no")


def name_recorded(changes: Iterable[Receipt]) -> str:
    """Return the writes of a turn for later prompts, as ids only, because the texts may be by others."""
    done = combine_receipts(changes)
    parts = [f"{_OPS[each['op']]} {'line ' if each['kind'] == 'line' else ''}{each['id']}" for each in done]
    more = [f"and {len(parts) - MOST_LINES} more"] if len(parts) > MOST_LINES else []
    return f"changed: {', '.join([*parts[:MOST_LINES], *more])}" if parts else "no changes"


def make_answer(answer: str, receipt: str, recorded: str, id: str, day: str = "", **more: Any) -> AIMessage:
    """Return the message of an answer.

    Args:
        receipt: The text under it; may be empty.
        recorded: What was recorded of its turn; empty if it is not known.
        day: On which the person wrote.
        more: Further fields of the message.
    """
    fields = {name: text for name, text in ((RECEIPT, receipt), (RECORDED, recorded), (DAY, day)) if text}
    kwargs = {**fields, **more.pop("additional_kwargs", {})}
    return AIMessage(add_receipt(answer, receipt), id=id, additional_kwargs=kwargs, **more)


def tell_recorded(answer: AnyMessage) -> str:
    """Return the record of an answer's turn with its day, as far as they are known."""
    return ", ".join(str(answer.additional_kwargs[key]) for key in (DAY, RECORDED) if key in answer.additional_kwargs)


def find_day(turn: Sequence[AnyMessage]) -> str:
    """Return the day of a turn that was answered; empty if it is not known."""
    return str(turn[-1].additional_kwargs.get(DAY, "")) if turn else ""


def add_receipt(answer: str, receipt: str) -> str:
    """Return an answer as its message holds it."""
    return f"{answer}{SEPARATOR}{receipt}" if receipt else answer


def strip_receipt(text: str) -> str:
    """Return a text without the receipt under it, and without a receipt or a record that a model made up."""
    verbs = "|".join(map(re.escape, (*name_verbs().values(), *_name_rest())))
    line = rf"- (?:(?:{verbs}): [^\n]*|{tell_more(0).replace('0', '[0-9]+')})"
    receipt = rf"{SEPARATOR}(?:{line}(?:\n{line})*|{name_unchanged()}(?:\n- [^\n]*)*)\s*\Z"
    return re.sub(receipt, "", _RECORD.sub("", text)).strip()


def hide_receipt(message: AnyMessage) -> AnyMessage:
    """Return a message as the model is sent it."""
    if not isinstance(message, AIMessage) or "\n---\n" not in (text := message.text):
        return message
    return message.model_copy(update={"content": _strip(text, message.additional_kwargs.get(RECEIPT))})


def _strip(text: str, receipt: object) -> str:
    """Return the text of an answer without its receipt.

    Args:
        receipt: That; if it is no text, an earlier version made the message, which did not keep it.
    """
    if isinstance(receipt, str):
        return text.removesuffix(f"{SEPARATOR}{receipt}")
    answer, rule, under = text.rpartition(SEPARATOR)
    return answer if rule and _FORMER.fullmatch(under) else text
