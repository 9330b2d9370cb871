"""Download a file from an address that a person wrote; only an address of the owner may be outside the public
internet.
"""

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from ana.errors import UserError
from ana.network import wait_for
from ana.reach import reach_as
from ana.urls import is_http, read_host

if TYPE_CHECKING:
    import httpx

SECONDS = 30.0
"""How long it may take, whatever the server does."""

MOST_BYTES = 10_000_000
MOST_REDIRECTS = 5
LONGEST_TAG = 120
"""Characters of an ETag that is kept."""

_ELSEWHERE = (301, 302, 303, 307, 308)
_HINT = "Look whether the address is right, and try again."


class Download(NamedTuple):
    """The content at an address, and the ETag with which a server says whether it has changed; empty if there is
    none.
    """

    data: bytes
    tag: str


def download(url: str, kinds: Sequence[str] | None, tag: str = "") -> Download | None:
    """Download an address; return None if it has not changed since the ETag.

    Args:
        kinds: The kinds of addresses that the person may reach; see `reach_as`.

    Raises:
        UserError: It cannot be downloaded; the message hides all parts of the address that may be secret.
    """
    import httpx

    try:
        return wait_for(lambda: _ask(url, kinds, tag))
    except TimeoutError as exc:
        raise UserError(f"{read_host(url)} did not answer within {SECONDS:.0f} seconds.", _HINT) from exc
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as exc:
        raise UserError(f"{read_host(url)} cannot be reached from here.", _HINT) from exc


async def _ask(url: str, kinds: Sequence[str] | None, tag: str) -> Download | None:
    import httpx

    reach_as(kinds)
    # without a client, which would log the address, keep cookies and look for passwords of this machine
    async with asyncio.timeout(SECONDS), httpx.AsyncHTTPTransport(trust_env=False) as transport:
        for _ in range(MOST_REDIRECTS + 1):
            answer = await transport.handle_async_request(_make_request(url, tag))
            try:
                if answer.status_code not in _ELSEWHERE:
                    return await _read(answer, read_host(url))
            finally:
                await answer.aclose()
            there = _join(url, answer.headers.get("location", ""))
            if not is_http(there):
                break
            if read_host(there) != read_host(url) and kinds is None:
                reach_as(())  # the owner wrote the first address, and not this one
            url = there
    raise UserError(f"{read_host(url)} sends from one address to the next.", _HINT)


def _join(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:  # an odd address
        return ""


def _make_request(url: str, tag: str) -> "httpx.Request":
    import httpx

    parts = urlsplit(url)
    headers = {"accept": "text/calendar, */*;q=0.1", "accept-encoding": "identity", "user-agent": "ana"}
    if tag:
        headers["if-none-match"] = tag
    if parts.username:
        credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["authorization"] = f"Basic {b64encode(credentials.encode()).decode()}"
    return httpx.Request("GET", url, headers=headers)


async def _read(answer: "httpx.Response", host: str) -> Download | None:
    if answer.status_code == 304:
        return None
    if answer.status_code != 200:
        raise UserError(f"{host} answered {answer.status_code}.", _HINT)
    data = bytearray()
    async for part in answer.aiter_raw():
        data += part
        if len(data) > MOST_BYTES:
            raise UserError(f"What {host} sends is larger than {MOST_BYTES // 1_000_000} MB.", _HINT)
    tag = answer.headers.get("etag", "")
    return Download(bytes(data), tag if len(tag) <= LONGEST_TAG and tag.isprintable() else "")
