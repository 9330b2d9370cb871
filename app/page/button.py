"""The buttons under a reminder: an address opens a page that asks, and the page's one button does the act.

Mail programs follow links, so merely opening one does nothing.
"""

from ana.errors import NotFound
from ana.reminders.buttons import ACTS
from app.answering import RungItem, answer, find_rung
from app.page.visits import Page, Visit


def ask(visit: Visit) -> Page:
    """GET /app/reminder/{signed}: say what the button would do, but do nothing."""
    return _show(visit, _find(visit))


def press(visit: Visit) -> Page:
    """POST /app/reminder/{signed}: do it. The signature takes the place of the form's token."""
    rung = _find(visit)
    return _show(visit, rung, answer(visit.handles, rung, visit.request.state.button.act))


def _find(visit: Visit) -> RungItem:
    button = visit.request.state.button
    if button.until <= visit.handles.clock.now():
        raise NotFound("This button has ended.", "The next reminder brings another.")
    return find_rung(visit.handles, button.ring)


def _show(visit: Visit, rung: RungItem, told: str = "") -> Page:
    return Page("reminder.html", item=rung.item, word=ACTS[visit.request.state.button.act], told=told)
