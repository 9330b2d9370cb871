"""Who may sign in, with what, and until when: the list in a folder, read and written by several processes."""

import json
import threading
from pathlib import Path
from zipfile import ZipFile

import pytest

from ana.errors import ConfigError, StoreBroken, StoreBusy, UserError, WrongName
from ana.handles import open_data
from ana.keys import KEY
from ana.logs import hide_secrets, list_secrets
from ana.people import People
from ana.people.people import CODE_SECONDS, MOST_TOKENS
from ana.settings import Settings, load_settings
from ana.threads.ports import owning
from ana.workspace import open_workspace
from tests.conftest import folders
from tests.tracing.conformance import record

GIVEN = "0123456789-given-by-the-deployment"


@pytest.fixture
def people(settings: Settings) -> People:
    return People(settings)


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """The file of the list."""
    return tmp_path / "data" / "people" / "tokens.json"


def test_alone_on_loopback_nobody_needs_a_token_and_nothing_is_written(people: People, tmp_path: Path) -> None:
    assert people.names() == ["owner"]
    assert not any(people.needs_token(host) for host in ("127.0.0.1", "::1", "localhost"))
    assert all(people.needs_token(host) for host in ("192.168.1.5", "0.0.0.0", "::", ""))
    assert [people.find(""), people.find("anything"), people.exchange("x")] == [None, None, None]
    assert [*tmp_path.iterdir()] == []


def test_a_person_signs_in_with_the_token_that_was_told_once_and_of_which_no_file_knows(
    people: People, settings: Settings, listed: Path
) -> None:
    token = people.add("anna")
    assert (people.find(token), People(settings).find(token)) == ("anna", "anna")
    assert people.names() == ["owner", "anna"]
    assert people.needs_token("127.0.0.1")
    assert token not in listed.read_text()
    assert (listed.stat().st_mode & 0o777, listed.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert sorted(path.name for path in listed.parent.iterdir()) == ["anna", "tokens.json"], "no lock is left"
    assert hide_secrets(json.dumps(token), ()) == '"[secret]"'
    assert KEY.fullmatch(token)


@pytest.mark.parametrize("other", ["", " ", "a", "{}x", "x{}", "{} ", "{}\0", "\ud800"])
def test_what_is_only_like_a_token_is_nobodys(people: People, other: str) -> None:
    token = people.add("anna")
    assert people.find(other.format(token)) is None
    assert people.find(token[:-1]) is people.find(token.upper()) is None


def test_the_owner_can_have_a_token_and_then_everybody_needs_one(people: People) -> None:
    token = people.renew("owner")
    assert people.find(token) == "owner"
    assert people.needs_token("127.0.0.1")
    with pytest.raises(UserError, match="already"):
        people.add("owner")


def test_a_code_is_exchanged_once_within_five_minutes_and_by_one_of_many(settings: Settings) -> None:
    now = [1000.0]
    people = People(settings, lambda: now[0])
    people.add("anna")
    earlier, code = people.make_code("anna"), people.make_code("anna")
    now[0] += CODE_SECONDS - 1
    assert people.exchange(earlier) is None, "the last counts"
    told: list[tuple[str, str] | None] = []
    both = [threading.Thread(target=lambda: told.append(People(settings, lambda: now[0]).exchange(code))) for _ in "ab"]
    for each in both:
        each.start()
    for each in both:
        each.join()
    ((person, token),) = filter(None, told)
    assert (person, people.find(token), people.exchange(code)) == ("anna", "anna", None)
    late = people.make_code("anna")
    now[0] += CODE_SECONDS
    assert people.exchange(late) is None


def test_a_code_for_the_owner_shuts_nobody_out_before_it_is_used(people: People) -> None:
    code = people.make_code("owner")
    assert not people.needs_token("127.0.0.1")
    assert people.find(code) is None, "it is no token"
    signed_in = people.exchange(code)
    assert signed_in is not None
    assert people.needs_token("127.0.0.1")


def test_a_persons_oldest_device_is_signed_out_when_there_are_too_many(people: People) -> None:
    first = people.add("anna")
    for _ in range(MOST_TOKENS):
        last = people.exchange(people.make_code("anna"))
    assert last is not None
    assert (people.find(first), people.find(last[1])) == (None, "anna")


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "a.b", "a\n", "a\x1b", "a\0", "e" * 65, "é"])
def test_a_name_with_anything_that_could_lead_elsewhere_is_refused(people: People, name: str, tmp_path: Path) -> None:
    with pytest.raises(WrongName, match="is not a person's name"):
        people.add(name)
    for change in (people.renew, people.make_code, people.remove):
        with pytest.raises(UserError, match="There is no person"):
            change(name)
    assert [*tmp_path.rglob("a")] == []


