"""A person's state is where the workspace says, the owner's where it always was, another's in a folder of their own."""

import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.errors import StoreBroken, UserError, WrongName
from ana.handles import open_handles
from ana.logs import hide_secrets, settle_console
from ana.models.providers import model_name
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings, load_settings
from ana.workspace import Workspace, open_workspace
from ana.workspace.private import find_exposed
from app.turn import open_assistant
from graph.context import LocalContext
from tests.conftest import EMBEDDER, folders

SAID = "the key is in the blue tin"


@pytest.fixture
def set_apart(tmp_path: Path) -> Settings:
    """Settings in which the owner has set everything that a person may set."""
    own = {"ANA_AUTONOMY": "act", "ANA_HISTORY_TOKENS": "500", "ANA_DAILY_BUDGET_USD": "2", "LLM_PROVIDER": "offline"}
    return load_settings(folders(tmp_path, **own))


def test_the_owners_state_is_where_it_was(set_apart: Settings, tmp_path: Path) -> None:
    owner = open_workspace(set_apart)
    assert owner.settings is set_apart
    assert (owner.folder, owner.traces_folder) == (tmp_path / "data", tmp_path / "traces")
    assert (owner.server_folder, owner.typed_file) == (tmp_path / "data" / "server", tmp_path / "data" / "typed")
    owner.note("shown").write("here")
    assert (tmp_path / "data" / "shown").read_text() == "here"
    assert list(tmp_path.iterdir()) == [tmp_path / "data"], "nothing else is created before it is used"


def test_another_person_has_a_folder_and_settings_of_their_own(set_apart: Settings, tmp_path: Path) -> None:
    eve = open_workspace(set_apart, "eve")
    folder = tmp_path / "data" / "people" / "eve"
    assert (eve.folder, eve.traces_folder) == (folder, folder / "traces")
    told = eve.settings
    assert (told.ana_autonomy, told.ana_timezone, told.ana_daily_budget_usd) == ("confirm", None, None)
    assert (told.provider, told.ana_embeddings, told.ana_history_tokens) == ("offline", "wordllama", 24_000)
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text('{"ana_timezone": "Asia/Tokyo", "ana_daily_budget_usd": 0.5}')
    again = open_workspace(set_apart, "eve")
    assert (again.make_clock().zone_name, again.settings.ana_daily_budget_usd) == ("Asia/Tokyo", 0.5)
    assert (again.settings.ana_autonomy, again.settings.is_set("ana_autonomy")) == ("confirm", False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"ana_timezone": "Mars"}',
        '{"ana_autonomy": 1}',
        '{"openai_api_key": "sk-1"}',
        '{"ana_data_dir": "/"}',
    ],
)
def test_settings_that_a_person_may_not_set_are_named(set_apart: Settings, tmp_path: Path, text: str) -> None:
    folder = tmp_path / "data" / "people" / "eve"
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(text)
    with pytest.raises(StoreBroken, match=r"settings\.json cannot be read"):
        open_workspace(set_apart, "eve")
    assert open_workspace(set_apart).settings == set_apart, "the owner's are never read from a file"


MODELS = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-1", "OPENAI_MODEL": "large", "ANA_MODELS": "large, small"}


def set_model(settings: Settings, name: str) -> None:
    folder = settings.ana_data_dir / "people" / "eve"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(f'{{"ana_model": "{name}"}}')


@pytest.mark.parametrize(("provider", "key"), [("openai", "OPENAI_API_KEY"), ("openrouter", "OPENROUTER_API_KEY")])
def test_a_person_has_the_model_they_chose_of_those_that_the_deployment_allows(
    tmp_path: Path, provider: str, key: str
) -> None:
    settings = load_settings(folders(tmp_path, **MODELS | {"LLM_PROVIDER": provider, key: "sk-1"}))
    set_model(settings, "small")
    assert model_name(open_workspace(settings, "eve").settings) == "small"
    assert model_name(open_workspace(settings, "bob").settings) == model_name(settings) != "small"
    set_model(settings, "huge")
    with pytest.raises(UserError, match=r"'huge' may not be chosen here\. Choose large or small, or none\."):
        open_workspace(settings, "eve")


