"""`ana users`, and the commands that run for another person than the owner."""

import json
import re
from pathlib import Path
from zipfile import ZipFile

import pytest

from ana.backends.chroma.care.files import copy_files
from ana.handles import open_data
from ana.people import People
from ana.people.grants import list_grants
from ana.settings import load_settings
from ana.workspace import Workspace, open_workspace
from app.cli.main import COMMANDS, FOR_ALL, NOT_PERSONAL, load_command
from app.serving import mark_serving
from tests.command_line import run
from tests.conftest import live_in
from tests.openai_stub import Said, openai_stub


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the environment names, in which nobody is yet."""
    live_in(tmp_path, monkeypatch)
    return tmp_path / "data"


def open_person(name: str) -> Workspace:
    return open_workspace(load_settings(), name)


def keep(name: str, text: str) -> None:
    with open_data(open_person(name), "a test") as handles:
        handles.memory.create(text)


def test_a_token_is_printed_alone_once_and_lets_its_person_in() -> None:
    code, told = run("users", "add", "anna")
    token, what_for = told.splitlines()
    assert (code, People(load_settings()).find(token)) == (0, "anna")
    assert what_for == "This is anna's token; it is shown only once. Programs send it as `Authorization: Bearer TOKEN`."
    assert run("users", "list") == (0, "owner\nanna\n")
    assert run("users", "add", "anna")[0] == 1
    newer = run("users", "token", "anna")[1].splitlines()[0]
    assert [People(load_settings()).find(each) for each in (token, newer)] == [None, "anna"]


def test_a_link_is_drawn_for_one_sign_in_and_its_code_is_in_the_fragment(monkeypatch: pytest.MonkeyPatch) -> None:
    run("users", "add", "anna")
    assert "needs the address of the server" in run("users", "link", "anna")[1]
    monkeypatch.setenv("ANA_HOSTS", "ana.example.org,other.example")
    code, told = run("users", "link", "anna")
    *drawing, link, _ = told.splitlines()
    assert (code, link.partition("#")[0]) == (0, "https://ana.example.org/app/sign-in")
    assert {*"".join(drawing)} == {*" █▀▄"}
    assert len({len(line) for line in drawing}) == 1
    signed_in = People(load_settings()).exchange(link.partition("#code=")[2])
    assert signed_in is not None
    assert signed_in[0] == "anna"
    elsewhere = run("users", "link", "anna", "--url", "http://192.168.1.5:2024/")[1]
    assert "http://192.168.1.5:2024/app/sign-in#code=" in elsewhere
    assert run("users", "link", "bob")[0] == 1


def test_a_person_is_removed_after_a_yes_with_everything_put_aside(own: Path) -> None:
    run("users", "add", "anna")
    keep("anna", "the key is in the blue tin")
    assert "this is not a terminal" in run("users", "remove", "anna")[1]
    code, told = run("users", "remove", "anna", "--yes")
    assert code == 0
    aside = Path(told.rstrip(".\n").partition(" is in ")[2])
    assert sorted(path.name for path in aside.iterdir()) == ["anna", "backup.zip"]
    assert run("users", "list")[1] == "owner\n"
    run("users", "add", "anna")
    assert "There are no items yet" in run("items", "--user", "anna")[1], "a new one of the name has nothing"
    code, told = run("restore", str(aside / "backup.zip"), "--user", "anna", "--yes")
    assert code == 0, told
    assert "blue tin" in run("items", "--user", "anna")[1]


def test_a_command_runs_for_the_person_who_is_named_and_touches_nobody_else() -> None:
    run("users", "add", "anna")
    assert run("ask", "--user", "anna", "--thread", "home", "note: the key is in the blue tin")[0] == 0
    assert "blue tin" in run("items", "--user", "anna")[1]
    assert "There are no items yet" in run("items")[1]
    assert "home" in run("threads", "list", "--user", "anna")[1]
    assert "home" in run("threads", "--user", "anna")[1]
    assert "home" in run("threads", "--user", "anna", "list")[1]
    assert "home" not in run("threads")[1]


def write_earlier(name: str, to: Path) -> Path:
    """Write a backup as it was before backups knew whose they are, or had anything that a person has set."""
    person, copied = open_person(name), to.with_suffix("")
    with open_data(person, "a test") as handles, handles.upkeep.hold_closed():
        copy_files(person.folder, person.traces_folder, copied, "")
    (copied / "data" / "calendar-key").unlink()
    files = [file for file in copied.rglob("*") if file.is_file() and file.name != "backup.json"]
    with ZipFile(to, "w") as archive:
        for file in files:
            archive.write(file, str(file.relative_to(copied)))
        archive.writestr("backup.json", json.dumps({"format": 3, "version": "0.2", "files": len(files)}))
    return to


def test_a_backup_of_another_person_is_refused_unless_it_is_meant(tmp_path: Path) -> None:
    for name in ("anna", "ben"):
        run("users", "add", name)
        keep(name, f"of {name}")
    file, key = tmp_path / "ben.zip", open_person("ben").get_calendar_key()
    (open_person("ben").folder / "settings.json").write_text('{"ana_notify": "json://127.0.0.1/bens"}')
    run("backup", str(file), "--user", "ben")
    earlier = write_earlier("ben", tmp_path / "earlier.zip")
    for options in (["--user", "anna"], []):
        code, told = run("restore", str(file), "--yes", *options)
        assert code == 1
        assert told.startswith(f"{file} is a backup of what 'ben' has, not '{'anna' if options else 'owner'}'; nothing")
        assert "`--user ben`" in told
        assert "of ben" not in run("items", *options)[1]
    keep("ben", "later")
    assert run("restore", str(file), "--yes", "--user", "ben")[0] == 0
    assert "later" not in run("items", "--user", "ben")[1]
    assert run("restore", str(file), "--yes", "--from", "anna", "--user", "anna")[0] == 1
    assert run("restore", str(file), "--yes", "--from", "ben", "--user", "anna")[0] == 0
    assert "of ben" in run("items", "--user", "anna")[1]
    assert not (open_person("anna").folder / "settings.json").exists(), "her reminders do not ring at ben's"
    assert open_person("anna").get_calendar_key() != key, "nor does his key open her calendar"
    assert run("restore", str(earlier), "--yes")[0] == 0, "an older one does not say whose it is"
    assert "of ben" in run("items")[1]


def test_a_restore_brings_back_what_a_person_has_set_and_no_key_that_was_changed(tmp_path: Path) -> None:
    run("users", "add", "anna")
    keep("anna", "something")
    settings, key = open_person("anna").folder / "settings.json", open_person("anna").get_calendar_key()
    settings.write_text('{"ana_timezone": "Asia/Tokyo"}')
    file = tmp_path / "anna.zip"
    run("backup", str(file), "--user", "anna")
    earlier = write_earlier("anna", tmp_path / "earlier.zip")
    settings.write_text('{"ana_timezone": "Europe/Berlin"}')
    changed = open_person("anna").get_calendar_key(change=True)
    assert run("restore", str(earlier), "--yes", "--user", "anna")[0] == 0
    assert "Berlin" in settings.read_text(), "an older backup has none"
    assert run("restore", str(file), "--yes", "--user", "anna")[0] == 0
    assert json.loads(settings.read_text()) == {"ana_timezone": "Asia/Tokyo"}
    assert settings.stat().st_mode & 0o777 == 0o600
    assert open_person("anna").get_calendar_key() == changed
    run("users", "remove", "anna", "--yes")
    run("users", "add", "anna")
    run("restore", str(file), "--yes", "--user", "anna")
    assert open_person("anna").get_calendar_key() == key
    assert "Asia/Tokyo" in settings.read_text()


def test_what_is_shown_to_others_is_in_a_backup_and_what_was_ended_stays_so(tmp_path: Path) -> None:
    run("users", "add", "anna")
    run("users", "add", "ben")
    with open_data(open_person("anna"), "a test") as handles:
        pill = handles.memory.create("Pill", {"due_date": "2026-12-02T08:00", "repeats": "FREQ=DAILY"}).id
    run("share", pill, "ben", "--user", "anna")
    file, restore = tmp_path / "anna.zip", ("restore", str(tmp_path / "anna.zip"), "--yes", "--user", "anna")
    run("backup", str(file), "--user", "anna")
    assert "shown to others" in run(*restore)[1]
    assert [(each.item, each.viewer) for each in list_grants(open_person("anna"))] == [(pill, "ben")]
    run("share", pill, "ben", "--end", "--user", "anna")
    assert "shown to others" not in run(*restore)[1]
    assert list_grants(open_person("anna")) == []
    run("users", "remove", "anna", "--yes")
    run("users", "add", "anna")
    assert "shown to others" in run(*restore)[1], "nothing says that it was ended"


def test_a_file_of_the_owners_that_is_called_like_settings_is_not_anas(own: Path, tmp_path: Path) -> None:
    run("users", "add", "anna")
    for name in ("owner", "anna"):
        keep(name, "something")
        (open_workspace(load_settings(), name).folder / "settings.json").write_text('{"ana_timezone": "Asia/Tokyo"}')
        run("backup", str(tmp_path / f"{name}.zip"), "--user", name)
    (own / "settings.json").write_text("mine")
    assert run("restore", str(tmp_path / "owner.zip"), "--yes")[0] == 0
    assert run("restore", str(tmp_path / "anna.zip"), "--yes", "--from", "anna")[0] == 0
    assert (own / "settings.json").read_text() == "mine"


def test_a_person_who_is_not_there_is_named_and_no_folder_is_made(own: Path) -> None:
    for name in ("bob", "", "../anna", "a\x1b[31m"):
        told = f"There is no person {name!r}. `ana users list` shows who there is.\n"
        assert run("items", "--user", name) == (1, told)
    assert not (own / "people").exists()


def test_for_all_stands_where_it_can_be_done() -> None:
    code, told = run("trash", "--all", "list")
    assert code == 2
    assert "Write --all after list." in told
    assert run("trash", "list", "--all") == (0, "The trash is empty.\nowner:\n")


def test_for_all_a_command_runs_for_one_after_the_other_though_a_folder_is_damaged(own: Path) -> None:
    for name in ("anna", "bob", "zoe"):
        run("users", "add", name)
        keep(name, f"of {name}")
    (open_person("anna").folder / "settings.json").write_text("{")
    (open_person("bob").folder / "journal.sqlite").write_bytes(b"no database at all" * 100)
    code, told = run("doctor", "--all")
    assert code == 1
    assert re.findall(r"^(owner|anna|bob|zoe):$", told, flags=re.MULTILINE) == ["owner", "anna", "bob", "zoe"]
    assert "settings.json cannot be read" in told
    assert "journal.sqlite is damaged" in told
    assert told.count("All is well") == 2
    (own / "people" / "anna" / "settings.json").unlink()
    code, told = run("cost", "--all", "--json")
    assert (code, told.count('"total_usd"')) == (0, 4)


def test_a_backup_and_an_export_for_all_are_a_file_of_each(tmp_path: Path) -> None:
    run("users", "add", "anna")
    for name in ("owner", "anna"):
        keep(name, f"of {name}")
    for command, file in (("backup", "all.zip"), ("export", "all.jsonl"), ("export", "-")):
        code, told = run(command, str(tmp_path / file) if file != "-" else file, "--all")
        assert (code, "Put {user} into the file name" in told) == (2, True)
    assert run("backup", str(tmp_path / "my-{user}.zip"), "--all")[0] == 0
    assert run("export", str(tmp_path / "{user}.jsonl"), "--all")[0] == 0
    assert run("export", str(tmp_path / "{user}.ics"), "--ics", "--all")[0] == 0
    written = ["anna.ics", "anna.jsonl", "my-anna.zip", "my-owner.zip", "owner.ics", "owner.jsonl"]
    assert sorted(path.name for path in tmp_path.glob("*.*")) == written
    assert "of anna" in (tmp_path / "anna.jsonl").read_text()
    assert "of anna" not in (tmp_path / "owner.jsonl").read_text()
    keep("anna", "later")
    assert run("restore", str(tmp_path / "my-anna.zip"), "--user", "anna", "--yes")[0] == 0
    assert "later" not in run("items", "--user", "anna")[1]


def test_a_purge_for_all_purges_everybodys_trash() -> None:
    run("users", "add", "anna")
    for name in ("owner", "anna"):
        with open_data(open_person(name), "a test") as handles:
            handles.memory.delete(handles.memory.create("gone", {}).id)
    assert run("trash", "--purge", "--older-than", "0d", "--all")[1].count("Deleted permanently: 1 item") == 2


def test_what_is_done_for_a_deployment_takes_no_person() -> None:
    for name in COMMANDS:
        command = load_command(name)
        taken = {option for each in command.params for option in each.opts} & {"--user", "--all"}
        expected = {"--user"} | ({"--all"} if name in FOR_ALL else set())
        of_its_own = {"--user"} if name == "move" else set()  # everybody's, or one person's
        assert taken == (of_its_own if name in NOT_PERSONAL else expected), name
    assert run("serve", "--user", "anna")[0] == 2


def test_settings_of_a_person_count_for_their_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    run("users", "add", "anna")
    (open_person("anna").folder / "settings.json").write_text('{"ana_timezone": "Asia/Tokyo"}')
    with openai_stub(Said(calls=[("now", {"timezone": "local"})]), Said("It is late.")) as stub:
        for name, value in stub.env.items():
            monkeypatch.setenv(name, value)
        assert "Asia/Tokyo" in run("ask", "--user", "anna", "--json", "what time is it?")[1]


def test_what_undo_says_to_type_works_for_the_same_person() -> None:
    run("users", "add", "anna")
    keep("anna", "Water the fern")
    told = run("undo", "--user", "anna")[1]
    again = told.rpartition("To take this back: ana ")[2].split()
    assert again[-2:] == ["--user", "anna"]
    assert run(*again)[0] == 0
    assert "Water the fern" in run("items", "--user", "anna")[1]


def test_a_calendars_address_is_that_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    run("users", "add", "anna")
    here = run("calendar", "--user", "anna")[1].splitlines()[0]
    assert here.startswith("http://127.0.0.1:2024/calendar.ics?key=")
    with mark_serving(open_person("owner"), 2030):
        assert run("calendar", "--user", "anna")[1].splitlines()[0] == here.replace("2024", "2030", 1)
    assert run("calendar", "--user", "anna")[1].splitlines()[0] == here
    monkeypatch.setenv("ANA_HOSTS", "localhost")
    there = run("calendar", "--user", "anna")[1].splitlines()[0]
    assert there == here.replace("http://127.0.0.1:2024", "https://localhost")
    assert run("calendar", "--user", "anna", "--new-key")[1].splitlines()[0] != there


def test_a_calendars_address_is_told_with_whether_it_is_served_and_how_a_phone_reaches_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served: list[str] = []
    monkeypatch.setattr("app.cli.calendar._is_served", lambda address: any(map(address.startswith, served)))
    monkeypatch.setattr("app.cli.calendar._find_own_address", lambda: "192.0.2.7")
    told = run("calendar")[1]
    key = told.splitlines()[0].rpartition("=")[2]
    assert "It is not available now; start `ana serve`." in told
    assert f"A phone in the same network can use http://192.0.2.7:2024/calendar.ics?key={key}, once `ana serve" in told
    served += ["http://127", "http://192"]
    told = run("calendar")[1]
    assert "It is available there now." in told
    assert f"can use http://192.0.2.7:2024/calendar.ics?key={key}." in told
    assert "phone" not in run("calendar", "--url", "http://ana.test")[1]
