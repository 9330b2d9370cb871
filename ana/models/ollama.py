"""Looking for Ollama, which runs models on the person's own machine."""

from contextlib import closing
from urllib.parse import urlsplit

from ana.urls import is_http
from ana.values import read_json

SECONDS = 0.5
"""How long it may take to answer; where nothing listens, this machine says so at once."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_local(host: str) -> bool:
    """Return whether a URL names this machine."""
    return urlsplit(host).hostname in LOOPBACK


def list_chat_models(host: str) -> list[str]:
    """Return the names of the models that Ollama has, embedders left out; none if nothing there speaks its protocol.

    Args:
        host: Its URL, as in OLLAMA_HOST.
    """
    import http.client

    if not is_http(host):
        return []
    url = urlsplit(host)
    make = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    try:
        with closing(make(str(url.hostname), url.port, timeout=SECONDS)) as connection:
            connection.request("GET", f"{url.path.rstrip('/')}/api/tags")
            found = read_json(connection.getresponse().read(1_000_000))
        names = [str(model["name"]) for model in found["models"]]
        return [name for name in names if "embed" not in name and name.isprintable()]
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return []
