"""Addresses of servers, checked before a library is given one."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator

from ana.values import split_words

LONGEST_URL, LONGEST_HOST = 2000, 253
"""Characters of an address, and of the name in it."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def is_http(value: str) -> bool:
    """Return whether a text is an address that every library takes for one."""
    if len(value) > LONGEST_URL or not value.isprintable() or " " in value:
        return False
    try:
        parts = urlsplit(value)
        host = parts.hostname or ""
        if "[" in parts.netloc:
            ip_address(host.partition("%")[0])
        is_host = 0 < len(host.encode("idna")) <= LONGEST_HOST
        return parts.scheme in ("http", "https") and is_host and parts.port != 0
    except ValueError:  # a port that is not a number, an odd address, a name with a part that is empty or too long
        return False


def check_url(url: str) -> str:
    """Return an address of a server. Raises ValueError if it is not one."""
    if not is_http(url):
        raise ValueError("should be a URL such as http://localhost:11434, without spaces and control characters")
    return url


def read_host(url: str) -> str:
    """Return the name in an address, in small letters; empty if there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def check_host(name: str) -> str:
    """Return the name of a machine. Raises ValueError if it is not one."""
    if read_host(f"http://{name}") != name:
        raise ValueError(f"{name!r} is not a name in small letters, without a scheme and a port")
    return name


def check_origin(text: str) -> str:
    """Return an origin of web pages. Raises ValueError if it is something else, or an origin such as * and null that
    anybody has.
    """
    scheme, _, rest = text.partition("://")
    if not (scheme and rest and text.isprintable()) or set(rest) & set("/\\?#@"):
        raise ValueError(f"{text!r} is not an origin, such as https://chat.example.org, without a path")
    return text


def find_site(public_url: str | None, hosts: Sequence[str]) -> str | None:
    """Return the address at which others reach the server: the one in the settings, else a proxy's with TLS.

    Args:
        hosts: The names under which the proxy is reached.
    """
    if public_url:
        return public_url.rstrip("/")
    return f"https://{hosts[0]}" if hosts else None


def list_hosts(public_url: str | None, hosts: Sequence[str]) -> list[str]:
    """Return the names under which the server answers, beside those of this machine. Arguments as of `find_site`."""
    return [*hosts, *([read_host(public_url)] if public_url else [])]


class Listener(NamedTuple):
    """A place where a process waits for connections."""

    host: str
    port: int

    @property
    def url_host(self) -> str:
        """Return the host in the form for a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host


def read_listener(value: object) -> object:
    """Return a place to wait at, from HOST:PORT, or from a port of this machine alone.

    Raises:
        ValueError: It is neither.
    """
    if not isinstance(value, str):
        return value
    host, _, port = value.strip().rpartition(":")
    if not port.isascii() or not port.isdecimal() or int(port) > 65_535 or (":" in host) != host.startswith("["):
        raise ValueError("give HOST:PORT, such as 127.0.0.1:9464")
    return Listener(host.strip("[]") or LOOPBACK[0], int(port))


Url = Annotated[str, AfterValidator(check_url)]
Hosts = Annotated[tuple[Annotated[str, AfterValidator(check_host)], ...], BeforeValidator(split_words)]
Origins = Annotated[tuple[Annotated[str, AfterValidator(check_origin)], ...], BeforeValidator(split_words)]
Listening = Annotated[Listener, BeforeValidator(read_listener)]
Network = Annotated[IPv4Network | IPv6Network, BeforeValidator(ip_network)]
"""pydantic's own for either would look into the metadata of packages, for a fifteenth of the time to the prompt."""

Networks = Annotated[tuple[Network, ...], BeforeValidator(split_words)]
