"""Sending to a receiver on loopback that is slow, broken, elsewhere or gone; nothing secret in what is told."""

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from ana.addresses import PARAMETERS, PRIVATE, find_fault, name_kind, split_addresses
from ana.keys import make_digest
from ana.logs import list_secrets, set_up_logging
from ana.reach import is_public
from ana.reminders import sending
from ana.reminders.sending import NOT_TAKEN, Message, _add_buttons, send
from ana.settings import load_settings
from tests.conftest import folders
from tests.reminders.collector import Collector, collecting

HELLO = Message("call Anna", "Tuesday December 1 2026, 16:30", "0123456789abcdef")
SECRET = "a-secret-path"


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


def test_a_message_arrives_with_its_tag(collector: Collector) -> None:
    assert send(collector.address, HELLO) == ""
    assert [(each["title"], each["message"]) for each in collector.messages] == [(HELLO.title, HELLO.body)]
    assert dict(collector.tags) == {HELLO.tag: 1}


BUTTONS = (("Done", "/app/reminder/a.b_-.c"), ("1 hour", "/app/reminder/d"), ("2", "/2"), ("3", "/3"))


def test_ntfy_shows_as_many_buttons_as_it_takes(collector: Collector) -> None:
    message = replace(HELLO, buttons=BUTTONS, site="https://ana.example.org")
    for ending in ("", "?priority=high"):
        assert send(f"ntfy://127.0.0.1:{collector.port}/topic{ending}", message) == ""
    done = "http, Done, https://ana.example.org/app/reminder/a.b_-.c, method=POST, clear=true"
    assert [each.split("; ")[0] for each in collector.actions] == [done, done]
    assert [each.count("; ") for each in collector.actions] == [2, 2]
    assert {each["message"] for each in collector.messages} == {HELLO.body}
    assert send(f"ntfy://127.0.0.1:{collector.port}/topic", replace(message, site="")) == ""
    assert collector.actions[-1] == "", "a phone would not know where the server is"


def test_without_an_address_for_a_phone_ntfys_buttons_are_published(collector: Collector) -> None:
    message = replace(HELLO, buttons=BUTTONS[:1], topic="ana-1")
    server = f"127.0.0.1:{collector.port}"
    assert send(f"ntfy://{server}/topic", message) == ""
    assert collector.actions == [f"http, Done, http://{server}/ana-1, method=POST, body=a.b_-.c, clear=true"]
    assert send(f"ntfy://me:word@{server}/topic", message) == ""
    assert collector.actions[-1] == "", "a phone would need the password for it"


def test_a_mail_has_a_link_for_each_button_and_other_kinds_have_none(collector: Collector) -> None:
    message = replace(HELLO, buttons=BUTTONS[:2], site="https://ana.example.org")
    address, body = _add_buttons("mailtos://me:pass@example.com", message)
    assert address == "mailtos://me:pass@example.com"
    assert body.splitlines() == [
        HELLO.body,
        "",
        "Done: https://ana.example.org/app/reminder/a.b_-.c",
        "1 hour: https://ana.example.org/app/reminder/d",
    ]
    assert "ANA_PUBLIC_URL" in _add_buttons(address, replace(message, site=""))[1]
    assert send(collector.address, message) == ""
    assert collector.messages[0]["message"] == HELLO.body


def test_a_receiver_that_fails_is_told_without_its_secrets(collector: Collector, tmp_path: Path) -> None:
    env = folders(tmp_path, ANA_NOTIFY=collector.address, LOG_LEVEL_DEPS="DEBUG", LOG_LEVEL_APP="DEBUG")
    collector.status = 500
    handlers = [*logging.root.handlers]
    set_up_logging(load_settings(env))
    try:
        reason = send(collector.address, HELLO)
    finally:
        for handler in logging.root.handlers:
            handler.close()
        logging.root.handlers[:] = handlers
        logging.root.setLevel(logging.WARNING)
    assert "500" in reason
    assert SECRET not in reason
    logged = (tmp_path / "log" / "ana.log").read_text()
    assert "POST /[secret]" in logged, "what the libraries log"
    assert SECRET not in logged
    assert HELLO.title not in logged


def test_a_receiver_that_is_gone_is_told() -> None:
    with collecting() as gone:
        pass
    reason = send(gone.address, HELLO)
    assert reason
    assert SECRET not in reason


def test_a_receiver_that_never_ends_its_answer_is_left(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "SECONDS", 1.0)
    collector.is_endless = True
    start = time.monotonic()
    assert send(collector.address, HELLO) == "it did not answer within 1 seconds"
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("address", ["nonsense://x/y", "json://", "a word", "tgram://short"])
def test_an_address_that_is_none_is_told(address: str) -> None:
    assert "Apprise does not understand" in send(address, HELLO)


def test_others_use_the_kinds_that_are_allowed_and_reach_no_private_network(collector: Collector) -> None:
    assert "ANA_NOTIFY_KINDS" in send(collector.address, HELLO, kinds=["ntfys"])
    assert send(collector.address, HELLO, kinds=["json"]), "loopback"
    assert send(f"json://localhost:{collector.port}", HELLO, kinds=["json"]), "a name of it"
    assert send(f"json://[::ffff:127.0.0.1]:{collector.port}", HELLO, kinds=["json"])
    assert collector.messages == []
    assert send(collector.address, HELLO, kinds=["json", PRIVATE]) == ""
    assert send(collector.address, HELLO) == "", "the owner may"
    assert len(collector.messages) == 2


