"""Settings: read and cast in one place; a wrong one is named."""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from ana import places
from ana import settings as settings_module
from ana.errors import ConfigError
from ana.installing import HINTS, Part, describe_install
from ana.models.providers import build_model, destination, model_name
from ana.settings import PROJECT, Settings, find_places, load_settings, write_env_file


@pytest.mark.parametrize(
    ("env", "provider"),
    [
        ({}, "offline"),
        ({"LLM_PROVIDER": "mock", "OPENAI_API_KEY": "k"}, "offline"),
        ({"LLM_PROVIDER": " Offline "}, "offline"),
        ({"OPENAI_API_KEY": "k"}, "openai"),
        ({"OPENAI_API_KEY": ""}, "offline"),
        ({"OPENAI_API_KEY": "k", "OPENROUTER_API_KEY": "k"}, "openrouter"),
        ({"OPENAI_API_KEY": "k", "OLLAMA_MODEL": "m"}, "ollama"),
        ({"OPENROUTER_API_KEY": "k", "OLLAMA_MODEL": "m"}, "ollama"),
        ({"OPENAI_API_KEY": "k", "OLLAMA_HOST": "http://gpu:11434"}, "openai"),
        ({"OLLAMA_MODEL": "m"}, "ollama"),
        ({"LLM_PROVIDER": "ollama", "OPENAI_API_KEY": "k"}, "ollama"),
    ],
)
def test_auto_takes_the_first_that_is_configured(env: dict[str, str], provider: str) -> None:
    assert load_settings(env).provider == provider


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ANA_MAX_STEPS", "many"),
        ("ANA_MAX_STEPS", "0"),
        ("TEMPERATURE", "hot"),
        ("LLM_PROVIDER", "hal9000"),
        ("ANA_TIMEZONE", "Mars/Olympus"),
        ("ANA_TIMEZONE", "../etc"),
        ("OPENAI_BASE_URL", "localhost"),
        ("LOG_LEVEL_APP", "LOUD"),
        ("LOG_TO_CONSOLE", "perhaps"),
        ("ANA_EMBEDDINGS", "word2vec"),
        ("ANA_NOTIFY_KINDS", "ntfy,vapid"),
        ("ANA_CORS_ORIGINS", "*"),
        ("ANA_CORS_ORIGINS", "null"),
        ("ANA_CORS_ORIGINS", "https://chat.example.org/"),
        ("ANA_CORS_ORIGINS", "https://me@chat.example.org"),
    ],
)
def test_a_wrong_setting_is_named(key: str, value: str) -> None:
    with pytest.raises(ConfigError, match=key) as caught:
        load_settings({key: value})
    assert key in caught.value.hint


