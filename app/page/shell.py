"""The frame of all pages: their rendering and their headers."""

from collections.abc import Callable
from functools import cache
from inspect import isawaitable, iscoroutinefunction
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from ana import __version__
from ana.errors import NoSuchItem, NotFound
from ana.keys import OWNER
from ana.memory.authors import REMINDER, find_author
from ana.memory.digests import digest_line
from ana.memory.few_words import call_value, show_value
from ana.memory.receipt_lines import list_changes
from ana.memory.receipts import describe_difference, make_receipt, tells_no_changes, word_change
from ana.output import escape_controls, shorten
from ana.time.dates import day_of, name_day, name_month, name_weekday, show_day
from ana.tracing.record import INTERRUPTED
from ana.translation import LANGUAGES, _, get_language, mark_text, ngettext, pgettext, show_number
from app.dated import tell_time
from app.demo import RECORDED
from app.page.acts import find_notice, find_place
from app.page.conversations import BESIDE, group_by_day, list_conversations
from app.page.examples import list_examples, reads_english
from app.page.forms import FIELD, keep_form_token, read_form_token
from app.page.lines import draw_line, draw_quote, draw_text, show
from app.page.visits import Page, Part, Visit, go_on
from app.server.answers import find_workspace
from app.server.guard import BY_SCRIPT, PAGE
from app.server.request_threads import run_in_threadpool
from app.server.workspaces import OpenWorkspace
from app.show.items import describe_properties, describe_source, describe_sources, show_date, tell_elsewhere
from app.show.requests import QUESTION
from app.show.steps import list_corrections, word_calls, word_looks
from app.show.text import show_moment

FILES = Path(__file__).parent / "static"

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
}
"""Nothing foreign is asked for, no script or style stands in the page itself, and no browser keeps one: who goes back
after somebody has signed out sees nothing."""

WORDS: tuple[Callable[..., object], ...] = (
    *(call_value, describe_difference, describe_properties, describe_source, describe_sources, digest_line),
    *(find_author, get_language, go_on, list_changes, list_examples, make_receipt, name_day, name_month, name_weekday),
    *(list_corrections, show_date, show_day, show_moment, tell_elsewhere, tell_time, tells_no_changes),
    *(day_of, show_number, show_value, word_calls, word_change, word_looks),
)
"""With what templates say in words what they are given."""

NOT_FOUND = mark_text("Not Found")
"""What Starlette says of an address that nothing has."""


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("app.page"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=show,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(draw_text=draw_text, draw_line=draw_line, quote=draw_quote, shorten=shorten)
    made.globals.update(_=_say, ngettext=_say_many, pgettext=pgettext, languages=LANGUAGES, token=_draw_token)
    made.globals.update({word.__name__: word for word in WORDS}, asks=QUESTION, interrupted=INTERRUPTED)
    made.globals.update(base=PAGE, version=__version__, owner=OWNER, recorded=RECORDED, reminder=REMINDER)
    for macro, file in (("icon", "icons.html"), ("examples", "examples.html")):
        made.globals[macro] = vars(made.get_template(file).module)[macro]
    return made


def load_templates() -> None:
    """Load what the first view would wait for: the frame, and Today in it."""
    for name in ("layout.html", "today.html"):
        _environment().get_template(name)


@pass_context
def _draw_token(context: Context) -> Markup:
    """Return the field that every form has: the token of this browser's forms."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(FIELD, context["form_token"])


def _say(text: str, **values: Any) -> Markup:
    """Return a sentence as HTML, in the language of the page; each value is escaped on its own."""
    return Markup(_(text)).format_map({name: show(value) for name, value in values.items()})


def _say_many(one: str, many: str, n: int) -> Markup:
    return Markup(ngettext(one, many, n))


def draw(template: str, **values: Any) -> str:
    """Return a template of this package with its values, each escaped; the content of a field uses `|e`."""
    return _environment().get_template(template).render(values)


async def respond(part: Part, request: Request, form: FormData) -> Response:
    """Return the response to the answer of a part of the page."""
    visit = Visit(request, form, await find_workspace(request) if request.state.person else None)
    try:
        told = part(visit) if iscoroutinefunction(part) else await run_in_threadpool(part, visit)
        told = await told if isawaitable(told) else told
    except NoSuchItem as exc:  # which tells a model how to look for it
        raise NotFound("There is no such item.", "It may have been deleted meanwhile.") from exc
    if isinstance(told, Page):
        return await render(request, told, visit.known)
    return RedirectResponse(told, 303) if isinstance(told, str) else told


async def render(request: Request, page: Page, opened: OpenWorkspace | None = None) -> Response:
    """Return a whole page.

    A template gets `here`, the part of the page that the address names, `token()`, the field of every form, and
    `notice`, a message about the last act.

    Args:
        opened: The person's workspace; their conversations are listed beside the page unless it has a list of its own.
    """
    token, app = read_form_token(request), request.scope.get("app")  # whom nobody can look up is told so by no app
    shared: dict[str, Any] = {
        "is_demo": app is not None and app.state.end_demo is not None,
        "here": request.url.path.removeprefix(PAGE).lstrip("/").partition("/")[0] or "chat",
        "place": find_place(request),
        "person": None if request.state.button else request.state.person,
        "form_token": token,
        "conversations": (),
        "notice": None,
    }
    if opened and shared["person"]:
        shared["conversations"] = group_by_day(await list_conversations(opened, BESIDE), opened.handles.clock)
        shared["notice"] = await run_in_threadpool(find_notice, request, opened.handles)
        settings = opened.workspace.settings
        shared |= {"clock": opened.handles.clock, "reads_english": reads_english(settings)}
        shared["is_rules"] = settings.provider == "offline"
    drawn = await run_in_threadpool(draw, page.template, **shared | page.values)  # a long answer takes a while
    # the script puts nothing in place that has failed
    status = 200 if BY_SCRIPT in request.headers else page.status
    response = HTMLResponse(drawn, status, HEADERS | page.headers, background=page.background)
    keep_form_token(request, response, token)
    return response


async def answer_error(request: Request, status: int, sentence: str) -> Response:
    """Return the answer to a failed request: a page for a browser, a sentence for the page's script."""
    sentence = _(sentence)
    if BY_SCRIPT in request.headers:
        return PlainTextResponse(escape_controls(sentence), status, HEADERS)
    return await render(request, Page("error.html", status=status, code=status, sentence=sentence))