DISCORD = "discord://1234567890/abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("address", "named"),
    [
        (f"{DISCORD}?template=FILE", "the parameter template"),
        (f"{DISCORD}?thread=1&template=FILE", "the parameter template"),
        (f"{DISCORD}?thread=1;template=FILE", "the parameter template"),
        (f"{DISCORD}?%74emplate=FILE", "the parameter %74emplate"),
        (f"{DISCORD}?TEMPLATE=FILE", "the parameter TEMPLATE"),
        ("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ?template=FILE", "the parameter template"),
        ("tgram://123456789:abcdefg_hijklmnop/12315544/?template=FILE", "the parameter template"),
        ("mailtos://me:pass@example.com?pgp=encrypt&pgppub=FILE", "the parameter pgp"),
        ("mailtos://me:pass@example.com?+Bcc=x@example.org", "the parameter +Bcc"),
        ("json://example.com?method=DELETE", "the parameter method"),
        ("ntfys://example.com/topic?verify=no", "the parameter verify"),
        ("ntfys://example.com/topic?redirect=yes", "the parameter redirect"),
        ("mailtos://me:pass@example.com?from=a%0d%0aBcc:x@example.org", "a character that cannot be seen"),
        ("mailtos://me:pass@example.com?from=a%250d%250aBcc:x@example.org", "a character that cannot be seen"),
        ("ntfys:\\\\example.com\\topic", "not allowed here"),
        ("ntfys://example.com\\topic", "a backslash"),
        ("vapid://me@example.com/x?keyfile=FILE", "the kind vapid"),
        ("matrix://example.com/#room", "the kind matrix"),
    ],
)
def test_another_person_says_only_what_is_in_the_list(address: str, named: str, tmp_path: Path) -> None:
    file = tmp_path / "secret.json"
    file.write_text('{"content": "of this machine"}')
    reason = send(address.replace("FILE", str(file)), HELLO, kinds=[*PARAMETERS, "matrix", PRIVATE])
    assert named in reason
    assert "secret.json" not in reason


@pytest.mark.parametrize(
    "address",
    [
        "ntfys://ntfy.sh/a-long-secret-name?priority=high&tags=bell",
        "ntfys://user:token@ntfy.example.org:8443/topic?auth=token",
        "mailtos://someone:app%20password@gmail.com?to=a@x.org,b@y.org",
        "mailtos://example.com?user=me@example.com&pass=app-password&smtp=mail.example.com&from=me@example.com&name=Jörg",
        "tgram://123456789:abcdefg_hijklmnop/-1001234:5/?silent=yes&topic=5",
        "pover://user@token/phone?priority=emergency&expire=3600&interval=60",
        f"{DISCORD}?thread=123",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general/+C01/@anna",
        "gotifys://gotify.example.org/path/A0bcdefgh?priority=high",
    ],
)
def test_what_a_kind_needs_another_person_may_say(address: str) -> None:
    assert find_fault(address, [*PARAMETERS]) == ""


def test_others_are_told_of_a_failure_in_our_words(collector: Collector) -> None:
    collector.status = 500
    assert send(collector.address, HELLO, kinds=["json", PRIVATE]) == NOT_TAKEN
    assert send(collector.address, HELLO, kinds=["json"]) == NOT_TAKEN


def test_no_redirect_is_followed_for_others(collector: Collector) -> None:
    with collecting() as other:
        collector.status, collector.to = 307, f"http://127.0.0.1:{other.port}/"
        assert send(collector.address, HELLO, kinds=["json", PRIVATE]) == NOT_TAKEN
        assert other.messages == []


@pytest.mark.parametrize("name", ["", "credentials"])
def test_the_owners_passwords_are_sent_to_no_host_of_another_person(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / (name or ".netrc")).write_text("default login owner password of-the-owner\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    if name:
        monkeypatch.setenv("NETRC", str(tmp_path / name))
    assert send(collector.address, HELLO) == ""
    assert send(collector.address, HELLO, kinds=["json", PRIVATE]) == ""
    assert collector.signed == [True, False]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *[
            (host, False)
            for host in ("127.0.0.1", "10.1.2.3", "192.168.1.1", "172.16.0.1", "169.254.169.254", "0.0.0.0")
        ],
        *[
            (host, False)
            for host in ("::1", "fe80::1%eth0", "fc00::1", "::ffff:10.0.0.1", "2002:7f00:1::", "localhost")
        ],
        *[(host, False) for host in ("100.64.0.1", "224.0.0.1", "64:ff9b::7f00:1")],
        *[(host, True) for host in ("8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8")],
    ],
)
def test_what_is_public(host: str, expected: bool) -> None:
    assert is_public((host, 80)) is expected
    assert not is_public("/run/a.socket")


def test_addresses_are_split_named_and_masked() -> None:
    text = "ntfys://ntfy.sh/my-long-topic, mailtos://someone:app-password@gmail.com?to=a@x.org,b@y.org json://host/x"
    addresses = split_addresses(SecretStr(text))
    assert [name_kind(address) for address in addresses] == ["ntfy", "mail", "json"]
    assert addresses[1].endswith("a@x.org,b@y.org")
    assert split_addresses(None) == split_addresses(SecretStr("  ")) == []
    assert len({make_digest(address) for address in addresses}) == 3
    settings = load_settings({"ANA_NOTIFY": text})
    assert "app-password" not in repr(settings)
    hidden = list_secrets(settings)
    assert {"my-long-topic", "app-password", *addresses} <= {*hidden}
    assert "gmail.com" not in hidden, "or each mention of it would be hidden in a trace"
    assert name_kind("some words") == "an address"
