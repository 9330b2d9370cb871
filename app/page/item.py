"""One item: its fields, its history, its source, and similar items."""

from ana.errors import RecordChanged
from ana.memory.item import Item
from ana.memory.status import CLOSED, has_status
from ana.memory.undo import find_all_undone
from ana.memory.views import localize
from ana.people.grants import can_grant
from ana.time.repeats import DATE_KEYS
from ana.values import Json, Properties
from app.page.fields import fill_fields, list_fields, read_fields, read_new, read_written
from app.page.marking import delete, read_dates
from app.page.others import list_viewers
from app.page.visits import Page, Visit

VERSIONS, ALIKE = 50, 3
"""Changes of an item that are told, and items like it."""

STANDARD: Properties = {"due_date": "", "status": "", "type": "", "project": "", "tags": []}
"""Properties that have a field also where an item has none of them."""

PREFIX = "field-"


def show(visit: Visit) -> Page:
    """GET /app/items/{id}: an item with its history."""
    return _show(visit, visit.handles.memory.get(visit.find("id")))


def save(visit: Visit) -> Page | str:
    """POST /app/items/{id}: {content, field-NAME, new-name, new-value, shown}, the item that was shown; or {delete}, or
    {mine}.

    A property with an empty field is removed.
    """
    memory, form = visit.handles.memory, visit.form
    item = visit.handles.memory.get(visit.find("id"))
    if "delete" in form:
        memory.change_all([item.id], delete, visit.by)
        return visit.go_on("/items")
    if "mine" in form:
        memory.claim([item.id], visit.by)
        return visit.go_on(f"/items/{item.id}")
    content = read_written(form, "content", item.content)
    changed = read_dates(_read_changes(item, visit), visit.today)
    new = content if content != item.content else None
    try:
        if changed or new is not None:
            memory.update(item.id, new, changed, visit.by, visit.read("shown"))
    except RecordChanged:
        return _show(visit, visit.handles.memory.get(item.id), is_older=True)
    return visit.go_on(f"/items/{item.id}")


def _list_values(item: Item) -> dict[str, Json]:
    """Return the properties of an item in the order of their fields, with further ones that it could have."""
    both = STANDARD | item.properties
    if "due_date" not in item.properties and item.properties.keys() & {*DATE_KEYS}:
        del both["due_date"]
    first = [name for name in (*DATE_KEYS, *STANDARD) if name in both]
    return {name: both[name] for name in dict.fromkeys([*first, *both])}


def _read_changes(item: Item, visit: Visit) -> Properties:
    """Return the properties that a form changes; None for a removed one. Errors as of `read_fields`."""
    written = read_fields(_list_values(item), visit.form, PREFIX)
    if name := visit.read("new-name"):
        written[name] = read_new(visit.read("new-value"))
    changed: Properties = {
        name: value for name, value in written.items() if value not in ("", []) and item.properties.get(name) != value
    }
    emptied: Properties = dict.fromkeys(name for name in item.properties if name not in written)
    return changed | emptied


def _show(visit: Visit, item: Item, is_older: bool = False) -> Page:
    """Return the page of an item; if a form could not be saved, with the texts written in its fields."""
    memory, form = visit.handles.memory, visit.form
    fields, names = list_fields(_list_values(item)), memory.vocabulary.names()
    return Page(
        "item.html",
        status=409 if is_older else 200,
        item=localize(item, visit.handles.clock.zone),
        content=read_written(form, "content", item.content),
        fields=fill_fields(fields, form, PREFIX) if is_older else fields,
        prefix=PREFIX,
        dates=DATE_KEYS,
        known={name: [each for each, _ in names.get(name, ())[:20]] for name in ("type", "project")},
        is_older=is_older,
        is_done=has_status(item.properties, CLOSED),
        current=fields,
        viewers=list_viewers(visit.handles, item.id),
        can_share=not visit.request.state.is_alone and can_grant(item),
        like=memory.find_similar(item.id, None, ALIKE).items,
        entries=memory.history(id=item.id, limit=VERSIONS),
        undone=find_all_undone(memory),
    )
