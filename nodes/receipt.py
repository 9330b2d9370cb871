"""The receipt under an answer: the writes of the turn as the store confirmed them, items that existed already, and
failures.

It is part of the answer's message, so that every door shows it. The model is sent the message without the receipt,
because it would learn to write receipts of its own; a message of the program tells it the record of an earlier turn.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage

from ana.memory.few_words import tell_more
from ana.memory.receipt_lines import MOST_CHARACTERS, MOST_LINES, name_unwritten, word_unwritten
from ana.memory.receipts import Receipt, combine_receipts, name_verbs, word_change
from ana.output import shorten
from ana.tracing.schema import RefusedCall, Unwritten
from ana.translation import _
from ana.values import read_object
from tools.catalog import WRITERS

SEPARATOR = "\n\n---\n"
"""Markdown's rule."""

RECEIPT = "ana_receipt"
"""In an answer's `additional_kwargs`: the receipt that stands at its end."""

RECORDED, DAY, VIEW = "ana_recorded", "ana_day", "ana_view"
"""In an answer's `additional_kwargs`: what was recorded of its turn, as the model is told it later, the day
on which the person wrote, and who told the text of others that was in view when it was written."""

_OPS = {"create": "created", "update": "changed", "delete": "deleted"}
_RECORD = re.compile(r"^\[recorded [^\]\n]*\]\n?", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """A call of the turn, with its answer.

    Args:
        tool: The tool that was asked for.
        args: Its arguments.
        text: The text of the answer to the model.
        ok: Whether the answer is a result, not an error.
        step: The number of the model's decision that asked for it.
        receipts: The receipts of its writes.
        existing: The text of an item that says the same; because of it, nothing was stored.
    """

    tool: str
    args: Mapping[str, Any]
    text: str
    ok: bool = True
    step: int = 0
    receipts: tuple[Receipt, ...] = ()
    existing: str | None = None

    @property
    def exchange(self) -> str:
        """The call's arguments and its result."""
        return f"{self.args} {self.text}"


def render_receipt(calls: Sequence[Call], declined: Sequence[RefusedCall | str] = ()) -> str:
    """Return a line for each write of a turn: done, unnecessary because it existed, failed, or refused.

    Arguments as of `list_unwritten`.
    """
    receipts = (receipt for call in calls for receipt in call.receipts)
    lines = [word_change(receipt) for receipt in combine_receipts(receipts)]
    lines += map(word_unwritten, list_unwritten(calls, declined))
    more = [tell_more(len(lines) - MOST_LINES)] if len(lines) > MOST_LINES else []
    return "\n".join(f"- {line}" for line in [*lines[:MOST_LINES], *more])


def list_unwritten(calls: Sequence[Call], declined: Sequence[RefusedCall | str] = ()) -> list[Unwritten]:
    """Return what wrote nothing in a turn: copies of existing items, failures, and refused calls.

    Args:
        calls: The calls that were answered.
        declined: The calls that the person refused; of an earlier version in words.
    """
    copies = (shorten(call.existing, MOST_CHARACTERS) for call in calls if call.existing)
    errors = (str(read_object(call.text).get("error", call.text)) for call in find_failed(calls))
    refused: Iterable[Unwritten] = (
        {"why": "refused", "text": each} if isinstance(each, str) else {"why": "refused", "call": each}
        for each in declined
    )
    return [
        *(Unwritten(why="existing", text=text) for text in copies),
        *(Unwritten(why="failed", text=text) for text in errors),
        *refused,
    ]


def find_failed(calls: Iterable[Call]) -> list[Call]:
    """Return the failed writes, without those that a later decision of the model repaired."""
    failed: list[Call] = []
    for call in (call for call in calls if call.tool in WRITERS):
        if not call.ok:
            failed.append(call)
        # a batch is decided at once: a success beside a failure is another thing's
        elif again := next((other for other in failed if _repeats(call, other)), None):
            failed.remove(again)
    return failed


def _repeats(call: Call, failed: Call) -> bool:
    same = failed.args.get("id") is not None and failed.args.get("id") == call.args.get("id")
    return (call.step > failed.step or same) and call.tool == failed.tool


def name_unchanged() -> str:
    """Return the text in place of a receipt if nothing was written."""
    return _("no changes")


def name_recorded(changes: Iterable[Receipt]) -> str:
    """Return the writes of a turn for later prompts, as ids only, because the texts may be by others."""
    done = combine_receipts(changes)
    parts = [f"{_OPS[each['op']]} {'line ' if each['kind'] == 'line' else ''}{each['id']}" for each in done]
    more = [f"and {len(parts) - MOST_LINES} more"] if len(parts) > MOST_LINES else []
    return f"changed: {', '.join([*parts[:MOST_LINES], *more])}" if parts else "no changes"


def make_answer(
    answer: str, receipt: str, recorded: str, id: str, day: str = "", source: str = "", **more: Any
) -> AIMessage:
    """Return the message of an answer.

    Args:
        receipt: The text under it; may be empty.
        recorded: The record of its turn; empty if it is unknown.
        day: The day on which the person wrote.
        source: The source of the text by others that was in view; empty if none was.
        more: Further fields of the message.
    """
    kept = {RECEIPT: receipt, RECORDED: recorded, DAY: day, VIEW: source}
    fields = {name: text for name, text in kept.items() if text}
    return AIMessage(add_receipt(answer, receipt), id=id, additional_kwargs=fields, **more)


def tell_recorded(answer: AnyMessage) -> str:
    """Return the record of an answer's turn with its day, as far as they are known."""
    return ", ".join(str(answer.additional_kwargs[key]) for key in (DAY, RECORDED) if key in answer.additional_kwargs)


def find_day(turn: Sequence[AnyMessage]) -> str:
    """Return the day of a turn that was answered; empty if it is not known."""
    return str(turn[-1].additional_kwargs.get(DAY, "")) if turn else ""


def add_receipt(answer: str, receipt: str) -> str:
    """Return an answer with its receipt, the text of its message."""
    return f"{answer}{SEPARATOR}{receipt}" if receipt else answer


def strip_receipt(text: str) -> str:
    """Return a text without the receipt under it, and without a receipt or a record that a model made up."""
    verbs = "|".join(map(re.escape, (*name_verbs().values(), *name_unwritten())))
    line = rf"- (?:(?:{verbs}): [^\n]*|{tell_more(0).replace('0', '[0-9]+')})"
    receipt = rf"{SEPARATOR}(?:{line}(?:\n{line})*|{name_unchanged()}(?:\n- [^\n]*)*)\s*\Z"
    return re.sub(receipt, "", _RECORD.sub("", text)).strip()


def hide_receipt(message: AnyMessage) -> AnyMessage:
    """Return a message in the form that the model is sent."""
    receipt = message.additional_kwargs.get(RECEIPT)
    if not isinstance(message, AIMessage) or not isinstance(receipt, str):
        return message
    return message.model_copy(update={"content": message.text.removesuffix(f"{SEPARATOR}{receipt}")})
