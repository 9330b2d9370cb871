"""The lines under an answer: what a turn wrote, and what wrote nothing, and why; each in the present language."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

from ana.memory.few_words import describe_property, tell_more
from ana.memory.receipts import Receipt, combine_receipts, describe_change, list_parts, quote_title
from ana.output import escape_controls, quote, shorten
from ana.time.dates import day_of
from ana.translation import _, mark_text

Unwritten: TypeAlias = Mapping[str, Any]
"""A call that wrote nothing: {why: existing, text}, of an item that says the same; {why: failed, text}, the error; or
{why: refused, call: {name, args, changes, day}}, which an earlier version has as a text."""

MOST_LINES = 30
"""How many changes are named one by one."""

MOST_CHARACTERS = 80
"""Of what a line quotes."""

_SENTENCES = mark_text(
    {
        "create_item": "Stores {content}{parts}.",
        "append_context": "Learns about you: {content}.",
        "delete_item": "Deletes {before}.",
        "delete_context": "Forgets line {line}, {before}.",
        "replace_context": "Replaces line {line}, {before}, with {content}.",
        "update_item": "Changes {before}{parts}.",
    }
)
_UNDOES = mark_text(
    {
        "create": "Brings back {before}.",
        "update": "Changes back {before}{parts}.",
        "delete": "Deletes {before}.",
    }
)


def list_changes(
    changes: Sequence[Receipt],
    receipt: str | None,
    unwritten: Sequence[Unwritten] = (),
    describe: Callable[[Receipt], str] = describe_change,
) -> list[str]:
    """Return a line for each record that a turn wrote, and the other lines of its receipt.

    Args:
        receipt: Its receipt as it was recorded.
        unwritten: What did not write anything; if it is known, its lines are in the present language.
        describe: Returns the line of a written record.
    """
    written = [describe(each) for each in combine_receipts(changes)]
    if unwritten:
        more = [tell_more(len(unwritten) - MOST_LINES)] if len(unwritten) > MOST_LINES else []
        return [*written, *map(word_unwritten, unwritten[:MOST_LINES]), *more]
    lines = [line.removeprefix("- ") for line in (receipt or "").splitlines()]
    return written + lines[len(written) :]  # it begins with a line for each record, too


def word_unwritten(unwritten: Unwritten) -> str:
    """Return the line about a call that wrote nothing."""
    existing, failed, refused = name_unwritten()
    text, call = str(unwritten.get("text", "")), unwritten.get("call")
    if unwritten["why"] == "existing":
        return f"{existing}: {quote(text, MOST_CHARACTERS)}"
    if unwritten["why"] == "failed":
        return f"{failed}: {escape_controls(' '.join(_(text).split()))}"
    return f"{refused}: {shorten(describe_refused(call) if call else text, MOST_CHARACTERS)}"


def name_unwritten() -> tuple[str, str, str]:
    """Return the words before an existing item, an error, and a call that the person refused."""
    return _("Already there"), name_failed(), _("Not done, you said no")


def name_failed() -> str:
    """Return the words before the reason why something was not done."""
    return _("Not done")


def describe_refused(call: Mapping[str, Any]) -> str:
    """Return what a call would have done that the person refused."""
    return describe_write(call["name"], call["args"], call["changes"], date.fromisoformat(call["day"][:10]), {})


def describe_write(
    name: str, args: Mapping[str, Any], changes: Iterable[Receipt], today: date, alike: Mapping[str, int]
) -> str:
    """Return what a call would do, in sentences; days of this year are shown without the year.

    Args:
        name: The tool.
        args: Its arguments.
        changes: What it would change; the id of a new record is empty.
        today: The day of the person's message.
        alike: By text, how many of the records that are asked about have it; if several, each is told with its date.
    """
    if name != "undo" and name not in _SENTENCES:
        return _("Runs {name}, a tool of your own.").format(name=name)
    facts = {"content": quote(str(args.get("content", ""))), "line": args.get("line")}
    sentences = [_("Takes back what was done.")] if name == "undo" else []
    for change in changes:
        form = _SENTENCES.get(name) or _UNDOES[change["op"] if change["after"] else "delete"]
        before, parts = _name(change, today, alike), _list_changes(change, today)
        sentences.append(_(form).format(before=before, parts=parts, **facts))
    return " ".join(sentences)


def _name(change: Receipt, today: date, alike: Mapping[str, int]) -> str:
    """Return the text of a record in quotes, with its first date if others have the same text."""
    record, text = change["before"] or change["after"] or {}, find_text(change)
    dated = ((key, value) for key, value in record.get("properties", {}).items() if day_of(value))
    first = next(dated, None) if alike.get(text, 0) > 1 else None
    return quote(text) + (f" ({describe_property(*first, today.year)})" if first else "")


def find_text(change: Receipt) -> str:
    """Return the text of a record; its id if the record does not exist and is not brought back."""
    record = change["before"] or change["after"]
    return str(record["content"] if record else change["id"])


def _list_changes(change: Receipt, today: date) -> str:
    """Return the changes to a record's properties and text, each after a mark."""
    old, new = change["before"], change["after"]
    if new is None or (old and all(old.get(part) == new.get(part) for part in ("content", "properties"))):
        return ""
    parts = list_parts({**change, "after": {**new, "updated_at": str(today)}})
    if old is None:
        return f" ({', '.join(parts)})" if parts else ""
    titles = dict.fromkeys(quote_title(each["content"]) for each in (old, new))
    renamed = [" -> ".join(titles)] if len(titles) > 1 else []
    return f": {', '.join([*renamed, *parts])}"
