"""Output of a recorded turn, and of two side by side."""

import json
from collections.abc import Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ana.memory.receipt_lines import list_changes
from ana.output import write_line
from ana.translation import _, ngettext, show_number
from app.show.answers import show_text
from app.show.steps import describe_observation, describe_step
from app.show.tables import show_table
from app.show.text import say, shorten

if TYPE_CHECKING:
    from ana.tracing.schema import Record
    from app.replay.compare import Difference


def tell_turn(record: "Record") -> None:
    """Print a turn: the question, steps, answer, changes, timings and cost."""
    say(f"{record['ts']}  {record['id']}\n> {record['question']}")
    for number, step in enumerate(record["steps"], 1):
        say(f"{number}  {describe_step(step)}")
        say(f"   {describe_observation(step)}")
    write_line()
    show_text(record["answer"])
    for line in list_changes(record.get("changes", []), record.get("receipt"), record.get("unwritten", [])):
        say(f"  {line}")
    write_line()
    for line in _list_facts(record):
        say(line)


def word_difference(record: "Record", difference: "Difference | None") -> list[str]:
    """Return lines that say whether a rerun was the same or where it first differs."""
    if difference is None:
        steps = len(record["steps"])
        return [
            ngettext("The same again: {n} step and the answer.", "The same again: {n} steps and the answer.", steps)
        ]
    within, last = _("Different at step {n}, {tool}: {what}"), _("Different at its end: {what}")
    place = (within if difference.step else last).format(n=difference.step, tool=difference.tool, what=difference.what)
    recorded, again = _("  recorded  {text}"), _("  now       {text}")
    return [place, recorded.format(text=_quote(difference.recorded)), again.format(text=_quote(difference.again))]


def show_side_by_side(recorded: "Record", again: "Record", name: str) -> None:
    """Print two trajectories of a turn as a table.

    Args:
        recorded: The turn.
        again: The same message, answered by another model or prompt.
        name: The name of that model or prompt.
    """
    steps = [[f"{describe_step(s)}\n  {describe_observation(s)}" for s in each["steps"]] for each in (recorded, again)]
    rows = [(str(number), *pair) for number, pair in enumerate(zip_longest(*steps, fillvalue=""), 1)]
    rows.append(("answer", recorded["answer"], again["answer"]))
    if any(receipts := [record.get("receipt") or "" for record in (recorded, again)]):
        rows.append(("receipt", *receipts))
    rows.append(("took", describe_cost(recorded), describe_cost(again)))
    show_table(("step", f"recorded, {recorded.get('model', '')}", name), rows, fixed=("step",))


def _list_facts(record: "Record") -> list[str]:
    spent: Mapping[str, float] = record.get("durations", {})
    parts = " · ".join(f"{name} {seconds:.3f} s" for name, seconds in spent.items())
    error = [f"It ended with an error: {record['error']}"] if record.get("error") else []
    who = f"{record.get('model', '')} ({record.get('provider', '')}), conversation {record.get('thread_id', '')[:8]}"
    return [*error, f"{sum(spent.values()):.3f} s: {parts}", f"{who}, turn {record['id']}", describe_cost(record)]


def describe_cost(record: "Record") -> str:
    """Return a turn's model usage in one line."""
    usage, usd, both = record.get("usage", {}), record.get("cost_usd"), (record.get("decisions"), record.get("checks"))
    calls = ngettext("{n} model call", "{n} model calls", sum(len(each) for each in both if isinstance(each, list)))
    about = _("about {read:,} tokens in and {written:,} out")
    form = about if usage.get("estimated") else _("{read:,} tokens in and {written:,} out")
    tokens = form.format(read=usage.get("input_tokens", 0), written=usage.get("output_tokens", 0))
    return ", ".join([calls, tokens, *([f"{show_number(usd, 6)} USD"] if usd else [])])


def _quote(value: Any) -> str:
    return shorten(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 300)