def test_a_name_is_given_once(people: People) -> None:
    token = people.add("anna")
    with pytest.raises(UserError, match="`ana users token anna` makes a new token"):
        people.add("anna")
    assert people.find(token) == "anna"


def test_a_removed_persons_folder_and_a_backup_are_kept_and_all_that_let_them_in_has_ended(
    people: People, settings: Settings
) -> None:
    token, anna = people.add("anna"), open_workspace(settings, "anna")
    key, code = anna.get_calendar_key(), people.make_code("anna")
    with open_data(anna, "a test") as handles:
        handles.memory.create("the key is in the blue tin")
    assert people.find_by_calendar_key(key) == "anna"
    aside = Path(people.remove("anna"))
    assert [people.find(token), people.find_by_calendar_key(key), people.exchange(code)] == [None, None, None]
    assert people.names() == ["owner"]
    assert not anna.folder.exists()
    assert (aside / "anna" / "journal.sqlite").exists()
    with ZipFile(aside / "backup.zip") as backup:
        assert "journal.jsonl" in backup.namelist()
    assert aside.is_relative_to(settings.ana_data_dir / "set-aside")
    with pytest.raises(UserError, match="There is no person 'anna'"):
        people.remove("anna")
    assert not people.needs_token("127.0.0.1"), "the owner is alone again"


def test_who_has_nothing_yet_is_removed_without_a_backup(people: People) -> None:
    people.add("anna")
    assert [path.name for path in Path(people.remove("anna")).iterdir()] == ["anna"]


