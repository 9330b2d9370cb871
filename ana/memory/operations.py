"""Operations on the values of an item: an update adds to a value or takes from it, instead of replacing it.

Otherwise a model that adds two entries to a list of seven would have to send the whole list again, and entries that it
omits would be lost.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from ana.errors import ToolError
from ana.time.dates import day_of, read_moment, write_moment
from ana.values import Json, fold_case, list_others

OPERATORS = ("$add", "$remove", "$append", "$replace", "$shift")
FORM = (
    'Write {"items": {"$add": ["goggles"], "$remove": ["map"]}} for a list, {"hours": {"$add": 3}} for a number, '
    '{"notes": {"$append": "..."}} or {"$replace": ["old", "new"]} for a text, {"due_date": {"$shift": "-2 days"}} '
    "for a date; anything else is the new value."
)
_IN_TEXT = re.compile(r'\s*\{\s*"?\$(?:add|remove|append|replace|shift)"?\s*:')
_DISTANCE = re.compile(r"([+-]?\d{1,4}) (minute|hour|day|week|month|year)s?")


@dataclass(frozen=True)
class Operation:
    """A change to the value of a property, or to `content`; fields that are None do nothing.

    `add` is entries of a list, or a number; `remove` entries; `append` text that is added below a text; `replace` a
    piece of a text, and its new wording; `shift` a distance by which a date moves, as count and unit.
    """

    name: str
    add: Json = None
    remove: Json = None
    append: str | None = None
    replace: tuple[str, str] | None = None
    shift: tuple[int, str] | None = None

    def apply(self, old: Json) -> Json:
        """Apply it to an old value, or None, and return the new one.

        Raises ToolError if the value has another type, or if the part to remove or replace is not there exactly once.
        """
        if self.shift is not None:
            return self.move(old)
        if self.append is not None:
            return self._append(old)
        if self.replace is not None:
            return self._replace_piece(old, *self.replace)
        if isinstance(self.add, int | float) and not isinstance(self.add, bool) and not isinstance(old, list):
            return self._sum(old, self.add)
        return self._change_list(old)

    def move(self, old: Json) -> Json:
        """Return the date, or the dates of a list or object, moved by the distance. Raises ToolError if one is not."""
        if isinstance(old, list):
            return [self.move(each) for each in old]
        if isinstance(old, dict):
            return {str(self.move(key)): self.move(value) for key, value in old.items()}
        if not day_of(old):
            raise ToolError(
                f"{self.name} holds no date that could be moved. Nothing was changed.", "Leave it out, or set one."
            )
        from dateutil.relativedelta import relativedelta

        count, unit = self.shift or (0, "day")
        is_day = read_moment(old) is None
        if is_day and unit in ("minute", "hour"):
            raise ToolError(f"{self.name} is a whole day, which no {unit} moves. Nothing was changed.", FORM)
        distance: Any = {f"{unit}s": count}
        try:
            moved = datetime.fromisoformat(str(old)) + relativedelta(**distance)
        except (OverflowError, ValueError) as exc:
            raise ToolError(f"{self.name} would be beyond the calendar. Nothing was changed.", FORM) from exc
        return moved.date().isoformat() if is_day else write_moment(moved)

    def _append(self, old: Json) -> str:
        if old is not None and not isinstance(old, str):
            raise self._refuse(old, "text")
        return f"{old}\n{self.append}" if old and old.strip() else str(self.append)

    def _replace_piece(self, old: Json, piece: str, new: str) -> str:
        if not isinstance(old, str):
            raise self._refuse(old, "text")
        if (count := old.count(piece)) != 1:
            problem = f"is {count} times" if count else "is not"
            raise ToolError(f"{piece[:60]!r} {problem} in {self.name}.", "Give a piece that is there once, as written.")
        if not (rest := old.replace(piece, new)).strip():
            raise ToolError(f"Nothing would be left of {self.name}.", "Delete the item, or set the property to null.")
        return rest

    def _sum(self, old: Json, added: int | float) -> int | float:
        if old is None:
            return added
        if isinstance(old, bool) or not isinstance(old, int | float):
            raise self._refuse(old, "a number")
        if isinstance(old, int) and isinstance(added, int):
            return old + added
        return float(Decimal(str(old)) + Decimal(str(added)))  # as people add: .1 + .2 is .3

    def _change_list(self, old: Json) -> list[Json]:
        if old is not None and not isinstance(old, list):
            raise self._refuse(old, "a list")
        rest, missing = old or [], _to_list(self.remove)
        # a text that is not there may be one that differs only in case
        for key in (_to_key, _to_folded_key):
            rest, missing = _take_out(missing, rest, key), _take_out(rest, missing, key)
        if missing:
            named = ", ".join(repr(str(entry)[:60]) for entry in missing)
            there, verb = ", ".join(map(str, old or []))[:400] or "nothing", "is" if len(missing) == 1 else "are"
            hint = f"Nothing was changed. There is: {there}. Write it as there, with all that goes."
            raise ToolError(f"{named} {verb} not in {self.name}.", hint)
        return rest + list_others(_to_list(self.add), rest)

    def _refuse(self, old: Json, wanted: str) -> ToolError:
        return ToolError(f"{self.name} is {str(old)[:60]!r}, which is not {wanted}. Nothing was changed.", FORM)


def read_operations(properties: Mapping[str, Any]) -> dict[str, "Json | Operation"]:
    """Return the properties of an update, with an operation wherever an object has operators only.

    Raises ToolError if operators are mixed with other keys, unknown, or sent as text.
    """
    return {name: read_operation(name, value) for name, value in properties.items()}


def read_operation(name: str, value: Any) -> "Json | Operation":
    """Return an operation if a value is one, else the value. Arguments and errors as in `read_operations`."""
    if isinstance(value, str) and _IN_TEXT.match(value):
        raise ToolError(f"The operators of {name} were sent as text.", f"Send an object. {FORM}")
    if not isinstance(value, dict) or not any(key.startswith("$") for key in value):
        literal: Json = value
        return literal
    if others := [key for key in value if key not in OPERATORS]:
        raise ToolError(f"{name} has {others[0][:60]!r} beside or instead of operators.", FORM)
    entries = [value[key] for key in ("$add", "$remove") if key in value]
    is_wrong = None in entries or ("$append" in value and (entries or not isinstance(value["$append"], str)))
    swap = value.get("$replace", ["-", ""])
    is_swap = isinstance(swap, list) and [*map(type, swap)] == [str, str] and swap[0]
    distance = _DISTANCE.fullmatch(str(value.get("$shift", "0 days")).strip())
    is_alone = len(value) == 1 or not {"$replace", "$shift"} & value.keys()
    if is_wrong or not is_swap or not distance or not is_alone:
        raise ToolError(f"The operators of {name} do not go with what they are given.", FORM)
    pieces = (swap[0], swap[1]) if "$replace" in value else None
    shift = (int(distance[1]), distance[2]) if "$shift" in value else None
    return Operation(name, value.get("$add"), value.get("$remove"), value.get("$append"), pieces, shift)


def apply_to(old: Json, change: "Json | Operation") -> Json:
    """Return a value after a change, which is an operation or the new value. Errors as in `Operation.apply`."""
    return change.apply(old) if isinstance(change, Operation) else change


def _to_list(entries: Json) -> list[Json]:
    return entries if isinstance(entries, list) else [] if entries is None else [entries]


def _take_out(others: Sequence[Json], entries: Sequence[Json], to_key: Callable[[Json], Hashable]) -> list[Json]:
    """Return the entries without the others; each of these takes out the first entry with its key that is left."""
    counts = Counter(map(to_key, others))
    rest = []
    for entry in entries:
        if counts[to_key(entry)]:
            counts[to_key(entry)] -= 1
        else:
            rest.append(entry)
    return rest


def _to_key(entry: Json) -> Hashable:
    return ("", json.dumps(entry, sort_keys=True)) if isinstance(entry, list | dict) else entry


def _to_folded_key(entry: Json) -> Hashable:
    return _to_key(fold_case(entry))
