"""What all of the page shares: how it is drawn, and the headers it is sent with."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from ana import __version__
from ana.keys import OWNER
from ana.memory.few_words import call_value
from ana.output import escape_controls, quote
from ana.time.dates import name_weekday, show_day
from ana.translation import LANGUAGES, _, get_language, mark_text, ngettext, pgettext
from app.page.acts import find_notice, find_place
from app.page.conversations import BESIDE, group_by_day, list_conversations
from app.page.examples import list_examples, reads_english
from app.page.forms import FIELD, keep_form_token, read_form_token
from app.page.lines import draw_line, draw_receipt, draw_text, show
from app.server.answers import find_workspace
from app.server.guard import BY_SCRIPT, PAGE
from app.server.request_threads import run_in_threadpool

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

NAVIGATION = (
    ("chat", mark_text("Chat"), True),
    ("today", mark_text("Today"), True),
    ("calendar", mark_text("Calendar"), False),
    ("items", mark_text("Items"), True),
    ("about", mark_text("About me"), False),
    ("turns", mark_text("Activity"), False),
    ("settings", mark_text("Settings"), False),
)
"""The parts of the page: the first of their path, what they are called, and whether a small screen has room."""


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
    made.filters |= {"draw_text": draw_text, "draw_line": draw_line, "draw_receipt": draw_receipt, "quote": quote}
    made.globals.update(base=PAGE, navigation=NAVIGATION, version=__version__, owner=OWNER, token=_draw_token)
    made.globals |= {
        "_": _say,
        "ngettext": _say_many,
        "pgettext": pgettext,
        "call_value": call_value,
        "list_examples": list_examples,
    }
    made.globals.update(name_weekday=name_weekday, show_day=show_day)
    made.globals |= {"get_language": get_language, "languages": LANGUAGES}
    for macro, file in (("icon", "icons.html"), ("examples", "examples.html")):
        made.globals[macro] = vars(made.get_template(file).module)[macro]
    return made


@pass_context
def _draw_token(context: Context) -> Markup:
    """Return the field that every form has: the token of this browser's forms."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(FIELD, context["form_token"])


def _say(text: str, **values: Any) -> Markup:
    """Return a sentence as HTML, in the language of the page; each value is escaped as it would be alone."""
    return Markup(_(text)).format_map({name: show(value) for name, value in values.items()})


def _say_many(one: str, many: str, n: int) -> Markup:
    return Markup(ngettext(one, many, n))


def draw(template: str, **values: Any) -> str:
    """Return a template of this package with its values, each escaped; what a field holds has `|e`, and is as it is."""
    return _environment().get_template(template).render(values)


async def render(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """Return a whole page.

    Args:
        template: One that extends layout.html. It has `here`, the part of the page it belongs to, and `token()`, which
            every form has; and `notice`, what was just done.
        values: What the template shows beside that; without `conversations` the latest ones are listed beside it.
    """
    person = None if request.state.button else request.state.person
    if person and "conversations" not in values:
        opened = await find_workspace(request)
        values["reads_english"] = reads_english(opened.workspace.settings)
        values["conversations"] = group_by_day(await list_conversations(opened, BESIDE), opened.handles.clock)
        values["notice"] = await find_notice(request, opened.handles)
    here = values.pop("part", "") or request.url.path.removeprefix(PAGE).lstrip("/").partition("/")[0] or "chat"
    token, app = read_form_token(request), request.scope.get("app")  # whom nobody can look up is told so by no app
    values = (
        {"notice": None}
        | values
        | {
            "is_demo": app is not None and app.state.end_demo is not None,
            "here": here,
            "place": find_place(request),
            "person": person,
            "form_token": token,
        }
    )
    page = await run_in_threadpool(draw, template, **values)  # a long answer takes a while
    if BY_SCRIPT in request.headers:  # the script puts nothing in place that has failed
        status = 200
    response = HTMLResponse(page, status, HEADERS)
    keep_form_token(request, response, token)
    return response


async def answer_error(request: Request, status: int, sentence: str) -> Response:
    """Return the answer to a failed request: a page for a browser, a sentence for the page's script."""
    sentence = _(sentence)
    if BY_SCRIPT in request.headers:
        return PlainTextResponse(escape_controls(sentence), status, HEADERS)
    return await render(request, "error.html", status=status, code=status, sentence=sentence, conversations=())
