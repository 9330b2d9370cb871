"""Asking a server for its models, without loading the client library."""

import socket
from contextlib import closing
from urllib.parse import urlsplit

from ana.urls import LOOPBACK, is_http
from ana.values import read_json

HERE, ELSEWHERE = 0.5, 5.0
"""Seconds that a server may take; if nothing listens on this machine, the error is immediate."""

LARGEST = 5_000_000
"""Most bytes of an answer; OpenRouter's has a tenth of it."""

PORTS = {"http": 80, "https": 443}


def is_local(host: str) -> bool:
    """Return whether a URL names this machine."""
    return urlsplit(host).hostname in LOOPBACK


def find_api(ollama_host: str) -> str:
    """Return the address at which an Ollama offers OpenAI's protocol."""
    return ollama_host.rstrip("/") + "/v1"


def list_chat_models(api: str, key: str = "") -> list[str]:
    """Return the names of a server's models except embedders; none if the server does not list them.

    Args:
        api: The address of its OpenAI protocol, with /v1.
        key: Its key.
    """
    if not is_http(api):
        return []
    url = urlsplit(api)
    if is_local(api) and not listens(api):  # as on most machines, which need not load what speaks HTTP then
        return []
    import http.client

    make = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    seconds = HERE if is_local(api) else ELSEWHERE
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with closing(make(str(url.hostname), url.port, timeout=seconds)) as connection:
            connection.request("GET", f"{url.path.rstrip('/')}/models", headers=headers)
            answer = read_json(connection.getresponse().read(LARGEST))
        names = [str(model["id"]) for model in answer["data"]]
        return [name for name in names if "embed" not in name and name.isprintable()]
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return []


def listens(address: str) -> bool:
    """Return whether anything listens at a URL."""
    url, seconds = urlsplit(address), HERE if is_local(address) else ELSEWHERE
    try:
        socket.create_connection((str(url.hostname), url.port or PORTS[url.scheme]), seconds).close()
    except OSError:
        return False
    return True
