"""The assistants that use this store: the writes of each by day, the undo of a day, and the right of each."""

from ana.translation import _
from app.assistants import RIGHTS, list_rights, list_written, save_right, undo_day
from app.page.visits import Page, Visit


def show(visit: Visit, told: str = "") -> Page:
    """GET /app/assistants."""
    days = list_written(visit.handles.memory, visit.handles.clock)
    rights = list_rights(visit.opened.workspace, {each.name for each in days})
    return Page("assistants.html", days=days, rights=rights, meanings=RIGHTS, told=told)


def change(visit: Visit) -> Page:
    """POST /app/assistants: {name, right}, or {name, day} to undo the acts of that day."""
    name, right = visit.read("name"), visit.read("right")
    if day := visit.read("day"):
        return show(visit, undo_day(visit.handles.memory, visit.handles.clock, name, day))
    save_right(visit.opened.workspace, name, right)
    return show(visit, _("{name} {right} from now on.").format(name=name, right=_(RIGHTS[right])))
