"""Forms of the page: what they say comes in exactly, and what one may have."""

import tracemalloc
from urllib.parse import quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException

from app.page.forms import FIELD, LONGEST_BESIDE, MOST_BESIDE, MOST_FIELDS, parse_form
from tests.app.page.conftest import Browser

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(st.tuples(TEXT.filter(bool), TEXT), max_size=5))
def test_any_text_comes_in_exactly(fields: list[tuple[str, str]]) -> None:
    assert parse_form(urlencode(fields).encode()).multi_items() == fields


@given(st.text("%4aF+"))
def test_a_percent_sign_that_begins_no_escape_stays(text: str) -> None:
    assert parse_form(b"a=" + quote_plus(text).encode()).multi_items() == [("a", text)]
    raw = text.replace("%4", "x").replace("%a", "x").replace("%F", "x")
    assert parse_form(f"a={raw}".encode()).multi_items() == [("a", raw.replace("+", " "))]


@pytest.mark.parametrize("piece", [b"%", b"%41", b"a%41", b"+", b"=", b"a%"])
def test_a_form_takes_little_more_than_its_size(piece: bytes) -> None:
    size = 100_000
    body = (b"a=" + piece * size)[:size]
    tracemalloc.start()
    try:
        parse_form(body)
        assert tracemalloc.get_traced_memory()[1] < 25 * size
    finally:
        tracemalloc.stop()


def test_a_form_has_so_many_fields() -> None:
    parse_form(b"a=1&" * (MOST_FIELDS - 1))
    with pytest.raises(HTTPException):
        parse_form(b"&" * MOST_FIELDS)


def test_beside_one_file_a_form_has_little(browser: Browser) -> None:
    for fields, told in (
        ({"text": "x" * (LONGEST_BESIDE + 1)}, "exceeded maximum size"),
        ({f"field{n}": "x" for n in range(MOST_BESIDE + 1)}, "Too many fields"),
    ):
        answer = browser.client.post("/app/files", data=fields, files={"file": ("a.ics", b"BEGIN:VCALENDAR")})
        assert answer.status_code == 400
        assert f"The form cannot be read: {told}" in answer.text.replace("Part ", "")
    browser.open("/app/settings")
    token = str(browser.one(f"[name={FIELD}]")["value"])
    both = [("file", ("a.ics", b"x")), ("file", ("b.ics", b"x"))]
    answer = browser.client.post("/app/files", data={FIELD: token}, files=both)
    assert (answer.status_code, "Too many files" in answer.text) == (400, True)


@pytest.mark.parametrize(
    ("charset", "status"), [("unicode_escape", 422), ("undefined", 400), ("punycode", 400), ("no-such", 403)]
)
def test_a_form_in_an_odd_charset_is_refused_with_a_sentence(browser: Browser, charset: str, status: int) -> None:
    head = f'--b\r\nContent-Disposition: form-data; name="{FIELD}"\r\n\r\n'
    body = f"{head}\\ud800\r\n--b--\r\n".encode()
    kind = {"content-type": f"multipart/form-data; boundary=b; charset={charset}"}
    answer = browser.client.post("/app/files", content=body, headers=kind)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
