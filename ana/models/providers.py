"""The model selected by the settings. A provider that fails is never replaced by another."""

import re
from typing import TYPE_CHECKING, get_args

from ana.errors import ConfigError, UserError
from ana.models.listing import find_api
from ana.settings import OPENAI_URL, Provider, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.language_models import BaseChatModel
    from pydantic import SecretStr

    from ana.notes import TextPlace

OPENROUTER_URL = "https://openrouter.ai/api/v1"
RETRIES = 2


def build_model(
    settings: Settings, instruct: "Callable[[str], str] | None" = None, refused: "TextPlace | None" = None
) -> "BaseChatModel":
    """Build the chat model of the settings' provider, with tool calls by USE_TOOL_CALLS.

    Args:
        instruct: Makes the prompt of a model without tool calls from the list of tools. None, for callers that never
            talk to the model: only native calls.
        refused: The storage of refused parameters; None: until the process ends.

    Raises:
        ConfigError: The selected provider lacks its key or model; the error names the setting.
    """
    if settings.provider == "offline":
        return _build_offline_reader()
    native = _build_native(settings, refused)
    if instruct is None or settings.use_tool_calls == "1":
        return native
    from ana.models.json_mode.adapter import JsonDecisions, ToolCallFallback

    decisions = JsonDecisions(inner=native, instruct=instruct)
    return decisions if settings.use_tool_calls == "0" else ToolCallFallback(inner=native, json_decisions=decisions)


def _build_native(settings: Settings, refused: "TextPlace | None") -> "BaseChatModel":
    if settings.provider == "ollama" and not settings.ollama_model:
        raise ConfigError("LLM_PROVIDER is ollama, but no model is named.", "Set OLLAMA_MODEL, for example qwen3:8b.")
    url, key = find_endpoint(settings)
    if key is None:
        name = f"{settings.provider.upper()}_API_KEY"
        raise ConfigError(f"LLM_PROVIDER is {settings.provider}, but {name} is not set.", f"Set {name} in .env.")
    from ana.models.chat_completions import ChatOpenAI
    from ana.models.remote import RemoteModel
    from ana.network import find_client

    inner = ChatOpenAI(
        model=model_name(settings),
        api_key=key,
        base_url=url,  # also the default: else OPENAI_API_BASE of the environment would count, which nobody is told
        timeout=settings.ana_turn_seconds,  # its default is none
        max_retries=RETRIES,
        temperature=settings.temperature,
        max_completion_tokens=settings.max_tokens,
        stream_usage=True,
        use_responses_api=False,  # other servers speak chat completions alone
        metadata={"ls_provider": settings.provider},  # as traces name it; the class only knows OpenAI
        stream_chunk_timeout=None,  # a model that thinks for long only sends signs of life
        http_async_client=find_client(),
        http_socket_options=(),  # of the client that is not used
    )
    if refused:
        inner.keep_refused(refused)
    return RemoteModel(inner=inner)


def find_endpoint(settings: Settings) -> "tuple[str, SecretStr | None]":
    """Return the address at which the provider of the settings speaks OpenAI's protocol, and its key, if it is set."""
    from pydantic import SecretStr

    if settings.provider == "openrouter":
        return OPENROUTER_URL, settings.openrouter_api_key
    if settings.provider == "ollama":
        return find_api(settings.ollama_host), SecretStr("ollama")
    return settings.openai_base_url or OPENAI_URL, settings.openai_api_key


def _build_offline_reader() -> "BaseChatModel":
    try:
        from ana.models.offline.reader import OfflineReader
    except ModuleNotFoundError as exc:
        if not str(exc.name).startswith("ana.models.offline"):  # anything else is a mistake in the code
            raise
        raise ConfigError(
            "The offline reader is not part of this installation.", "Set OPENAI_API_KEY in .env."
        ) from exc
    return OfflineReader()


def choose_model(settings: Settings, name: str | None) -> Settings:
    """Return settings with another model.

    Args:
        name: A model of their provider, PROVIDER:MODEL for another, or offline; None: unchanged.

    Raises:
        UserError: The provider has no models to choose from.
    """
    if not name:
        return settings
    provider, model = _split_name(name, settings.provider)
    if provider == "offline" and model:
        raise UserError(
            f"The offline reader has no model {model!r}.", "Set LLM_PROVIDER, or give one like openai:gpt-4o-mini."
        )
    chosen = {} if provider == "offline" else {f"{provider}_model": model}
    return settings.model_copy(update={"llm_provider": provider, **chosen})


def _split_name(name: str, own: str) -> tuple[str, str]:
    if name in ("offline", "mock"):
        return "offline", ""
    provider, _, model = name.partition(":")
    # Ollama's names have colons too
    is_other = model and provider != "auto" and provider in get_args(Provider)
    return (provider, model) if is_other else (own, name)


def model_name(settings: Settings) -> str:
    """Return the model's name for people."""
    names = {
        "openrouter": settings.openrouter_model,
        "openai": settings.openai_model,
        "ollama": settings.ollama_model,
    }
    return names.get(settings.provider) or "offline reader"


def destination(settings: Settings) -> str | None:
    """Return the address to which the person's words are sent; None if nothing is sent."""
    return _find_url(settings, settings.provider)


def embedding_destination(settings: Settings) -> str | None:
    """Return the address to which texts are sent for embedding; None if they stay on this machine."""
    return _find_url(settings, settings.ana_embeddings)


def _find_url(settings: Settings, name: str) -> str | None:
    """Return the address of a provider or an embedder, without a user name and password."""
    own = settings.openai_base_url or OPENAI_URL
    urls = {"openai": own, "ollama": settings.ollama_host, "openrouter": OPENROUTER_URL}
    return urls.get(name) and re.sub(r"(?<=//)[^/?#]*@", "", urls[name])
