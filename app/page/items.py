"""What is kept, in a list: found by meaning, narrowed by what a person would ask for, marked together; the trash."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.errors import UserError
from ana.handles import DataHandles
from ana.memory.changes import make_edit
from ana.memory.few_words import call_value
from ana.memory.item import Item
from ana.memory.others import OTHERS, find_from
from ana.memory.overdue import make_overdue_filter
from ana.memory.search.result import QueryResult
from ana.memory.sources import PERSON, is_others
from ana.memory.status import CLOSED
from ana.memory.trash import list_deleted, restore
from ana.memory.views import localize
from ana.time.clock import Clock
from ana.translation import _, mark_text
from ana.values import Json
from app.answering import mark_done
from app.due import list_open_first
from app.page.acts import go_on, keep_here
from app.page.fields import read_new
from app.page.forms import read_text
from app.page.marking import Mark, claim, delete, mark_all, move, set_property
from app.page.shell import render
from app.page.today import ShownItem, show_item
from app.server.answers import find_workspace, read_number
from app.server.request_threads import run_in_threadpool
from app.show.items import describe_source, explain
from app.show.text import shorten, show_moment

PAGE_SIZE = 50
MOST_PAGES = 2000

CHOICES = 30
"""Names of a kind that can be chosen, the commonest."""

CHIPS: Mapping[str, tuple[str, Mapping[str, str]]] = mark_text(
    {
        "state": ("Open or done", {"open": "Open", "done": "Done"}),
        "when": ("Date", {"overdue": "Overdue", "today": "Today", "week": "Next seven days", "none": "Without a date"}),
        "type": ("Kind", {}),
        "project": ("Project", {}),
        "tags": ("Tag", {}),
        "topic": ("Topic", {}),
        "person": ("Person", {}),
        "status": ("Status", {}),
        "source": ("From", {PERSON: "Me", OTHERS: "Others"}),
    }
)
"""What a list is narrowed by: the name in its address, what it is called, and what can be chosen; else names in use."""


@dataclass(frozen=True)
class Chip:
    """What a list can be narrowed by.

    Args:
        title: What it is called.
        chosen: What was chosen; empty if nothing was.
        without: The query of the same list without it.
        choices: What else can be chosen, each with the query of that list.
    """

    title: str
    chosen: str
    without: str
    choices: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Listed(ShownItem):
    """An item in the list, with the day that it has, from whom it is, and why it was found."""

    kind: str = ""
    source: str = ""
    source_name: str = ""
    why: str = ""
    can_be_done: bool = False


async def show_list(request: Request) -> Response:
    """GET /app/items?q=WORDS&type=task&state=open&page=2: what was found, or all, what is open first.

    `select` shows boxes with which several are marked, `why` the reason why each was found.
    """
    handles, asked = (await find_workspace(request)).handles, request.query_params
    page = read_number(request, "page", 1, 1, MOST_PAGES)
    here = {name: value for name in ("q", *CHIPS) if (value := asked.get(name, "").strip())}
    names = await run_in_threadpool(handles.memory.vocabulary.names)
    found = await run_in_threadpool(_find, handles, here, page)
    shows_why = "q" in here and "why" in asked
    reasons = explain(found) if shows_why else [""] * len(found.items)
    # the items of the pages before are found too, because they are ranked together
    rows = list(zip(found.items, reasons, strict=True))[(page - 1) * PAGE_SIZE :]
    pages = []
    if page > 1:
        pages.append((_("Page before"), page - 1))
    if found.total > page * PAGE_SIZE:
        pages.append((_("Next page"), page + 1))
    return await render(
        request,
        "items.html",
        text=here.get("q", ""),
        hidden={name: value for name, value in here.items() if name != "q"},
        chips=[*_list_chips(here, names)],
        items=[_make_row(item, handles.clock, why) for item, why in rows],
        total=found.total,
        why_none=found.why_none,
        unread=found.unread,
        selects="select" in asked,
        shows_why=shows_why,
        query=urlencode(here),
        pages=[(title, urlencode(here | {"page": str(number)})) for title, number in pages],
    )


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

    Without {do}, the one whose fields are filled is done.
    """
    handles = (await find_workspace(request)).handles
    ids = [str(id) for id in form.getlist("id")]
    filled = [do for do, field in (("move", "day"), ("set", "name")) if read_text(form, field)]
    do = read_text(form, "do") or (filled[0] if len(filled) == 1 else "")
    if not ids:
        raise UserError("Nothing is chosen.", "Mark one or several.")
    if do == "mine":
        return go_on(keep_here(read_text(form, "next"), "/items"), await run_in_threadpool(claim, handles, ids))
    if do == "done":
        what: Mark = mark_done(handles)
    elif do == "delete":
        what = delete
    elif do == "move":
        what = move(handles, read_text(form, "day"))
    elif do == "set" and (name := read_text(form, "name")):
        value = read_text(form, "value")
        what = set_property(name, read_new(value) if value else None, handles.clock.now().date())
    else:
        raise UserError("It was not said what to do with them.", "Choose done, delete, move or a property.")
    turn = await run_in_threadpool(mark_all, handles, ids, what)
    return go_on(keep_here(read_text(form, "next"), "/items"), turn)


