"""How things look in a terminal, and in a pipe."""

from typing import TYPE_CHECKING, Any

from ana.dates import day_of, weekday

if TYPE_CHECKING:
    from rich.console import Console

    from app.assistant import Answer, Event

SIGNS = {"create": "+", "update": "~", "delete": "-"}


def make_console() -> "Console":
    """The console for people: colours only in a terminal, and only ones that light and dark both carry."""
    from rich.console import Console

    return Console(highlight=False, markup=False, soft_wrap=True)


def short(text: str, width: int = 72) -> str:
    """One line of at most `width` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def tool_line(event: "Event") -> str:
    """A tool call as one quiet line."""
    said = [str(v) for v in event["args"].values() if isinstance(v, str | int | float)]
    mark = "·" if event["ok"] else "✗"
    return short(f"{mark} {event['tool']} {' '.join(said)}")


def change_line(change: dict[str, Any]) -> str:
    """A receipt as people read it: + Buy milk (task, due Friday 2026-11-27)."""
    record = change["after"] or change["before"]
    name = f"I know: {record['content']}" if change["kind"] == "line" else record["content"]
    return f"{SIGNS[change['op']]} {short(name, 60)}{_details(change)}"


def property_text(name: str, value: object) -> str:
    """A property in a few words; a date with its weekday, a type or status bare."""
    day = day_of(value)
    shown = f"{weekday(day)} {value}" if day else str(value)
    if name in ("type", "status"):
        return shown
    return f"due {shown}" if name == "due_date" else f"{name.replace('_', ' ')} {shown}"


def answer_lines(answer: "Answer") -> list[str]:
    """The changes of a turn, rendered from its receipts."""
    return [f"  {change_line(change)}" for change in answer.changes]


def _details(change: dict[str, Any]) -> str:
    before = (change["before"] or {}).get("properties", {})
    after = (change["after"] or {}).get("properties", {})
    if change["op"] == "update":
        said = [property_text(k, v) for k, v in after.items() if before.get(k) != v]
        said += [f"no {k.replace('_', ' ')}" for k in before if k not in after]
    else:
        said = [property_text(k, v) for k, v in (after or before).items()]
    return f" ({short(', '.join(said), 80)})" if said else ""