@pytest.mark.parametrize("more", [{"ANA_MODELS": ""}, {"LLM_PROVIDER": "offline"}])
def test_where_no_model_may_be_chosen_none_is(tmp_path: Path, more: dict[str, str]) -> None:
    settings = load_settings(folders(tmp_path, **MODELS | more))
    set_model(settings, "small")
    with pytest.raises(UserError, match="no other may be chosen here"):
        open_workspace(settings, "eve")


@pytest.mark.parametrize("person", ["eve", "owner"])
def test_a_run_of_another_person_is_given_no_model_that_the_deployment_does_not_allow(
    tmp_path: Path, person: str
) -> None:
    workspace = open_workspace(load_settings(folders(tmp_path, **MODELS)), person)
    handles = open_handles(workspace, model=ScriptedModel(replies=[]), backend=InMemoryBackend(EMBEDDER))
    assert LocalContext("small", opened=handles).model_options() == {"model": "small"}
    if person == "owner":
        assert LocalContext("huge", opened=handles).model_options() == {"model": "huge"}
    else:
        with pytest.raises(UserError, match="may not be chosen here"):
            LocalContext("huge", opened=handles).model_options()


@pytest.mark.parametrize("person", ["eve", "owner"])
def test_a_calendar_key_is_made_once_stays_and_can_be_changed(settings: Settings, person: str) -> None:
    key = open_workspace(settings, person).get_calendar_key()
    workspace, file = open_workspace(settings, person), open_workspace(settings, person).folder / "calendar-key"
    assert (workspace.get_calendar_key(), file.read_text(), file.stat().st_mode & 0o777) == (key, key, 0o600)
    assert open_workspace(settings, "bob").get_calendar_key() != key
    other = workspace.get_calendar_key(change=True)
    assert other != key
    assert workspace.get_calendar_key() == other
    file.write_text(other[:-1])
    assert len(workspace.get_calendar_key()) == len(other), "one that was cut short is none"


def test_a_calendar_key_is_in_no_trace_and_no_log(settings: Settings) -> None:
    workspace = open_workspace(settings)
    key = workspace.get_calendar_key()
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(logging.Formatter())
    logging.root.addHandler(handler)
    try:
        settle_console(settings)
        logging.getLogger("uvicorn.access").warning("GET /calendar/%s.ics 200", key)
    finally:
        logging.root.removeHandler(handler)
    assert handler.stream.getvalue() == "GET /calendar/[secret].ics 200\n"
    assert key not in hide_secrets(json.dumps({"said": f"it is {key}"}), ())
    assert key not in repr(workspace)


@pytest.mark.parametrize("name", ["", ".", "..", "../eve", "eve/bob", "Eve", "-eve", "eve\n", "é", "e" * 65])
def test_a_name_that_could_lead_elsewhere_is_refused(settings: Settings, name: str) -> None:
    with pytest.raises(WrongName, match="is not a person's name"):
        open_workspace(settings, name)


def ask(workspace: Workspace, said: str, backend: Any = None) -> tuple[str, list[str]]:
    """Say something that is stored in the conversation `home`; return its id, and what the person's store holds."""
    model = ScriptedModel(replies=[calls(("create_item", {"content": said})), "Saved."])
    handles = open_handles(workspace, model=model, backend=backend)
    id = workspace.open_threads().remember("home")
    with open_assistant(handles) as assistant:
        assert assistant.ask(said, id).answer == "Saved."
        return id, [item.content for item in handles.memory.items()]


def test_two_persons_share_no_word(settings: Settings, tmp_path: Path) -> None:
    eve, owner = open_workspace(settings, "eve"), open_workspace(settings)
    (hers, her_items), (his, his_items) = ask(eve, SAID), ask(owner, "buy milk")
    assert (her_items, his_items) == ([SAID], ["buy milk"])
    assert hers != his
    for one, other, id in ((eve, owner, hers), (owner, eve, his)):
        assert one.open_thread_store().names() == {id: "home"}
        assert one.open_threads().resolve("home") == id
        assert (one.open_traces().ids(), other.open_traces().read(id)) == ([id], [])
    files = [path for path in tmp_path.rglob("*") if path.is_file() and b"blue tin" in path.read_bytes()]
    assert files
    assert [path for path in files if not path.is_relative_to(eve.folder)] == []


def test_what_another_person_has_is_kept_private_too(settings: Settings) -> None:
    eve = open_workspace(settings, "eve")
    ask(eve, SAID)
    eve.folder.chmod(0o755)
    assert find_exposed(eve) == [eve.folder]
