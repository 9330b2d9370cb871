"""A file at an address: from a server on loopback that is slow, broken, endless, elsewhere or private."""

import time
from collections.abc import Iterator

import pytest

from ana.addresses import PRIVATE
from ana.errors import UserError
from ana.transfer import download as module
from ana.transfer.download import MOST_BYTES, download
from tests.feeds import Feed, feeding


@pytest.fixture
def feed() -> Iterator[Feed]:
    with feeding() as feed:
        yield feed


def test_a_file_is_read_and_not_sent_again_while_it_is_the_same(feed: Feed) -> None:
    feed.tag = '"1"'
    found = download(feed.url, None)
    assert found
    assert (found.data, found.tag) == (feed.data, '"1"')
    assert download(feed.url, None, found.tag) is None
    feed.tag = '"2"'
    assert download(feed.url, None, found.tag)


def test_a_password_goes_to_the_machine_that_it_is_for(feed: Feed) -> None:
    feed.status, feed.to = 302, f"http://localhost:{feed.port}/other"
    with pytest.raises(UserError):
        download(feed.url.replace("127", "anna:a%20b@127"), None)
    assert [each.get("authorization") for each in feed.asked] == ["Basic YW5uYTphIGI="]
    assert not {"cookie", "referer"} & feed.asked[0].keys()


@pytest.mark.parametrize("status", [401, 404, 410, 500])
def test_what_is_not_there_is_told_without_the_address(feed: Feed, status: int) -> None:
    feed.status = status
    with pytest.raises(UserError, match=f"127.0.0.1 answered {status}") as error:
        download(feed.url, None)
    assert "secret" not in error.value.sentence()


def test_a_redirect_is_followed_on_the_same_machine(feed: Feed) -> None:
    feed.status, feed.to = 302, "/elsewhere"
    with pytest.raises(UserError, match="from one address to the next"):
        download(feed.url, None)
    assert len(feed.asked) == 6


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://localhost/a", "gopher://a", "http://[::1", ""])
def test_a_redirect_to_anything_else_is_not_followed(feed: Feed, to: str) -> None:
    feed.status, feed.to = 302, to
    with pytest.raises(UserError):
        download(feed.url, None)


def test_a_redirect_leads_nobody_into_a_private_network(feed: Feed) -> None:
    feed.status, feed.to = 302, f"http://localhost:{feed.port}/other"
    with pytest.raises(UserError, match="cannot be reached"):
        download(feed.url, None)
    assert len(feed.asked) == 1


def test_others_than_the_owner_reach_the_public_internet_alone(feed: Feed) -> None:
    with pytest.raises(UserError, match="cannot be reached"):
        download(feed.url, ["ntfys"])
    assert feed.asked == []
    assert download(feed.url, [PRIVATE])


def test_what_is_too_large_or_takes_too_long_is_given_up(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    feed.data = b"x" * (MOST_BYTES + 1)
    with pytest.raises(UserError, match="larger than 10 MB"):
        download(feed.url, None)
    feed.is_slow = True
    monkeypatch.setattr(module, "SECONDS", 0.3)
    begun = time.monotonic()
    with pytest.raises(UserError, match="did not answer"):
        download(feed.url, None)
    assert time.monotonic() - begun < 5


def test_a_machine_that_is_not_there_is_told() -> None:
    with pytest.raises(UserError, match="cannot be reached"):
        download("http://127.0.0.1:9/a", None)
