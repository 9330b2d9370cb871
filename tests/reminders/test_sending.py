"""Sending to a receiver on loopback that is slow, broken, elsewhere or gone; nothing secret in what is told."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from ana.addresses import name_kind, split_addresses
from ana.keys import make_digest
from ana.logs import secrets_of, set_up_logging
from ana.reminders import sending
from ana.reminders.sending import PRIVATE, Message, is_public, send
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
    hidden = secrets_of(settings)
    assert {"my-long-topic", "app-password", *addresses} <= {*hidden}
    assert "gmail.com" not in hidden, "or each mention of it would be hidden in a trace"
    assert name_kind("some words") == "an address"
