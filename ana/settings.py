"""The one place where the environment and .env are read and cast, and settings written into .env."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError, field_validator

from ana.addresses import Kinds
from ana.errors import ConfigError
from ana.keys import split_tokens
from ana.places import PROJECT as PROJECT
from ana.places import find_places as find_places
from ana.translation import Language
from ana.urls import Hosts, Listening, Networks, Origins, Url
from ana.values import split_words

TRACES = "traces"
"""The traces' folder in a data folder, unless TRACES_DIR names another."""

OPENAI_URL = "https://api.openai.com/v1"

Provider = Literal["auto", "openrouter", "openai", "ollama", "offline"]
ToolCalls = Literal["auto", "1", "0"]
Autonomy = Literal["advise", "confirm", "act"]
Checking = Literal["off", "model"]
Embeddings = Literal["auto", "wordllama", "minilm", "openai", "ollama"]


def _to_upper(value: object) -> object:
    return value.strip().upper() if isinstance(value, str) else value


def _to_path(value: object) -> object:
    if not isinstance(value, str | Path):
        return value
    path = find_places().base / Path(value).expanduser()
    try:
        str(path).encode()  # Chroma takes no other
    except UnicodeEncodeError as exc:
        raise ValueError("the path is not UTF-8") from exc
    if "\0" in str(path):
        raise ValueError("a path has no NUL")
    return path


Names = Annotated[tuple[str, ...], BeforeValidator(split_words)]
Level = Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_to_upper)]
ProjectPath = Annotated[Path, BeforeValidator(_to_path)]


class PersonalSettings(BaseModel):
    """Settings of each person: the owner's are variables, another person's are in a file of theirs."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    ana_timezone: str | None = Field(None, description="IANA zone of the person; default: the system's")
    ana_language: Language | None = Field(
        None, description="language of its words: en, de, es, fr; default: English, of the page the browser's"
    )
    ana_autonomy: Autonomy = Field(
        "confirm",
        description="when to ask first: advise every change, confirm big changes and others' ideas, act only these",
    )
    ana_history_tokens: int = Field(
        24_000,
        ge=200,
        description="how much of the conversation the model sees; a local model needs memory for it",
    )
    ana_daily_budget_usd: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="most USD for models per day; a turn then ends politely"
    )
    ana_notify: SecretStr | None = Field(None, description="where reminders go: Apprise addresses, comma-separated")

    @field_validator("ana_timezone")
    @classmethod
    def _check_zone(cls, value: str | None) -> str | None:
        from zoneinfo import ZoneInfo

        if value is not None:
            try:
                ZoneInfo(value)
            except (KeyError, ValueError, OSError) as exc:
                raise ValueError(f"no IANA time zone is called {value!r}; Europe/Berlin is one") from exc
        return value

    @property
    def language(self) -> Language:
        """The language for the person, unless a browser asks for another."""
        return self.ana_language or "en"

    def dump(self) -> dict[str, Any]:
        """Return the settings as they are stored: secrets in full."""
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        return {name: v.get_secret_value() if isinstance(v, SecretStr) else v for name, v in fields.items()}


class OthersSettings(PersonalSettings):
    """Settings of a person other than the owner, in their own folder; also a model of the provider."""

    ana_model: str | None = None


class Settings(PersonalSettings):
    """Every setting of a deployment and of its owner; a field's name in upper case is its variable."""

    llm_provider: Provider = Field(
        "auto", description="which provider answers; auto: the first that is configured, Ollama before hosted ones"
    )
    openrouter_api_key: SecretStr | None = Field(None, description="OpenRouter key")
    openrouter_model: str = Field("openai/gpt-4o-mini", description="model at OpenRouter")
    openai_api_key: SecretStr | None = Field(None, description="OpenAI key")
    openai_model: str = Field("gpt-4o-mini", description="model at OpenAI")
    openai_base_url: Url | None = Field(None, description="any OpenAI-compatible server instead of OpenAI")
    ollama_host: Url = Field("http://localhost:11434", description="address of Ollama")
    ollama_model: str | None = Field(None, description="Ollama model; setting it configures Ollama")
    use_tool_calls: ToolCalls = Field(
        "auto", description="1: native tool calls; 0: JSON decisions; auto: native, else JSON"
    )
    tools_modules: Names = Field(
        (),
        description="modules with tools of your own, comma-separated: TOOLS or get_tools() in each, "
        "of LangChain's tools, functions or dicts",
    )
    compiled_demos_path: ProjectPath = Field(
        Path("opt/plan_demos.json"), description="worked examples that `ana optimize` saved, shown to the model"
    )
    temperature: float | None = Field(0.0, ge=0, le=2, description="sampling temperature; empty: not sent")
    max_tokens: int | None = Field(None, gt=0, description="most tokens of one model reply")
    openai_input_price_per_1k: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="USD per 1,000 input tokens; overrides known prices"
    )
    openai_output_price_per_1k: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="USD per 1,000 output tokens; overrides known prices"
    )
    log_level_app: Level = Field("INFO", description="log level of ana")
    log_level_deps: Level = Field("INFO", description="log level of everything else")
    log_format: Literal["text", "json"] = Field(
        "text", description="json: one object per line, with ids of person, conversation and run, but nobody's words"
    )
    log_to_console: bool = Field(False, description="also log to standard error")
    log_file_path: ProjectPath = Field(
        default_factory=lambda: find_places().log, description="log file; default in a checkout: logs/ana.log"
    )
    ana_data_dir: ProjectPath = Field(
        default_factory=lambda: find_places().data,
        description="folder of everything the assistant knows; default in a checkout: .data",
    )
    traces_dir: ProjectPath = Field(
        default_factory=lambda known: known["ana_data_dir"] / TRACES,
        description="folder of the trace files; default: traces in ANA_DATA_DIR",
    )
    ana_database_url: SecretStr | None = Field(
        None, description="PostgreSQL instead of the data folder: postgresql://USER:PASSWORD@HOST/NAME"
    )
    ana_embeddings: Embeddings = Field(
        "auto", description="embedder of a new data folder; auto: minilm if installed, else wordllama"
    )
    ana_embedder_dir: ProjectPath | None = Field(None, description="folder with the files of all-MiniLM-L6-v2")
    ana_max_steps: int = Field(12, ge=1, le=100, description="most model calls in one turn")
    ana_turn_seconds: float = Field(
        180.0, gt=0, description="most seconds of work in one turn, including all waiting for the model"
    )
    ana_check: Checking = Field("off", description="model: check each answer for false claims, in one more call")
    ana_check_model: str | None = Field(None, description="model of the provider for that check, if not the same")
    ana_models: Names = Field((), description="models of the provider that other people may choose; empty: none")
    ana_notify_kinds: Kinds = Field(
        ("ntfy", "ntfys", "mailtos", "tgram", "pover", "discord", "slack", "webpush"),
        description="kinds of addresses that other people may use; `private` also allows private networks",
    )
    telegram_bot_token: SecretStr | None = Field(None, description="token of your Telegram bot, from @BotFather")
    telegram_api_url: Url = Field("https://api.telegram.org", description="another server of Telegram's Bot API")
    ana_metrics: Listening | None = Field(
        None, description="HOST:PORT of a process's metrics for Prometheus; if the port is taken, the next one"
    )
    ana_cors_origins: Origins = Field((), description="web origins that may call the server, comma-separated")
    ana_public_url: Url | None = Field(None, description="the server's address for a phone, for buttons")
    ana_hosts: Hosts = Field((), description="public names of a reverse proxy, comma-separated")
    ana_proxies: Networks = Field((), description="addresses of proxies whose X-Forwarded-For and -Proto are trusted")
    ana_api_tokens: SecretStr | None = Field(None, description="NAME:TOKEN, comma-separated, besides `ana users`")

    @field_validator("llm_provider", mode="before")
    @classmethod
    def _read_mock_as_offline(cls, value: object) -> object:
        word = value.strip().lower() if isinstance(value, str) else value
        return "offline" if word == "mock" else word

    @field_validator("ana_api_tokens")
    @classmethod
    def _check_tokens(cls, value: SecretStr | None) -> SecretStr | None:
        split_tokens(value)
        return value

    def give(self, personal: OthersSettings) -> "Settings":
        """Return the settings of a deployment with those of another person in place of its owner's."""
        fields = self.model_fields_set - PersonalSettings.model_fields.keys()
        own = {name: getattr(personal, name) for name in personal.model_fields_set - {"ana_model"}}
        if personal.ana_model:
            own[f"{self.provider}_model"] = personal.ana_model
        return Settings(**{name: getattr(self, name) for name in fields} | own)

    def is_set(self, field: str) -> bool:
        """Return whether the person has set a field to something other than its default."""
        return field in self.model_fields_set

    @property
    def provider(self) -> Provider:
        """The provider in use: the named one, or with auto the first that is configured."""
        if self.llm_provider != "auto":
            return self.llm_provider
        if self.ollama_model:
            return "ollama"
        if self.openrouter_api_key:
            return "openrouter"
        if self.openai_api_key:
            return "openai"
        return "offline"


