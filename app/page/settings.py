"""What a person sets for themselves: zone, dial, budget, model, where reminders ring, and the calendar's address."""

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

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
from app.page.acts import go_on
from app.page.forms import read_text
from app.page.household import list_household
from app.page.shell import render
from app.privacy import describe_answering
from app.reminding import describe_failing
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool
from app.trial import connect, try_model
from app.trial import list_fixed as list_fixed_model

SAVED = "saved"
"""In an address, that something was just set."""

FIELDS = ("ana_timezone", "ana_language", "ana_autonomy", "ana_daily_budget_usd", "ana_model")


async def show(request: Request, told: str = "") -> Response:
    """GET /app/settings."""
    handles = (await find_workspace(request)).handles
    workspace = await run_in_threadpool(_read_anew, request.state.person)
    settings, can_connect, models = workspace.settings, _can_connect(workspace), list[str]()
    if can_connect:
        models = await run_in_threadpool(list_chat_models, find_api(settings.ollama_host))
    return await render(
        request,
        "settings.html",
        settings=settings,
        answering=describe_answering(settings),
        can_connect=can_connect,
        fixed_model=list_fixed_model(),
        ollama=models,
        dials=DIALS,
        fixed=list_fixed(workspace),
        models=() if workspace.person == OWNER else settings.ana_models,
        kinds=None if workspace.person == OWNER else settings.ana_notify_kinds,
        addresses=[(name_kind(each), make_digest(each)) for each in split_addresses(settings.ana_notify)],
        failing=await run_in_threadpool(describe_failing, workspace),
        followed=await run_in_threadpool(list_calendars, workspace),
        minute=handles.clock.minute,
        calendar=await _make_calendar_address(request, workspace),
        household=await run_in_threadpool(list_household, request),
        is_alone=request.state.is_alone,
        has_site=find_site(settings.ana_public_url, settings.ana_hosts) is not None,
        push_key=await _find_push_key(workspace),
        told=told or (_("Saved.") if SAVED in request.query_params else ""),
    )


async def save(request: Request, form: FormData) -> str:
    """POST /app/settings: zone, dial, budget, model."""
    values = {name: read_text(form, name) for name in FIELDS if name in form}
    await run_in_threadpool(lambda: save_settings(_read_anew(request.state.person), values))
    return go_on("/settings", **{SAVED: "1"})


async def save_model(request: Request, form: FormData) -> Response:
    """POST /app/settings/model: {provider, model, key, url} to connect, or {test}: what answers now says hello."""
    workspace = await run_in_threadpool(_read_anew, request.state.person)
    if not _can_connect(workspace):
        raise HTTPException(404, "There is no such page.")
    if "test" in form:
        return await show(request, await run_in_threadpool(try_model, workspace.settings))
    chosen = [read_text(form, name) for name in ("provider", "model", "url", "key")]
    return await show(request, await run_in_threadpool(connect, *chosen))


async def save_address(request: Request, form: FormData) -> str | Response:
    """POST /app/settings/addresses: {add}, {drop} or {test}, the latter two the digest of one."""
    workspace = await run_in_threadpool(_read_anew, request.state.person)
    known = {make_digest(each): each for each in split_addresses(workspace.settings.ana_notify)}
    if new := read_text(form, "add"):
        if "://" not in new:
            raise UserError("This is no address.", "One looks like ntfys://ntfy.sh/a-long-secret-name.")
        kept = [*known.values(), new]
    elif (digest := read_text(form, "drop")) in known:
        kept = [each for key, each in known.items() if key != digest]
    elif (digest := read_text(form, "test")) in known:
        return await show(request, await _test(workspace, known[digest]))
    else:
        raise HTTPException(404, "There is no such address; it may have been removed meanwhile.")
    await run_in_threadpool(save_settings, workspace, {"ana_notify": " ".join(kept)})
    return go_on("/settings", **{SAVED: "1"})


async def save_browser(request: Request, form: FormData) -> str:
    """POST /app/settings/browser: {subscription}: reminders ring in this browser."""
    workspace = await run_in_threadpool(_read_anew, request.state.person)
    own = str(request.base_url).rstrip("/")
    who = own if own.startswith("https:") else "mailto:ana@localhost.localdomain"
    address = make_address(read_text(form, "subscription"), await run_in_threadpool(_push_key, workspace), who)
    kept = split_addresses(workspace.settings.ana_notify)
    await run_in_threadpool(save_settings, workspace, {"ana_notify": " ".join([*kept, address])})
    return go_on("/settings", **{SAVED: "1"})


async def change_key(request: Request, _: FormData) -> str:
    """POST /app/settings/calendar: another key; the address until now ends."""
    workspace = (await find_workspace(request)).workspace
    await run_in_threadpool(lambda: workspace.get_calendar_key(change=True))
    return go_on("/settings", **{SAVED: "1"})


async def save_calendar(request: Request, form: FormData) -> Response:
    """POST /app/settings/calendars: {url, called} of one to follow, or {drop}, the name of one to follow no more."""
    following = Following((await find_workspace(request)).handles)
    if url := read_text(form, "url"):
        calendar, changes = await run_in_threadpool(following.follow, url, read_text(form, "called"))
        told = ngettext(
            "{name} is followed: {n} entry.", "{name} is followed: {n} entries.", len(changes), name=calendar.name
        )
        return await show(request, told)
    gone = await run_in_threadpool(following.unfollow, read_text(form, "drop"))
    told = ngettext(
        "It is not followed any more: {n} entry taken out.",
        "It is not followed any more: {n} entries taken out.",
        len(gone),
    )
    return await show(request, told)


async def _test(workspace: Workspace, address: str) -> str:
    kinds = None if workspace.person == OWNER else workspace.settings.ana_notify_kinds
    reason = await run_in_threadpool(send, address, make_test(), kinds)
    if reason:
        return _("It was not delivered: {reason}.").format(reason=_(reason.rstrip(".")))
    return _("A test was sent by {kind}.").format(kind=name_kind(address))


async def _make_calendar_address(request: Request, workspace: Workspace) -> str:
    return f"{request.base_url}calendar.ics?key={await run_in_threadpool(workspace.get_calendar_key)}"


async def _find_push_key(workspace: Workspace) -> str:
    """Return the public key for this person's browsers; empty where none can be asked."""
    if not is_installed():
        return ""
    return find_public_key(await run_in_threadpool(_push_key, workspace))


def _push_key(workspace: Workspace) -> str:
    """Return the key with which this person's browsers are asked for messages."""
    note = workspace.note("push-key")
    if not note.read():
        note.write(make_private_key())
    return note.read()


def _can_connect(workspace: Workspace) -> bool:
    """Return whether a model may be connected here: by the owner of a folder."""
    return workspace.person == OWNER and not workspace.has_database


def _read_anew(person: str) -> Workspace:
    """Return a person's workspace as what was just saved makes it; one that is open is of before."""
    return open_workspace(load_workspace().settings, person)
