"""Notifications in a browser that allows them: Web Push (RFC 8030, 8291, 8292), by pywebpush.

One address contains everything needed: the endpoint of the browser's maker, the browser's keys, and ana's.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from typing import Annotated
from urllib.parse import urlsplit

from itsdangerous import BadData
from itsdangerous.encoding import base64_decode, base64_encode
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from ana.errors import UserError
from ana.urls import is_http

KIND = "webpush"
PACKAGE = "pywebpush"

TTL_SECONDS = 24 * 3600
"""How long a message waits for an unreachable browser."""

TIMEOUT = 10.0

Key = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{10,200}=*$")]


def _check_endpoint(url: str) -> str:
    if not is_http(url) or "@" in urlsplit(url).netloc:  # a user would become a header
        raise ValueError("it is no address")
    return url


@dataclass(frozen=True)
class Subscription:
    """A browser that accepts notifications.

    Args:
        endpoint: The address to send them to.
        p256dh: Its public key.
        auth: Its secret.
        key: The private key with which the browser subscribed.
        sub: A contact address for the browser's maker.
    """

    endpoint: Annotated[str, AfterValidator(_check_endpoint)]
    p256dh: Key
    auth: Key
    key: Key
    sub: Annotated[str, Field(max_length=300)]


_ADAPTER = TypeAdapter(Subscription)


def is_installed() -> bool:
    """Return whether notifications can be sent to browsers."""
    return find_spec(PACKAGE) is not None


def make_private_key() -> str:
    """Return a new private key."""
    from cryptography.hazmat.primitives.asymmetric import ec

    secret = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return base64_encode(secret.to_bytes(32)).decode()


def find_public_key(key: str) -> str:
    """Return the public key of a private key, in the format for browsers."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    private = ec.derive_private_key(int.from_bytes(base64_decode(key)), ec.SECP256R1())
    point = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64_encode(point).decode()


def make_address(text: str, key: str, sub: str) -> str:
    """Return the address of a browser.

    Args:
        text: The browser's subscription in JSON.
        key: The private key with which the browser subscribed.
        sub: A contact address.

    Raises:
        UserError: It is not a valid subscription.
    """
    try:
        sent = json.loads(text)
        keys = sent["keys"]
        subscription = _ADAPTER.validate_python({**keys, "endpoint": sent["endpoint"], "key": key, "sub": sub})
    except (ValueError, KeyError, TypeError, ValidationError) as exc:
        raise UserError("The browser's subscription cannot be read.", "Allow notifications, and try again.") from exc
    return f"{KIND}://{base64_encode(json.dumps(asdict(subscription))).decode()}"


def push(address: str, title: str, body: str, tag: str, buttons: Sequence[tuple[str, str]] = ()) -> str:
    """Send a message to a browser; return why it failed, or an empty text.

    Args:
        buttons: The label and path of each; the browser knows the page's address.
    """
    if not is_installed():
        return f"the package {PACKAGE} is not installed (`pip install {PACKAGE}`)"
    import requests
    from py_vapid import Vapid, VapidException
    from pywebpush import WebPushException, webpush

    try:
        subscription = _ADAPTER.validate_json(base64_decode(address.partition("://")[2]))
    except (ValueError, BadData):
        return "the address was not made by the page"
    try:
        with requests.Session() as session:
            session.max_redirects = 0
            webpush(
                {"endpoint": subscription.endpoint, "keys": {"p256dh": subscription.p256dh, "auth": subscription.auth}},
                json.dumps({"title": title, "body": body, "tag": tag, "buttons": buttons}),
                vapid_private_key=Vapid.from_string(subscription.key),  # it would take a text for the name of a file
                vapid_claims={"sub": subscription.sub},
                ttl=TTL_SECONDS,
                timeout=TIMEOUT,
                requests_session=session,
            )
    except WebPushException as exc:
        ended = " and no longer accepts any; allow them again on the page" if exc.status_code in (404, 410) else ""
        return f"the browser's service answered {exc.status_code or 'nothing'}{ended}"
    except requests.RequestException as exc:
        return f"the browser's service cannot be reached: {type(exc).__name__}"
    except (ValueError, VapidException):
        return "the browser's keys are invalid"
    return ""
