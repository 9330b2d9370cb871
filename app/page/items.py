"""The list of items: searched by meaning, narrowed by filters, changed together; and the trash."""

from collections.abc import Mapping
from datetime import timedelta

from ana.errors import UserError
from ana.handles import DataHandles
from ana.memory.others import OTHERS, find_from
from ana.memory.overdue import make_overdue_filter
from ana.memory.search.fit import NOTHING_FITS, keep_fitting
from ana.memory.search.result import QueryResult
from ana.memory.sources import PERSON
from ana.memory.status import CLOSED
from ana.memory.trash import list_deleted, restore
from ana.memory.views import localize
from ana.time.clock import Clock
from ana.translation import mark_text
from ana.values import Json
from app.answering import mark_done
from app.due import list_open_first
from app.page.fields import read_new
from app.page.marking import Mark, delete, move, set_property
from app.page.today import show_item
from app.page.visits import Page, Visit
from app.server.answers import read_number
from app.show.items import explain

PAGE_SIZE = 50
MOST_PAGES = 2000

CHOICES, IN_TRASH = 30, 100
"""Names of a kind that can be chosen, the commonest, and deleted items that are listed."""

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


def show_list(visit: Visit) -> Page:
    """GET /app/items?q=WORDS&type=task&state=open&page=2: the items found, or all items, open ones first.

    `select` shows checkboxes for marking several items, `why` the reason why each was found.
    """
    page, asked = read_number(visit.request, "page", 1, 1, MOST_PAGES), visit.request.query_params
    here = {name: value for name in ("q", *CHIPS) if (value := visit.ask(name))}
    found = keep_fitting(_find(visit.handles, here, page))
    count = found.total if found.fitting is None or found.truncated else len(found.items)
    shows_why, first, clock = "q" in here and "why" in asked, (page - 1) * PAGE_SIZE, visit.handles.clock
    shown = [show_item(localize(item, clock.zone), clock.now().year) for item in found.items[first:]]
    return Page(
        "items.html",
        narrowed=here,
        chips=CHIPS,
        names=visit.handles.memory.vocabulary.names(),
        most=CHOICES,
        items=shown,
        reasons=explain(found)[first:] if shows_why else [""] * len(shown),
        found=found,
        count=count,
        doubt=NOTHING_FITS if found.fitting == 0 else "",
        selects="select" in asked,
        shows_why=shows_why,
        page=page,
        is_last=count <= page * PAGE_SIZE,
    )


def create(visit: Visit) -> str:
    """POST /app/items/new: {content}: a note."""
    content = visit.read("content")
    if not content:
        raise UserError("There is nothing to keep.", "Write it.")
    return visit.go_on(f"/items/{visit.handles.memory.create(content, {'type': 'note'}, visit.by, copy=False).id}")


def mark(visit: Visit) -> str:
    """POST /app/items: {id, ...} and the act: {do: done|delete|mine|move|set}, {day}, {name, value}.

    Without {do}, the act is the one with filled fields.
    """
    memory, ids = visit.handles.memory, [str(id) for id in visit.form.getlist("id")]
    filled = [do for do, field in (("move", "day"), ("set", "name")) if visit.read(field)]
    do = visit.read("do") or (filled[0] if len(filled) == 1 else "")
    if not ids:
        raise UserError("Nothing is chosen.", "Mark one or several.")
    if do == "mine":
        memory.claim(ids, visit.by)
    else:
        memory.change_all(ids, _find_mark(visit, do), visit.by)
    return visit.go_back("/items")


def show_trash(visit: Visit) -> Page:
    """GET /app/items/trash: the deleted items, the last first."""
    return Page("deleted.html", deleted=list_deleted(visit.handles.memory), most=IN_TRASH)


def restore_deleted(visit: Visit) -> str:
    """POST /app/items/trash: {name}."""
    restore(visit.handles.memory, visit.read("name"), visit.by)
    return visit.go_on("/items/trash")


def _find_mark(visit: Visit, do: str) -> Mark:
    if do == "done":
        return mark_done(visit.handles)
    if do == "delete":
        return delete
    if do == "move":
        return move(visit.handles, visit.read("day"))
    if do == "set" and (name := visit.read("name")):
        value = visit.read("value")
        return set_property(name, read_new(value) if value else None, visit.today)
    raise UserError("It was not said what to do with them.", "Choose done, delete, move or a property.")


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
    """Return the filters of a choice; none for an unknown choice."""
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
