"""Every route of the page."""

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from ana.reminders.buttons import PATH
from app.page import (
    about,
    assistants,
    button,
    calendar,
    chat,
    demo,
    files,
    forgetting,
    household,
    item,
    items,
    phone,
    routines,
    settings,
    shared,
    signing_in,
    today,
    turns,
)
from app.page.forms import Act, act
from app.page.shell import FILES, render
from app.reaching import PATH as HELLO
from app.server.guard import PAGE


def _give(name: str, kind: str) -> Route:
    """Return the route of a file that stands beside the parts: what a device keeps, and what runs beside the page."""

    async def give(_: Request) -> Response:
        return FileResponse(FILES / name, media_type=kind)

    return Route(f"{PAGE}/{name}", give)


async def offline(request: Request) -> Response:
    """GET /app/offline: what a device shows without a connection; nothing of anybody is in it."""
    return await render(request, "offline.html", part="chat")


async def more(request: Request) -> Response:
    """GET /app/more: the parts for which a small screen has no room below."""
    return await render(request, "more.html")


def _form(path: str, do: Act) -> Route:
    return Route(f"{PAGE}{path}", act(do), methods=["POST"])


PAGES: list[BaseRoute] = [
    Route(PAGE, chat.home),
    Route(f"{PAGE}/sign-in", signing_in.ask),
    _form("/welcome", about.introduce),
    _form("/sign-in", signing_in.enter),
    _form("/sign-out", signing_in.leave),
    _form("/undo", forgetting.take_back),
    _form("/mine", forgetting.claim),
    Route(f"{PAGE}/chat", chat.home),
    Route(f"{PAGE}/chat/new", chat.begin),
    Route(f"{PAGE}/chat/all", chat.list_all),
    Route(f"{PAGE}/chat/trash", chat.show_trash),
    _form("/chat/trash", chat.restore),
    Route(f"{PAGE}/chat/{{thread_id}}", chat.show),
    _form("/chat/{thread_id}", chat.say),
    _form("/chat/{thread_id}/decide", chat.decide),
    _form("/chat/{thread_id}/stop", chat.stop),
    _form("/chat/{thread_id}/rename", chat.rename),
    _form("/chat/{thread_id}/delete", chat.delete),
    Route(f"{PAGE}/chat/{{thread_id}}/runs/{{run_id}}", chat.stream),
    Route(f"{PATH}{{signed}}", button.ask),
    Route(f"{PATH}{{signed}}", button.press, methods=["POST"]),
    Route(f"{HELLO}{{secret}}", phone.greet),
    _form("/phone", phone.test),
    Route(f"{PAGE}/today", today.show),
    _form("/today", today.add),
    _form("/items/{id}/done", today.finish),
    _form("/items/{id}/move", today.put_off),
    Route(f"{PAGE}/routines", routines.show),
    _form("/routines", routines.change),
    Route(f"{PAGE}/items", items.show_list),
    _form("/items", items.mark),
    _form("/items/new", items.create),
    Route(f"{PAGE}/items/trash", items.show_trash),
    _form("/items/trash", items.restore_deleted),
    Route(f"{PAGE}/items/{{id}}", item.show),
    _form("/items/{id}", item.save),
    _form("/items/{id}/share", shared.change),
    Route(f"{PAGE}/shared", shared.show),
    Route(f"{PAGE}/calendar", calendar.show),
    Route(f"{PAGE}/understood", today.preview),
    Route(f"{PAGE}/items/{{id}}/move", today.choose_day),
    Route(f"{PAGE}/more", more),
    Route(f"{PAGE}/offline", offline),
    Route(f"{PAGE}/about", about.show),
    _form("/about", about.add),
    _form("/about/{line:int}", about.change),
    Route(f"{PAGE}/forget/{{name}}", forgetting.ask),
    _form("/forget/{name}", forgetting.carry_out),
    Route(f"{PAGE}/turns", turns.show_list),
    Route(f"{PAGE}/turns/{{id}}", turns.show),
    _form("/turns/{id}", turns.replay),
    Route(f"{PAGE}/settings", settings.show),
    _form("/settings", settings.save),
    _form("/settings/model", settings.save_model),
    _form("/settings/addresses", settings.save_address),
    _form("/settings/browser", settings.save_browser),
    _form("/settings/calendar", settings.change_key),
    _form("/settings/calendars", settings.save_calendar),
    Route(f"{PAGE}/assistants", assistants.show),
    _form("/assistants", assistants.change),
    Route(f"{PAGE}/files/{{name}}", files.give),
    _form("/files", files.take),
    _form("/files/rows", files.take_rows),
    _form("/demo/end", demo.end),
    _form("/people", household.add),
    _form("/people/{name}/remove", household.remove),
    _give("manifest.webmanifest", "application/manifest+json"),
    _give("sw.js", "text/javascript"),
    Mount(f"{PAGE}/static", StaticFiles(directory=FILES)),
]
