"""Finding records that resemble a new one: a copy in other words, or an older fact that the new one may replace."""

from ana.memory.changes import Kind
from ana.memory.item import Item
from ana.memory.similar import find_older, find_twins
from ana.memory.views import tell_source
from ana.values import Json
from tools.call import CallContext
from tools.noticing import show_similar


def tell_alike(call: CallContext, kind: Kind, record: Item, most: int) -> dict[str, Json]:
    """Return under `similar` the records that say nearly the same as a new one, or that it may replace, with the day
    on which each was recorded."""
    backend = call.memory.backend
    older = find_older(backend, kind, record)
    alike = {each.id: each for each in (*find_twins(backend, kind, record, most), *older)}
    show = show_similar if kind == "item" else show_line
    rows: list[Json] = [show(each) | call.tell_recorded(each) for each in [*alike.values()][:most]]
    return {"similar": rows} if rows else {}


def show_line(line: Item) -> dict[str, Json]:
    """Return a line of Global Context with its number."""
    return {"line": int(line.id), "content": line.content, **tell_source(line)}
