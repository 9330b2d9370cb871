"""What fails on the page, as a page; where a script asks, as a sentence that it shows beside what was written."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ana.output import escape_controls
from ana.translation import _, mark_text
from app.page.shell import HEADERS, render
from app.server.guard import BY_SCRIPT

NOT_FOUND = mark_text("Not Found")
"""What Starlette says of an address that nothing has."""


async def answer_error(request: Request, status: int, sentence: str) -> Response:
    """Return the answer to a request of the page that failed; a sentence of ours in its language."""
    sentence = _(sentence)
    if BY_SCRIPT in request.headers:
        return PlainTextResponse(escape_controls(sentence), status, HEADERS)
    return await render(
        request, "error.html", status=status, code=status, sentence=sentence, notice=None, conversations=()
    )