def test_a_person_whose_folder_is_damaged_is_not_removed_by_halves(people: People, settings: Settings) -> None:
    token, anna = people.add("anna"), open_workspace(settings, "anna")
    with open_data(anna, "a test") as handles:
        handles.memory.create("something")
    (anna.folder / "journal.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreBroken, match="file is not a database"):
        people.remove("anna")
    assert (people.find(token), anna.folder.exists()) == ("anna", True)


def test_a_person_in_whose_conversation_a_turn_works_is_not_removed(
    people: People, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ana.people.roster.PATIENCE", 0)
    token, anna = people.add("anna"), open_workspace(settings, "anna")
    with owning(anna.open_locks().lock("talk", "a turn")), pytest.raises(StoreBusy, match="in use by a turn"):
        people.remove("anna")
    assert (people.find(token), anna.folder.exists()) == ("anna", True)
    assert not settings.ana_data_dir.joinpath("set-aside").exists()


def test_what_was_opened_for_a_removed_person_writes_nothing_where_the_next_of_that_name_is(
    people: People, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    people.add("anna")
    with open_data(open_workspace(settings, "anna"), "a test") as handles:
        lock = handles.workspace.open_locks().lock("talk", "a test")
        handles.memory.create("hers")
        people.remove("anna")
        people.add("anna")
        folder = handles.workspace.folder
        for refused in (lambda: handles.memory.create("hers too"), lock.acquire):
            with pytest.raises(StoreBroken, match="not there any more") as failed:
                refused()
            assert str(settings.ana_data_dir) not in str(failed.value)
        handles.traces.write(record("a"))
        assert "No record of the turn is kept" in capsys.readouterr().err
        assert [*folder.iterdir()] == []


def test_a_removal_that_was_cut_short_can_be_ended(people: People, settings: Settings) -> None:
    folder = open_workspace(settings, "anna").folder
    folder.mkdir(parents=True)
    assert people.needs_token("127.0.0.1"), "somebody else has a folder: without a token all would be the owner"
    people.remove("anna")
    assert not folder.exists()


def test_the_owner_is_not_removed(people: People, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be removed"):
        people.remove("owner")


def given(tmp_path: Path, **more: str) -> People:
    return People(load_settings(folders(tmp_path, ANA_API_TOKENS=f"bob:{GIVEN}, owner:{GIVEN}-2", **more)))


def test_tokens_of_the_deployment_count_beside_those_that_are_made(tmp_path: Path) -> None:
    people = given(tmp_path)
    assert [people.find(token) for token in (GIVEN, f"{GIVEN}-2", GIVEN[:-1])] == ["bob", "owner", None]
    assert (people.names(), people.needs_token("127.0.0.1")) == (["owner", "bob"], True)
    for change in (people.renew, people.remove):
        with pytest.raises(UserError, match="ANA_API_TOKENS"):
            change("bob")
    code = people.exchange(people.make_code("bob"))
    assert code is not None
    assert (people.find(code[1]), people.find(GIVEN)) == ("bob", "bob")


def test_tokens_of_the_deployment_are_hidden_like_every_key(tmp_path: Path) -> None:
    settings = load_settings(folders(tmp_path, ANA_API_TOKENS=f"bob:{GIVEN}"))
    assert GIVEN in list_secrets(settings)
    assert GIVEN not in repr(settings)


@pytest.mark.parametrize(
    "written", ["bob", "bob:", "bob:short", f"Bob:{GIVEN}", f"../x:{GIVEN}", f"bob:{GIVEN} x", ":"]
)
def test_a_wrong_list_of_tokens_is_named_without_repeating_it(tmp_path: Path, written: str) -> None:
    with pytest.raises(ConfigError, match="ANA_API_TOKENS is wrong: write NAME:TOKEN") as told:
        load_settings(folders(tmp_path, ANA_API_TOKENS=written))
    assert GIVEN not in told.value.sentence()


@pytest.mark.parametrize("proxy", [{"ANA_HOSTS": "ana.example.org"}, {"ANA_PROXIES": "127.0.0.1"}])
def test_behind_a_proxy_a_token_is_needed_though_it_comes_from_loopback(tmp_path: Path, proxy: dict[str, str]) -> None:
    assert People(load_settings(folders(tmp_path, **proxy))).needs_token("127.0.0.1")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"anna": 1}', '{"../x": {"tokens": []}}', '{"a\\n": {"tokens": []}}'])
def test_a_list_that_cannot_be_read_lets_nobody_in(people: People, listed: Path, text: str) -> None:
    token = people.add("anna")
    listed.write_text(text)
    for ask in (people.names, lambda: people.find(token), lambda: people.needs_token("::1"), lambda: people.add("bob")):
        with pytest.raises(StoreBroken, match=r"tokens\.json cannot be read"):
            ask()
    assert listed.read_text() == text, "it is left to be looked at"


def test_only_the_key_of_a_calendar_opens_one(people: People, settings: Settings) -> None:
    token = people.add("anna")
    mine, hers = (open_workspace(settings, name).get_calendar_key() for name in ("owner", "anna"))
    assert [people.find_by_calendar_key(key) for key in (mine, hers)] == ["owner", "anna"]
    for other in (token, "", hers[:-1], f"{hers[:-1]}{'B' if hers[-1] == 'A' else 'A'}"):
        assert people.find_by_calendar_key(other) is None
    assert people.find(hers) is None
