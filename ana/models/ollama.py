"""Looking for Ollama, which runs models on the person's own machine."""

import socket
from contextlib import closing
from urllib.parse import SplitResult, urlsplit

from ana.urls import is_http
from ana.values import read_json

SECONDS = 0.5
"""How long it may take to answer; where nothing listens, this machine says so at once."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
PORTS = {"http": 80, "https": 443}


def is_local(host: str) -> bool:
    """Return whether a URL names this machine."""
    return urlsplit(host).hostname in LOOPBACK


def list_chat_models(host: str) -> list[str]:
    """Return the names of the models that Ollama has, embedders left out; none if nothing there speaks its protocol.

    Args:
        host: Its URL, as in OLLAMA_HOST.
    """
    if not is_http(host):
        return []
    url = urlsplit(host)
    if is_local(host) and not _listens(url):  # as on most machines, which need not load what speaks HTTP then
        return []
    import http.client

    make = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    try:
        with closing(make(str(url.hostname), url.port, timeout=SECONDS)) as connection:
            connection.request("GET", f"{url.path.rstrip('/')}/api/tags")
            found = read_json(connection.getresponse().read(1_000_000))
        names = [str(model["name"]) for model in found["models"]]
        return [name for name in names if "embed" not in name and name.isprintable()]
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return []


def _listens(url: SplitResult) -> bool:
    """Return whether anything does at an address, whatever it speaks."""
    try:
        socket.create_connection((str(url.hostname), url.port or PORTS[url.scheme]), SECONDS).close()
    except OSError:
        return False
    return True
