"""The cookie of a browser that has signed in: signed, valid for a week, and only as long as the token is."""

import time
from hashlib import sha256

from itsdangerous import BadSignature, TimestampSigner

from ana.keys import make_digest
from ana.people.people import People

SESSION_SECONDS = 7 * 24 * 3600
"""How long a session lasts without a visit."""

RENEWED_AFTER = 24 * 3600
"""The age in seconds from which a visit makes it last anew."""


def make_session(name: str, digest: str) -> str:
    """Return a new session of a person, signed with the digest of one of their tokens; the session ends with the
    token.
    """
    return _signer(digest).sign(name).decode()


def sign_in(people: People, token: str) -> tuple[str, str] | None:
    """Return the person to whom a token belongs, and a new session; None if the token is unknown."""
    name = people.find(token)
    return (name, make_session(name, make_digest(token))) if name else None


def find_session(people: People, session: str) -> tuple[str, str] | None:
    """Return a session's person and a session that replaces it, empty while it is young; None if it has ended."""
    name = session.partition(".")[0]
    for digest in people.digests(name):
        try:
            _, moment = _signer(digest).unsign(session, SESSION_SECONDS, return_timestamp=True)
        except BadSignature:
            continue
        is_old = time.time() - moment.timestamp() > RENEWED_AFTER
        return name, make_session(name, digest) if is_old else ""
    return None


def _signer(digest: str) -> TimestampSigner:
    return TimestampSigner(digest, salt="ana page", digest_method=sha256)
