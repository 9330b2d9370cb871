"""One item: its fields, its history, where it came from, and what is like it."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.errors import RecordChanged
from ana.handles import DataHandles
from ana.memory.authors import REMINDER, find_author
from ana.memory.changes import make_edit
from ana.memory.item import Item
from ana.memory.receipts import describe_change, make_receipt
from ana.memory.status import CLOSED, has_status
from ana.memory.undo import find_all_undone
from ana.memory.views import localize
from ana.people.grants import can_grant
from ana.time.repeats import DATE_KEYS
from ana.translation import _
from ana.values import Json, Properties
from app.page.acts import go_on
from app.page.fields import fill_fields, list_fields, read_fields, read_new
from app.page.forms import read_text
from app.page.marking import claim, delete, get_item, mark_all, read_dates
from app.page.shared import list_viewers
from app.page.shell import render
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool
from app.show.items import describe_sources
from app.show.text import shorten, show_moment

VERSIONS, ALIKE = 50, 3
"""Changes of an item that are told, and items like it."""

STANDARD: Properties = {"due_date": "", "status": "", "type": "", "project": "", "tags": []}
"""Properties that have a field also where an item has none of them."""

STATUSES = ("active", "done", "cancelled")
"""What the status of an item can be set to beside what it is."""

PREFIX = "field-"


@dataclass(frozen=True)
class Version:
    """A change of an item.

    Args:
        when: When it was made.
        told: What changed.
        turn: The turn of a conversation that made it; empty where it was made by hand.
        act: What can be taken back; empty where it was.
    """

    when: str
    told: str
    turn: str
    act: str


async def show(request: Request) -> Response:
    """GET /app/items/{id}: an item with its history."""
    handles = (await find_workspace(request)).handles
    return await _render(request, handles, await run_in_threadpool(get_item, handles, request.path_params["id"]))


async def save(request: Request, form: FormData) -> Response | str:
    """POST /app/items/{id}: {content, field-NAME, new-name, new-value, shown}, as it was shown; or {delete}, or {mine}.

    A property whose field is empty is taken away.
    """
    handles = (await find_workspace(request)).handles
    item = await run_in_threadpool(get_item, handles, request.path_params["id"])
    if "delete" in form:
        return go_on("/items", await run_in_threadpool(mark_all, handles, [item.id], delete))
    if "mine" in form:
        return go_on(f"/items/{item.id}", await run_in_threadpool(claim, handles, [item.id]))
    content, by = str(form.get("content", item.content)).replace("\r\n", "\n"), make_edit()
    changed = read_dates(_read_changes(item, form), handles.clock.now().date())
    if not changed and content == item.content:
        return go_on(f"/items/{item.id}")
    new = content if content != item.content else None
    try:
        await run_in_threadpool(handles.memory.update, item.id, new, changed, by, read_text(form, "shown"))
    except RecordChanged:
        return await _render(request, handles, await run_in_threadpool(get_item, handles, item.id), form)
    return go_on(f"/items/{item.id}", by.turn)


def _list_values(item: Item) -> dict[str, Json]:
    """Return the properties of an item in the order of their fields, with those that it could have."""
    both = STANDARD | item.properties
    if "due_date" not in item.properties and item.properties.keys() & {*DATE_KEYS}:
        del both["due_date"]
    first = [name for name in (*DATE_KEYS, *STANDARD) if name in both]
    return {name: both[name] for name in dict.fromkeys([*first, *both])}


def _read_changes(item: Item, form: FormData) -> Properties:
    """Return the properties that a form changes; None for one that it takes away. Errors as of `read_fields`."""
    written = read_fields(_list_values(item), form, PREFIX)
    if name := read_text(form, "new-name"):
        written[name] = read_new(read_text(form, "new-value"))
    changed: Properties = {
        name: value for name, value in written.items() if value not in ("", []) and item.properties.get(name) != value
    }
    emptied: Properties = dict.fromkeys(name for name in item.properties if name not in written)
    return changed | emptied


async def _render(request: Request, handles: DataHandles, item: Item, form: FormData | None = None) -> Response:
    """Return the page of an item, with what was written in its fields where that could not be saved."""
    fields = list_fields(_list_values(item))
    names = await run_in_threadpool(handles.memory.vocabulary.names)
    like = await run_in_threadpool(handles.memory.find_similar, item.id, None, ALIKE)
    status = str(item.properties.get("status", ""))
    return await render(
        request,
        "item.html",
        status=200 if form is None else 409,
        item=item,
        sources=describe_sources(item),
        zone=localize(item, handles.clock.zone).zone,
        content=item.content if form is None else str(form.get("content", "")),
        fields=fields if form is None else fill_fields(fields, form, PREFIX),
        prefix=PREFIX,
        dates=DATE_KEYS,
        statuses=[*dict.fromkeys(["", *STATUSES, status])],
        known={name: [each for each, _ in names.get(name, ())[:20]] for name in ("type", "project")},
        is_older=form is not None,
        is_done=has_status(item.properties, CLOSED),
        current=[(each.label, each.written) for each in fields if each.written],
        viewers=await run_in_threadpool(list_viewers, handles, item.id),
        can_share=not request.state.is_alone and can_grant(item),
        like=[(each.id, shorten(each.content, 100)) for each in like.items],
        versions=await run_in_threadpool(_list_versions, handles, item.id),
    )


def _list_versions(handles: DataHandles, id: str) -> Sequence[Version]:
    entries, undone = handles.memory.history(id=id, limit=VERSIONS), find_all_undone(handles.memory)
    return [
        Version(
            (_("{moment}, from the reminder") if find_author(entry.turn) == REMINDER else "{moment}").format(
                moment=show_moment(entry.ts, handles.clock)
            ),
            describe_change(make_receipt(entry.change, handles.clock.zone)),
            entry.turn if "-" not in entry.turn else "",
            entry.turn if entry.turn not in undone else "",
        )
        for entry in entries
    ]
