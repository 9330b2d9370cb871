"""What is kept: found by meaning and by property, changed one by one or together, brought back from the trash."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.errors import NoSuchItem, NotFound, RecordChanged, UserError
from ana.handles import DataHandles
from ana.memory.changes import make_edit
from ana.memory.few_words import describe_property, show_value
from ana.memory.item import Item
from ana.memory.others import OTHERS, find_from
from ana.memory.receipts import describe_change, make_receipt
from ana.memory.search.found import Found
from ana.memory.sources import PERSON
from ana.memory.trash import list_deleted, restore
from ana.memory.undo import find_all_undone
from ana.memory.views import localize
from ana.memory.vocabulary import NAMED
from ana.values import Json, Properties
from app.due import list_open_first
from app.page.acts import find_notice, go_on, keep_here
from app.page.forms import read_text
from app.page.marking import Mark, delete, mark_all, mark_done, move, read_dates, set_property
from app.page.shell import render
from app.repl.editing import read_values, write_values
from app.server.answers import find_workspace, read_number
from app.server.request_threads import run_in_threadpool
from app.show.items import describe_source, describe_sources, explain
from app.show.text import shorten, show_moment

PAGE_SIZE = 50
MOST_PAGES = 2000
SOURCES = {"": "anybody", PERSON: "me", OTHERS: "others"}
"""From whom items can be chosen to be, each as it is shown; another source may stand in the address."""

CHOICES = 50
"""Names of a kind that can be chosen, the commonest."""


@dataclass(frozen=True)
class Listed:
    """An item in the list."""

    id: str
    content: str
    when: str
    properties: str
    source: str
    why: str


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


async def show_list(request: Request) -> Response:
    """GET /app/items?q=WORDS&type=task&source=others&page=2: what was found, or all, what is open first."""
    handles, query = (await find_workspace(request)).handles, request.query_params
    text, page = query.get("q", "").strip(), read_number(request, "page", 1, 1, MOST_PAGES)
    chosen, source = {kind: query[kind] for kind in NAMED if query.get(kind)}, query.get("source", "")
    names = await run_in_threadpool(handles.memory.vocabulary.names)
    found = await run_in_threadpool(_find, handles, text, chosen, source, page)
    first, year = (page - 1) * PAGE_SIZE, handles.clock.now().year
    reasons = explain(found) if text else []
    listed = [
        _list(localize(item, handles.clock.zone), year, reasons[n] if n < len(reasons) else "")
        for n, item in enumerate(found.items)
    ][first:]
    here = {"q": text, **chosen, **({"source": source} if source else {})}
    return await render(
        request,
        "items.html",
        text=text,
        chosen=chosen,
        source=source,
        sources={**SOURCES, **({} if source in SOURCES else {source: source})},
        choices={kind: [name for name, _ in names[kind][:CHOICES]] for kind in NAMED if names.get(kind)},
        items=listed,
        total=found.total,
        why_none=found.why_none,
        unread=found.unread,
        pages=[
            (title, urlencode(here | {"page": str(n)}))
            for title, n, there in (
                ("Before", page - 1, page > 1),
                ("More", page + 1, found.total > page * PAGE_SIZE),
            )
            if there
        ],
        notice=await find_notice(request, handles),
    )


async def show(request: Request) -> Response:
    """GET /app/items/{id}: an item with its history."""
    handles = (await find_workspace(request)).handles
    item = await run_in_threadpool(_get, handles, request.path_params["id"])
    return await _render(request, handles, item)


async def save(request: Request, form: FormData) -> Response | str:
    """POST /app/items/{id}: {content, properties, shown}, as it was shown; or {delete}, or {mine}."""
    handles = (await find_workspace(request)).handles
    item = await run_in_threadpool(_get, handles, request.path_params["id"])
    if "delete" in form:
        return go_on("/items", await run_in_threadpool(mark_all, handles, [item.id], delete))
    if "mine" in form:
        return go_on(f"/items/{item.id}", await run_in_threadpool(_claim, handles, [item.id]))
    content, written = str(form.get("content", "")).replace("\r\n", "\n"), str(form.get("properties", ""))
    given, by = _read_properties(written), make_edit()
    gone: Properties = dict.fromkeys(item.properties.keys() - given.keys())
    given = {name: value for name, value in given.items() if item.properties.get(name) != value}
    changed = read_dates(given | gone, handles.clock.now().date())
    if not changed and content == item.content:
        return go_on(f"/items/{item.id}")
    new = content if content != item.content else None
    try:
        await run_in_threadpool(handles.memory.update, item.id, new, changed, by, read_text(form, "shown"))
    except RecordChanged:
        return await _render(request, handles, await run_in_threadpool(_get, handles, item.id), content, written)
    return go_on(f"/items/{item.id}", by.turn)


async def create(request: Request, form: FormData) -> str:
    """POST /app/items/new: {content}: a note."""
    memory, by = (await find_workspace(request)).handles.memory, make_edit()
    content = read_text(form, "content")
    if not content:
        raise UserError("There is nothing to keep.", "Write it.")
    change = await run_in_threadpool(memory.create, content, {"type": "note"}, by, copy=False)
    return go_on(f"/items/{change.id}", by.turn)


async def mark(request: Request, form: FormData) -> str:
    """POST /app/items: {id, ...} and what is done with them: {do: done|delete|mine|move|set}, {day}, {name, value}.

    Without {do} it is that of the two whose fields are filled.
    """
    handles = (await find_workspace(request)).handles
    ids = [str(id) for id in form.getlist("id")]
    filled = [do for do, field in (("move", "day"), ("set", "name")) if read_text(form, field)]
    do = read_text(form, "do") or (filled[0] if len(filled) == 1 else "")
    if not ids:
        raise UserError("Nothing is chosen.", "Mark one or several.")
    if do == "mine":
        return go_on(keep_here(read_text(form, "next"), "/items"), await run_in_threadpool(_claim, handles, ids))
    if do == "done":
        what: Mark = mark_done(handles)
    elif do == "delete":
        what = delete
    elif do == "move":
        what = move(handles, read_text(form, "day"))
    elif do == "set" and (name := read_text(form, "name")):
        what = set_property(name, _read_value(read_text(form, "value")), handles.clock.now().date())
    else:
        raise UserError("It was not said what to do with them.", "Choose done, delete, move or a property.")
    turn = await run_in_threadpool(mark_all, handles, ids, what)
    return go_on(keep_here(read_text(form, "next"), "/items"), turn)


async def show_trash(request: Request) -> Response:
    """GET /app/items/trash: what was deleted, the last first."""
    handles = (await find_workspace(request)).handles
    gone = await run_in_threadpool(list_deleted, handles.memory)
    shown = [(each.name, shorten(each.item.content, 160), show_moment(each.ts, handles.clock)) for each in gone[:100]]
    return await render(
        request, "deleted.html", deleted=shown, total=len(gone), notice=await find_notice(request, handles)
    )


async def restore_deleted(request: Request, form: FormData) -> str:
    """POST /app/items/trash: {name}."""
    memory, by = (await find_workspace(request)).handles.memory, make_edit()
    await run_in_threadpool(restore, memory, read_text(form, "name"), by)
    return go_on("/items/trash", by.turn)


async def _render(
    request: Request, handles: DataHandles, item: Item, content: str | None = None, written: str | None = None
) -> Response:
    """Return the page of an item, with what was written in its fields where that could not be saved."""
    return await render(
        request,
        "item.html",
        status=200 if content is None else 409,
        item=item,
        sources=describe_sources(item),
        zone=localize(item, handles.clock.zone).zone,
        content=item.content if content is None else content,
        written=_write_properties(item.properties) if written is None else written,
        is_older=content is not None,
        today=handles.clock.now().date(),
        current=_write_properties(item.properties),
        versions=await run_in_threadpool(_list_versions, handles, item.id),
        notice=await find_notice(request, handles),
    )


def _find(handles: DataHandles, text: str, chosen: dict[str, str], source: str, page: int) -> Found:
    limit = page * PAGE_SIZE
    if not text and not chosen and not source:
        return list_open_first(handles.memory, limit)
    where: dict[str, Json] = {kind: {"$contains": name} if kind == "tags" else name for kind, name in chosen.items()}
    if source:
        return find_from(handles.memory, source, text or None, where or None, limit)
    return handles.memory.find(text or None, where or None, limit)


def _claim(handles: DataHandles, ids: Sequence[str]) -> str:
    by = make_edit()
    return by.turn if handles.memory.claim(ids, by) else ""


def _get(handles: DataHandles, id: str) -> Item:
    try:
        return handles.memory.get(id)
    except NoSuchItem as exc:
        raise NotFound("There is no such item.", "It may have been deleted meanwhile.") from exc


def _list(item: Item, year: int, why: str) -> Listed:
    others = [describe_property(k, v, year) for k, v in item.properties.items() if k != "due_date" and v is not None]
    when = show_value(item.date, year) if item.date else ""
    return Listed(
        item.id, shorten(item.content, 160), when, shorten(" · ".join(others), 200), describe_source(item), why
    )


def _list_versions(handles: DataHandles, id: str) -> Sequence[Version]:
    entries, undone = handles.memory.history(id=id, limit=PAGE_SIZE), find_all_undone(handles.memory)
    return [
        Version(
            show_moment(entry.ts, handles.clock),
            describe_change(make_receipt(entry.change, handles.clock.zone)),
            entry.turn if "-" not in entry.turn else "",
            entry.turn if entry.turn not in undone else "",
        )
        for entry in entries
    ]


def _write_properties(properties: Properties) -> str:
    return write_values(["x"], [dict(properties)]).partition("\n")[2] if properties else ""


def _read_properties(written: str) -> Properties:
    if not written.strip():
        return {}
    try:
        (value,) = read_values(written)
    except ValueError as exc:
        raise UserError(f"The properties cannot be read: {exc}.", "Write each as name: value.") from exc
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise UserError("The properties cannot be read.", "Write each as name: value.")
    return value


def _read_value(written: str) -> Json:
    """Return the value of a property as it is written in a line; None for an empty one."""
    return _read_properties(f"x: {written}")["x"] if written else None