def test_relative_paths_resolve_against_the_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load_settings({"ANA_DATA_DIR": "here", "TRACES_DIR": str(tmp_path)})
    assert settings.ana_data_dir == PROJECT / "here"
    assert settings.traces_dir == tmp_path
    assert load_settings({}).ana_data_dir == PROJECT / ".data"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home, of a person whose ana stands among everything that is installed, beside another's pyproject.toml."""
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "pyproject.toml").write_text('[project]\nname = "another"\n')
    monkeypatch.setattr(places, "PROJECT", tmp_path / "packages")
    for kind in ("DATA", "STATE", "CONFIG"):
        monkeypatch.delenv(f"XDG_{kind}_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_an_installed_ana_keeps_its_files_where_the_system_does(installed: Path) -> None:
    settings = load_settings({"ANA_EMBEDDER_DIR": "/srv/minilm"})
    assert settings.ana_data_dir == installed / ".local/share/ana/data"
    assert settings.traces_dir == installed / ".local/share/ana/data/traces"
    assert settings.log_file_path == installed / ".local/state/ana/log/ana.log"
    assert settings.compiled_demos_path == installed / ".local/share/ana/opt/plan_demos.json"
    assert settings.ana_embedder_dir == Path("/srv/minilm")


def test_an_installed_ana_reads_the_env_of_the_person(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANA_MAX_STEPS", raising=False)
    file = find_places().env_file
    assert file == installed / ".config/ana/.env"
    assert load_settings().ana_max_steps == 12
    write_env_file(file, {"ANA_MAX_STEPS": "7"})
    assert load_settings().ana_max_steps == 7
    assert (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.parametrize("part", HINTS)
def test_an_installed_ana_names_no_make(installed: Path, part: Part) -> None:
    assert "make" not in describe_install(part)


@pytest.mark.parametrize(
    ("env", "named"),
    [
        ({"LLM_PROVIDER": "openai"}, "OPENAI_API_KEY"),
        ({"LLM_PROVIDER": "openrouter"}, "OPENROUTER_API_KEY"),
        ({"LLM_PROVIDER": "ollama"}, "OLLAMA_MODEL"),
    ],
)
def test_a_provider_without_its_key_names_the_setting(env: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigError, match=named if named.endswith("KEY") else "no model") as caught:
        build_model(load_settings(env))
    assert named in caught.value.hint


OPENAI, ROUTER = "https://api.openai.com/v1", "https://openrouter.ai/api/v1"
REACHED: list[tuple[dict[str, str], str, str, str]] = [
    ({"OPENAI_API_KEY": "k"}, "gpt-4o-mini", OPENAI, OPENAI),
    ({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://a:1/v1"}, "gpt-4o-mini", "http://a:1/v1", "http://a:1/v1"),
    ({"OPENROUTER_API_KEY": "k", "OPENROUTER_MODEL": "m"}, "m", ROUTER, ROUTER),
    ({"OLLAMA_MODEL": "qwen"}, "qwen", "http://localhost:11434", "http://localhost:11434/v1"),
    ({"OLLAMA_MODEL": "q", "OLLAMA_HOST": "http://box:11434/"}, "q", "http://box:11434/", "http://box:11434/v1"),
]


@pytest.mark.parametrize(("env", "model", "shown", "url"), REACHED)
def test_every_provider_is_reached_over_the_openai_wire_and_shown(
    env: dict[str, str], model: str, shown: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:2/v1")  # which the library reads, and ana does not
    settings = load_settings(env)
    assert (model_name(settings), destination(settings)) == (model, shown)
    built = build_model(settings).inner  # type: ignore[attr-defined]  # a RemoteModel's
    assert (built.openai_api_base, built.model_name) == (url, model)


def test_offline_no_message_goes_anywhere_and_no_password_is_shown() -> None:
    assert (model_name(load_settings({})), destination(load_settings({}))) == ("offline reader", None)
    host = {"OLLAMA_MODEL": "qwen", "OLLAMA_HOST": "https://me:word@gpu/o@o"}
    assert destination(load_settings(host)) == "https://gpu/o@o"


NO_ADDRESS = [
    "http://exa\x01mple.com/v1",
    "http://example.com/\x7f",
    "http://example.com/\u202ev1",
    "http://exa mple/v1",
    "http://x\ny",
    "http://user:pa\x01ss@host",
    "http://" + "a" * 64 + ".com",
    "http://" + "a" * 100_000,
    "http://" + ".".join(["abc"] * 200),
    "http://example.com/" + "x" * 5000,
    "http://example.com:99999",
    "http://example.com:x",
    "http://a..b",
    "http://..",
    "http://\u00ad",
    "http://[v1.x]/",
    "http://[::1",
    "http:///x",
    "ftp://host",
]
"""What no library takes for an address, or each for another one."""


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "OLLAMA_HOST"])
@pytest.mark.parametrize("url", NO_ADDRESS)
def test_an_address_that_is_none_is_named_with_its_setting(name: str, url: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} is wrong: should be a URL") as told:
        load_settings({name: url})
    assert len(str(told.value)) < 300


@pytest.mark.parametrize(
    "url", ["http://localhost:11434", "https://exämple.com/v1", "http://[fe80::1%25eth0]:8000/v1", "http://a_b/v1?x=1"]
)
def test_an_address_is_one_however_it_is_written(url: str) -> None:
    assert load_settings({"OPENAI_BASE_URL": url}).openai_base_url == url
    build_model(load_settings({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": url}))


def test_a_path_has_no_nul() -> None:
    with pytest.raises(ConfigError, match="ANA_DATA_DIR is wrong"):
        load_settings({"ANA_DATA_DIR": "a\0b"})


def test_a_key_in_the_file_counts_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = replace(settings_module.find_places(), env_file=tmp_path / ".env")
    monkeypatch.setattr(settings_module, "find_places", lambda: own)
    monkeypatch.setenv("HOME", "/home/somebody")
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    key, url = "sk-${HOME}-$HOME-${NOBODY:-x}", "http://me:pa${HOME}ss@localhost:1/v1"
    values = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": url, "OPENAI_MODEL": "m-${HOME}"}
    write_env_file(tmp_path / ".env", values)
    with (tmp_path / ".env").open("a") as file:
        file.write("OPENROUTER_API_KEY=or-${HOME}\nANA_DATA_DIR=${HOME}/ana\nANA_EMBEDDER_DIR='${HOME}/minilm'\n")
    settings = load_settings()
    assert settings.openai_api_key == SecretStr(key)
    assert settings.openrouter_api_key == SecretStr("or-${HOME}")
    assert (settings.openai_base_url, settings.openai_model) == (url, "m-${HOME}")
    assert settings.ana_data_dir == Path("/home/somebody/ana")
    assert settings.ana_embedder_dir == Path("/home/somebody/minilm")


def test_keys_are_not_shown() -> None:
    assert "sk-secret" not in repr(load_settings({"OPENAI_API_KEY": "sk-secret"}))


def test_every_setting_says_what_it_is_for() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_openai_models_have_a_time_out_and_bounded_retries() -> None:
    model = build_model(load_settings({"OPENAI_API_KEY": "k", "ANA_TURN_SECONDS": "7"})).inner  # type: ignore[attr-defined]  # a RemoteModel's
    assert (model.request_timeout, model.max_retries) == (7, 2)