async def show_trash(request: Request) -> Response:
    """GET /app/items/trash: what was deleted, the last first."""
    handles = (await find_workspace(request)).handles
    gone = await run_in_threadpool(list_deleted, handles.memory)
    shown = [(each.name, shorten(each.item.content, 160), show_moment(each.ts, handles.clock)) for each in gone[:100]]
    return await render(request, "deleted.html", deleted=shown, total=len(gone))


async def restore_deleted(request: Request, form: FormData) -> str:
    """POST /app/items/trash: {name}."""
    memory, by = (await find_workspace(request)).handles.memory, make_edit()
    await run_in_threadpool(restore, memory, read_text(form, "name"), by)
    return go_on("/items/trash", by.turn)


def _find(handles: DataHandles, here: Mapping[str, str], page: int) -> QueryResult:
    limit, text, source = page * PAGE_SIZE, here.get("q"), here.get("source")
    where: list[Json] = []
    for name in here.keys() & CHIPS.keys() - {"source"}:
        where += _narrow(name, here[name], handles.clock)
    if not (text or source or "state" in here):
        return list_open_first(handles.memory, limit, *where)
    chosen: dict[str, Json] | None = {"$and": where} if where else None
    if source:
        return find_from(handles.memory, source, text, chosen, limit)
    return handles.memory.find(text, chosen, limit)


def _narrow(name: str, value: str, clock: Clock) -> list[Json]:
    """Return the filters of a choice; none for one that is not there."""
    if name not in ("state", "when"):
        return [{name: {"$contains": value} if name == "tags" else value}]
    now = clock.now()
    today, week = str(now.date()), str(now.date() + timedelta(days=7))
    filters: dict[str, Json] = {
        "open": {"status": {"$nin": [*CLOSED]}},
        "done": {"status": {"$in": [*CLOSED]}},
        "overdue": make_overdue_filter(now),
        "today": {"$on": today},
        "week": {"$on": {"$gte": today, "$lte": week}},
        "none": {"due_date": None, "start_date": None, "date": None},
    }
    return [filters[value]] if value in filters else []


def _list_chips(here: Mapping[str, str], names: Mapping[str, Sequence[tuple[str, int]]]) -> Iterator[Chip]:
    """Yield a chip for each thing that the list is, or can be, narrowed by."""
    for name, (title, fixed) in CHIPS.items():
        choices = {each: _(title) for each, title in fixed.items()}
        choices = choices or {each: call_value(shorten(each, 40)) for each, _count in names.get(name, ())[:CHOICES]}
        value = here.get(name, "")
        without = {key: each for key, each in here.items() if key != name}
        if value or (choices and name != "status"):
            listed = [(shown, urlencode({**without, name: each})) for each, shown in choices.items()]
            yield Chip(title, choices.get(value, value), urlencode(without), listed)


def _make_row(stored: Item, clock: Clock, why: str) -> Listed:
    item = localize(stored, clock.zone)
    shown, kind = show_item(item, clock.now().year), item.properties.get("type")
    return Listed(
        **vars(shown),
        kind=call_value(kind) if isinstance(kind, str) and kind != "task" else "",
        source=item.source if is_others(item.source) else "",
        source_name=describe_source(item),
        why=why,
        can_be_done=bool(item.properties.get("status")) or shown.repeats,
    )
