"""A person's own settings: zone, dial, budget, model, addresses for reminders, and the calendar's address."""

from collections.abc import Sequence

from starlette.exceptions import HTTPException

from ana.addresses import name_kind, split_addresses
from ana.errors import UserError
from ana.keys import OWNER, make_digest
from ana.models.listing import find_api, list_chat_models
from ana.reminders.push import find_public_key, is_installed, make_address, make_private_key
from ana.reminders.sending import make_test, send
from ana.translation import _, ngettext
from ana.urls import find_site
from ana.workspace import Workspace, load_workspace, open_workspace
from ana.workspace.personal import list_fixed, save_settings
from app.dials import DIALS
from app.following import Following, list_calendars
from app.page.others import list_household
from app.page.visits import NoSuchPage, Page, Visit, go_on
from app.privacy import describe_answering
from app.reminding import describe_failing
from app.trial import connect, try_model
from app.trial import list_fixed as list_fixed_model

SAVED = "saved"
"""In an address, that something was just set."""

FIELDS = ("ana_timezone", "ana_language", "ana_autonomy", "ana_daily_budget_usd", "ana_model")


def show(visit: Visit, told: str = "") -> Page:
    """GET /app/settings."""
    workspace = _read_anew(visit)
    settings, can_connect, is_owner = workspace.settings, _can_connect(workspace), workspace.person == OWNER
    return Page(
        "settings.html",
        settings=settings,
        answering=describe_answering(settings),
        can_connect=can_connect,
        fixed_model=list_fixed_model(),
        ollama=list_chat_models(find_api(settings.ollama_host)) if can_connect else (),
        dials=DIALS,
        fixed=list_fixed(workspace),
        models=() if is_owner else settings.ana_models,
        kinds=None if is_owner else settings.ana_notify_kinds,
        addresses=[(name_kind(each), make_digest(each)) for each in split_addresses(settings.ana_notify)],
        failing=describe_failing(workspace),
        followed=list_calendars(workspace),
        calendar=f"{visit.request.base_url}calendar.ics?key={workspace.get_calendar_key()}",
        household=list_household(visit),
        is_alone=visit.request.state.is_alone,
        has_site=find_site(settings.ana_public_url, settings.ana_hosts) is not None,
        push_key=find_public_key(_get_push_key(workspace)) if is_installed() else "",
        told=told or (_("Saved.") if visit.ask(SAVED) else ""),
    )


def save(visit: Visit) -> str:
    """POST /app/settings: zone, dial, budget, model."""
    return _save(visit, {name: visit.read(name) for name in FIELDS if name in visit.form})


def save_model(visit: Visit) -> Page:
    """POST /app/settings/model: {provider, model, key, url} to connect, or {test} to have the present one say hello."""
    workspace = _read_anew(visit)
    if not _can_connect(workspace):
        raise NoSuchPage
    if "test" in visit.form:
        return show(visit, try_model(workspace.settings))
    return show(visit, connect(*(visit.read(name) for name in ("provider", "model", "url", "key"))))


def save_address(visit: Visit) -> Page | str:
    """POST /app/settings/addresses: {add}, {drop} or {test}; the last two contain the digest of an address."""
    workspace = _read_anew(visit)
    known = {make_digest(each): each for each in split_addresses(workspace.settings.ana_notify)}
    if new := visit.read("add"):
        if "://" not in new:
            raise UserError("This is no address.", "One looks like ntfys://ntfy.sh/a-long-secret-name.")
        return _save_addresses(visit, [*known.values(), new])
    if (digest := visit.read("drop")) in known:
        return _save_addresses(visit, [each for key, each in known.items() if key != digest])
    if (digest := visit.read("test")) in known:
        return show(visit, _test(workspace, known[digest]))
    raise HTTPException(404, "There is no such address. Perhaps it was removed already.")


def save_browser(visit: Visit) -> str:
    """POST /app/settings/browser: {subscription}: reminders ring in this browser."""
    workspace, own = _read_anew(visit), str(visit.request.base_url).rstrip("/")
    who = own if own.startswith("https:") else "mailto:ana@localhost.localdomain"
    address = make_address(visit.read("subscription"), _get_push_key(workspace), who)
    return _save_addresses(visit, [*split_addresses(workspace.settings.ana_notify), address])


def change_key(visit: Visit) -> str:
    """POST /app/settings/calendar: make a new key; the present address stops working."""
    visit.opened.workspace.get_calendar_key(change=True)
    return go_on("/settings", **{SAVED: "1"})


def save_calendar(visit: Visit) -> Page:
    """POST /app/settings/calendars: {url, called} to follow a calendar, or {drop}, the name of one to unfollow."""
    following = Following(visit.handles)
    if url := visit.read("url"):
        calendar, changes = following.follow(url, visit.read("called"))
        told = ngettext(
            "{name} is followed: {n} entry.", "{name} is followed: {n} entries.", len(changes), name=calendar.name
        )
        return show(visit, told)
    told = ngettext(
        "It is not followed any more: {n} entry taken out.",
        "It is not followed any more: {n} entries taken out.",
        len(following.unfollow(visit.read("drop"))),
    )
    return show(visit, told)


def _save(visit: Visit, values: dict[str, str]) -> str:
    save_settings(_read_anew(visit), values)
    return go_on("/settings", **{SAVED: "1"})


def _save_addresses(visit: Visit, addresses: Sequence[str]) -> str:
    return _save(visit, {"ana_notify": " ".join(addresses)})


def _test(workspace: Workspace, address: str) -> str:
    kinds = None if workspace.person == OWNER else workspace.settings.ana_notify_kinds
    if reason := send(address, make_test(), kinds):
        return _("It was not delivered: {reason}.").format(reason=_(reason.rstrip(".")))
    return _("A test was sent by {kind}.").format(kind=name_kind(address))


def _get_push_key(workspace: Workspace) -> str:
    """Return the key with which this person's browsers subscribe to messages."""
    note = workspace.note("push-key")
    if not note.read():
        note.write(make_private_key())
    return note.read()


def _can_connect(workspace: Workspace) -> bool:
    """Return whether the person may connect a model: only the owner of a data folder may."""
    return workspace.person == OWNER and not workspace.has_database


def _read_anew(visit: Visit) -> Workspace:
    """Return the person's workspace with the settings just saved; an open one still has the old settings."""
    return open_workspace(load_workspace().settings, visit.request.state.person)
