"""Which model answers, for the owner: connected once it has said hello. The key stays in .env, and is never shown."""

from dataclasses import dataclass

from starlette.datastructures import FormData

from ana import settings as settings_module
from ana.errors import AnaError, UserError
from ana.keys import OWNER
from ana.models.listing import find_api, list_chat_models
from ana.models.providers import model_name
from ana.settings import Settings, load_settings, read_environment, write_env_file
from ana.workspace import Workspace, is_fixed
from app.choices import CHOICES, NO_KEY
from app.page.forms import read_text
from app.privacy import describe_leaving
from app.trial import ask_for_hello


@dataclass(frozen=True)
class ShownModel:
    """What answers, and what can.

    Args:
        now: What answers now, and what leaves the machine for it, in a sentence.
        provider: Its provider.
        ollama: The models of the Ollama that was found.
        host: Where Ollama is looked for.
        fixed: The settings of a model that stand in the environment of the server, which count more than the page.
    """

    now: str
    provider: str
    ollama: list[str]
    host: str
    fixed: list[str]


def describe_model(workspace: Workspace) -> ShownModel | None:
    """Return what answers for whoever may change it, the owner of a folder; else None."""
    if workspace.person != OWNER or workspace.has_database:
        return None
    settings = workspace.settings
    told = "A small reader answers, by rules" if settings.provider == "offline" else f"{model_name(settings)} answers"
    now = f"{told}; {describe_leaving(settings) or 'nothing leaves the machine on which I run'}."
    host = settings.ollama_host
    return ShownModel(now, settings.provider, list_chat_models(find_api(host)), host, _list_fixed())


def _list_fixed() -> list[str]:
    """Return the settings of a model that stand in the environment itself."""
    names = {"LLM_PROVIDER", *(name for each in CHOICES.values() for name in (each.model, each.key, each.url))}
    return sorted(name for name in names if name and is_fixed(name))


def connect(form: FormData) -> str:
    """Use the model that a form says once it has said hello, and return what it said. Raises UserError if it cannot."""
    values = _read_values(form)
    if fixed := _list_fixed():
        raise UserError(f"{', '.join(fixed)} stands in the environment of the server.", "Change it there.")
    told = try_model(load_settings(read_environment() | values))
    write_env_file(settings_module.find_places().env_file, values)
    return f"Connected. {told}"


def try_model(settings: Settings) -> str:
    """Return what a model said, in a sentence. Raises UserError if it cannot be used."""
    if settings.provider == "offline":
        return "The small reader answers, by rules."
    try:
        done, seconds = ask_for_hello(settings)
    except AnaError as exc:
        raise UserError(f"{model_name(settings)} did not answer: {exc}", "Nothing was changed.") from exc
    return f"{model_name(settings)} in {seconds:.1f} s: {done.answer}"


def _read_values(form: FormData) -> dict[str, str]:
    """Return the settings that a form chooses. Raises UserError if something is missing, or is no key."""
    provider, model, url = (read_text(form, name) for name in ("provider", "model", "url"))
    if provider not in CHOICES:
        raise UserError("There is no such provider.", f"There are {', '.join(CHOICES)}.")
    choice = CHOICES[provider]
    named, keyed, placed = choice.model, choice.key, choice.url
    values = {"LLM_PROVIDER": choice.provider}
    if values["LLM_PROVIDER"] == "openai":
        values["OPENAI_BASE_URL"] = url  # an address of before would be used in place of OpenAI's
    for name, value, needed in (("model", model, named), ("address", url, placed)):
        if needed and not value:
            raise UserError(f"The {name} is missing.", "Write it.")
    values |= {name: value for name, value in ((named, model), (placed, url)) if name}
    return values | ({keyed: _read_key(form, keyed, url)} if keyed else {})


def _read_key(form: FormData, name: str, url: str) -> str:
    """Return the key of a form; where its field is empty the one that is set for the same address."""
    known = read_environment()
    is_same = name != "OPENAI_API_KEY" or url == known.get("OPENAI_BASE_URL", "")
    key = read_text(form, "key") or (known.get(name) if is_same else "") or (NO_KEY if url else "")
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise UserError("This is not a key.", "A key is one word of plain letters, digits and signs.")
    return key
