"""Another model than that of the settings, for a run."""

from pathlib import Path
from typing import get_args

from ana.errors import UserError
from ana.settings import Provider, Settings


def choose_model(settings: Settings, name: str | None) -> Settings:
    """Return settings that ask for another model.

    Args:
        name: A model of their provider, of another as PROVIDER:MODEL, a GGUF file of local, or offline; None for none.

    Raises:
        UserError: The provider has no models to choose from, or there is no such file.
    """
    if not name:
        return settings
    provider, model = _split_name(name, settings.provider)
    if provider == "offline" and model:
        raise UserError(
            f"The offline reader has no model {model!r}.", "Set LLM_PROVIDER, or name one as openai:gpt-4o-mini."
        )
    file = Path(model).expanduser().absolute()
    if provider == "local" and not file.is_file():
        raise UserError(f"There is no GGUF file {file}.", "local runs files; name a model as openai:gpt-4o-mini.")
    chosen = {"local": {"ana_local_model": file}, "offline": {}}.get(provider, {f"{provider}_model": model})
    return settings.model_copy(update={"llm_provider": provider, **chosen})


def _split_name(name: str, own: str) -> tuple[str, str]:
    if name in ("offline", "mock"):
        return "offline", ""
    provider, _, model = name.partition(":")
    # Ollama's names have colons too
    is_other = model and provider != "auto" and provider in get_args(Provider)
    return (provider, model) if is_other else (own, name)
