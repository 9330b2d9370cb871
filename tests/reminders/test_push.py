"""Messages to a browser, in front of a stub of the service that its maker has."""

import json
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from ana.addresses import PRIVATE
from ana.errors import UserError
from ana.reminders.push import find_public_key, make_address, make_private_key
from ana.reminders.sending import Message, send
from tests.loopback_server import answer_by, serve_on_loopback

SECRET = b"0123456789abcdef"
NO_ADDRESS = "the address was not made by the page"


@dataclass
class Service:
    """A push service, and the one browser that it knows."""

    url: str = ""
    status: int = 201
    to: str = ""
    """Where it redirects to."""
    taken: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    private: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def take(self, request: BaseHTTPRequestHandler) -> None:
        self.taken.append((dict(request.headers), request.rfile.read(int(request.headers["content-length"]))))
        request.send_response(self.status)
        request.send_header("content-length", "0")
        request.send_header("location", self.to)
        request.end_headers()

    def subscription(self) -> str:
        point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {
            name: urlsafe_b64encode(value).decode().rstrip("=") for name, value in (("p256dh", point), ("auth", SECRET))
        }
        return json.dumps({"endpoint": f"{self.url}/one", "keys": keys})

    def read(self) -> dict[str, Any]:
        """What the browser shows of the last message."""
        told = http_ece.decrypt(self.taken[-1][1], private_key=self.private, auth_secret=SECRET, version="aes128gcm")
        shown: dict[str, Any] = json.loads(told)
        return shown


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    with serve_on_loopback(answer_by(made.take)) as made.url:
        yield made


def test_a_message_reaches_the_browser_and_nobody_on_the_way_can_read_it(service: Service) -> None:
    key = make_private_key()
    address = make_address(service.subscription(), key, "https://ana.example.org")
    assert send(address, Message("Dentist", "today at 14:30", "tag-1")) == ""
    assert service.read() == {"title": "Dentist", "body": "today at 14:30", "tag": "tag-1", "buttons": []}
    assert send(address, Message("Dentist", "today", buttons=[("Done", "/app/reminder/x")])) == ""
    assert service.read()["buttons"] == [["Done", "/app/reminder/x"]], "wherever the server is"
    headers, body = service.taken[0]
    assert b"Dentist" not in body
    assert find_public_key(key) in headers["authorization"]
    assert headers["ttl"] == "86400"


@pytest.mark.parametrize(("status", "told"), [(410, "no longer accepts"), (500, "answered 500")])
def test_why_it_was_not_taken_is_said(service: Service, status: int, told: str) -> None:
    service.status = status
    address = make_address(service.subscription(), make_private_key(), "https://ana.example.org")
    assert told in send(address, Message("a", "b"))


def test_another_persons_browser_cannot_be_on_a_private_network(service: Service) -> None:
    address = make_address(service.subscription(), make_private_key(), "https://ana.example.org")
    assert send(address, Message("a", "b"), kinds=["webpush"])
    assert not service.taken
    assert "not allowed here" in send(address, Message("a", "b"), kinds=["ntfy"])


def test_a_key_names_no_file(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "abcdefghijklmnop.pem"
    file.write_bytes(service.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    opened = list[str]()
    sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
    keys = json.loads(service.subscription())["keys"]
    found = {**keys, "endpoint": f"{service.url}/one", "key": str(file), "sub": "https://ana.example.org"}
    address = f"webpush://{urlsafe_b64encode(json.dumps(found).encode()).decode()}"
    assert send(address, Message("a", "b"), kinds=["webpush", PRIVATE]) == NO_ADDRESS
    assert str(file) not in opened
    assert not service.taken


def test_no_redirect_of_the_service_is_followed(service: Service) -> None:
    service.status, service.to = 307, f"{service.url}/other"
    address = make_address(service.subscription(), make_private_key(), "https://ana.example.org")
    assert "cannot be reached: TooManyRedirects" in send(address, Message("a", "b"))
    assert len(service.taken) == 1


@pytest.mark.parametrize(
    "told",
    [
        "",
        "{}",
        "[]",
        '{"endpoint": "file:///etc/passwd", "keys": {"p256dh": "aaaaaaaaaaaa", "auth": "aaaaaaaaaaaa"}}',
        '{"endpoint": "https://me:pass@example.com/x", "keys": {"p256dh": "aaaaaaaaaaaa", "auth": "aaaaaaaaaaaa"}}',
        '{"endpoint": "https://example.com/x", "keys": {"p256dh": "/etc/aaaaaaaaaaaa", "auth": "aaaaaaaaaaaa"}}',
    ],
)
def test_what_is_no_subscription_is_refused(told: str) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        make_address(told, make_private_key(), "x")


@pytest.mark.parametrize("address", ["webpush://", "webpush://e30", "webpush://%%%"])
def test_an_address_that_the_page_did_not_make_is_said_to_be_none(address: str) -> None:
    assert send(address, Message("a", "b")) == NO_ADDRESS