def _is_path(kind: Any) -> bool:
    return kind is Path or any(map(_is_path, get_args(kind)))


PATHS = frozenset(name.upper() for name, field in Settings.model_fields.items() if _is_path(field.annotation))
"""The settings that name files and folders."""


def read_environment() -> dict[str, str]:
    """Read ana's .env; the process environment takes precedence.

    A value is taken literally, because a key may contain any character; only in paths is ${HOME} replaced.
    """
    if not (path := find_places().env_file).exists():
        return dict(os.environ)
    from dotenv import dotenv_values

    written, filled_in = (dotenv_values(path, interpolate=each) for each in (False, True))
    from_file = written | {name: filled_in[name] for name in PATHS & written.keys()}
    return {name: value for name, value in from_file.items() if value is not None} | dict(os.environ)


def write_env_file(path: Path, values: Mapping[str, str]) -> None:
    """Set variables in a .env file, or in the file to which it links, readable only by its owner; other lines stay
    unchanged.
    """
    from dotenv import set_key

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    path.chmod(0o600)  # it may be older than the first key in it
    for name, value in values.items():
        set_key(path, name, value, follow_symlinks=True)


def load_settings(env: Mapping[str, str] | None = None) -> Settings:
    """Read and cast the settings.

    Args:
        env: Variables by name; default: .env and the process environment. An empty value counts as not set, except for
            TEMPERATURE, because a model may refuse its default.

    Raises:
        ConfigError: A value is wrong; the message names its variable.
    """
    # An unset variable is often written as KEY= in .env files.
    source = read_environment() if env is None else env
    values: dict[str, Any] = {
        name: source[name.upper()] for name in Settings.model_fields if source.get(name.upper(), "").strip()
    }
    if not source.get("TEMPERATURE", "0").strip():
        values["temperature"] = None
    try:
        return Settings(**values)
    except ValidationError as exc:
        first = exc.errors()[0]
        key = str(first["loc"][0]).upper()
        raise ConfigError(
            f"{key} is wrong: {first['msg'].removeprefix('Value error, ')}.",
            f"Correct {key} in the environment or in {find_places().env_file}.",
        ) from exc
