"""Every route of the page."""

from functools import partial

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from ana.reminders.buttons import PATH
from app.page import (
    about,
    acts,
    calendar,
    chat,
    files,
    item,
    items,
    others,
    phone,
    routines,
    settings,
    signing_in,
    today,
    turns,
)
from app.page.forms import act
from app.page.shell import FILES, respond
from app.page.visits import Page, Part
from app.reaching import PATH as HELLO
from app.server.guard import PAGE

SHOWN: dict[str, Part] = {
    "": chat.home,
    "/sign-in": signing_in.ask,
    "/chat": chat.home,
    "/chat/new": chat.begin,
    "/chat/all": chat.list_all,
    "/chat/trash": chat.show_trash,
    "/chat/{thread_id}": chat.show,
    "/chat/{thread_id}/runs/{run_id}": chat.stream,
    "/today": today.show,
    "/understood": today.preview,
    "/routines": routines.show,
    "/items": items.show_list,
    "/items/trash": items.show_trash,
    "/items/{id}": item.show,
    "/items/{id}/move": today.choose_day,
    "/calendar": calendar.show,
    "/more": lambda _: Page("more.html"),  # the parts for which a small screen has no room below
    "/offline": lambda _: Page("offline.html"),  # what a device shows without a connection: nobody's data
    "/about": about.show,
    "/forget/{name}": acts.ask_to_forget,
    "/turns": turns.show_list,
    "/turns/{id}": turns.show,
    "/settings": settings.show,
    "/shared": others.show_shared,
    "/assistants": others.show_assistants,
    "/files/{name}": files.give,
}
"""What is opened, by its path."""

DONE: dict[str, Part] = {
    "/welcome": about.introduce,
    "/sign-in": signing_in.enter,
    "/sign-out": signing_in.leave,
    "/undo": acts.take_back,
    "/mine": acts.claim,
    "/chat/trash": chat.restore,
    "/chat/{thread_id}": chat.say,
    "/chat/{thread_id}/decide": chat.decide,
    "/chat/{thread_id}/stop": chat.stop,
    "/chat/{thread_id}/rename": chat.rename,
    "/chat/{thread_id}/delete": chat.delete,
    "/today": today.add,
    "/routines": routines.change,
    "/items": items.mark,
    "/items/new": items.create,
    "/items/trash": items.restore_deleted,
    "/items/{id}": item.save,
    "/items/{id}/share": others.share,
    "/items/{id}/done": today.finish,
    "/items/{id}/move": today.put_off,
    "/about": about.add,
    "/about/{line:int}": about.change,
    "/forget/{name}": acts.carry_out_forgetting,
    "/turns/{id}": turns.replay,
    "/settings": settings.save,
    "/settings/model": settings.save_model,
    "/settings/addresses": settings.save_address,
    "/settings/browser": settings.save_browser,
    "/settings/calendar": settings.change_key,
    "/settings/calendars": settings.save_calendar,
    "/assistants": others.change_assistant,
    "/files": files.take,
    "/files/rows": files.take_rows,
    "/demo/end": signing_in.end_demo,
    "/phone": phone.test,
    "/people": others.add_person,
    "/people/{name}/remove": others.remove_person,
}
"""What a form does that is sent, by its path."""

BESIDE = {"manifest.webmanifest": "application/manifest+json", "sw.js": "text/javascript"}
"""Files that stand beside the parts: what a device keeps, and what runs beside the page."""


def _show(path: str, part: Part, method: str = "GET") -> Route:
    async def show(request: Request) -> Response:
        return await respond(part, request, FormData())

    return Route(path, show, methods=[method])


def _give(name: str, kind: str) -> Route:
    async def give(_: Request) -> Response:
        return FileResponse(FILES / name, media_type=kind)

    return Route(f"{PAGE}/{name}", give)


PAGES: list[BaseRoute] = [
    *(_show(f"{PAGE}{path}", part) for path, part in SHOWN.items()),
    *(Route(f"{PAGE}{path}", act(partial(respond, part)), methods=["POST"]) for path, part in DONE.items()),
    *(_give(name, kind) for name, kind in BESIDE.items()),
    _show(f"{HELLO}{{secret}}", phone.greet),
    _show(f"{PATH}{{signed}}", phone.ask),
    _show(f"{PATH}{{signed}}", phone.press, "POST"),  # the signature stands for the form's token
    Mount(f"{PAGE}/static", StaticFiles(directory=FILES)),
]
