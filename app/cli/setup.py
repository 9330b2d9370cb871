"""`ana setup`: choose a model, try it, and write .env."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ana import settings as settings_module
from ana.errors import UserError
from ana.models.ollama import is_local, list_chat_models
from ana.models.prices import FREE_OF_CHARGE, find_price
from ana.models.providers import destination, model_name
from ana.reminders.sending import TEST, send
from ana.settings import Settings, load_settings, read_environment, write_env_file
from app.connecting import ask_for_hello
from app.show.text import say


@dataclass(frozen=True)
class Choice:
    """A provider that can be chosen.

    Args:
        help: What it is, in a line.
        provider: Its value of LLM_PROVIDER.
        model: The setting that names its model; empty if it has none.
        key: The setting that holds its key; empty if it needs none.
        url: The setting of its address; empty if it is always the same.
    """

    help: str
    provider: str
    model: str = ""
    key: str = ""
    url: str = ""


BACK = "<"
"""The answer that goes back to the choices."""

NO_KEY = "none"
"""What a server of one's own is sent that needs no key; the client refuses an empty one."""

CHOICES = {
    "openai": Choice("OpenAI, with a key", "openai", "OPENAI_MODEL", "OPENAI_API_KEY"),
    "openrouter": Choice("OpenRouter, with a key", "openrouter", "OPENROUTER_MODEL", "OPENROUTER_API_KEY"),
    "ollama": Choice("Ollama, on a machine of your own", "ollama", "OLLAMA_MODEL", url="OLLAMA_HOST"),
    "compatible": Choice(
        "another server with OpenAI's protocol", "openai", "OPENAI_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"
    ),
    "offline": Choice("no model: the offline reader, which keeps what you say and finds it again", "offline"),
}


def setup(
    provider: Annotated[
        str | None, typer.Option(metavar="|".join(CHOICES), help="What answers; asked for if it is not given.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name; asked for if it is not given.")] = None,
    url: Annotated[str | None, typer.Option(help="The server's address; asked for if it is needed.")] = None,
) -> None:
    """Choose what answers, try it with one message, and write .env. A key is asked for, or read from a pipe."""
    choice, asked = _choose(provider, model, url)
    values = {"LLM_PROVIDER": choice.provider} | asked
    settings = load_settings(read_environment() | values)
    to = destination(settings)
    say(f"What you type, and what is found for it, goes to {to}." if to else "Nothing leaves this machine.")
    if settings.provider != "offline":
        _try(settings)
    file = settings_module.find_places().env_file
    write_env_file(file, values)
    say(f"Written to {file}, which only you may read. `ana` begins.")
    if sys.stdin.isatty() and not read_environment().get("ANA_NOTIFY"):
        _offer_address(file)
    for name in sorted(values.keys() & os.environ.keys()):
        say(f"{name} is set in the environment too, which counts more than .env.")


class Back(Exception):
    """The person wants to choose again."""


def _choose(provider: str | None, model: str | None, url: str | None) -> tuple[Choice, dict[str, str]]:
    """Return what was chosen with its settings; whoever goes back from one of its questions chooses again."""
    while True:
        choice = _read_choice(provider) if provider else _ask_choice()
        try:
            return choice, _ask_values(choice, model, url)
        except Back:
            provider = None


def _offer_address(file: Path) -> None:
    """Ask where reminders ring; an address is written if a test message could be sent there."""
    question = "Where reminders ring, such as ntfys://ntfy.sh/a-long-secret-name (Enter: nowhere)"
    while (address := _ask(question, "")) and (reason := send(address, TEST)):
        say(f"The test message could not be sent: {reason.rstrip('.')}. Nothing of it was written.")
    if not address:
        return
    write_env_file(file, {"ANA_NOTIFY": address})
    say("A test message was sent. `ana remind --install` lets them ring also while ana is not open.")


def _ask_choice() -> Choice:
    host = _known("OLLAMA_HOST") or ""
    running = list_chat_models(host) if is_local(host) else []
    for number, (name, choice) in enumerate(CHOICES.items(), 1):
        here = f"; it runs here with {', '.join(running)}" if running and name == "ollama" else ""
        say(f"  {number}  {name:<12} {choice.help}{here}")
    say(f"{BACK} as an answer to a later question comes back here.")
    chosen: Choice = typer.prompt(f"Which one, 1 to {len(CHOICES)}", value_proc=_read_choice, err=True)
    return chosen


def _read_choice(said: str) -> Choice:
    name = _read_number(said.strip(), [*CHOICES])
    if name not in CHOICES:
        raise typer.BadParameter(f"Give one of: {', '.join(CHOICES)}.")
    return CHOICES[name]


def _read_number(said: str, listed: Sequence[str]) -> str:
    """Return what stands under a number in a list; anything else as it was said."""
    number = int(said) if said.isdecimal() and len(said) < 3 else 0
    return listed[number - 1] if 0 < number <= len(listed) else said


def _ask_values(choice: Choice, model: str | None, url: str | None) -> dict[str, str]:
    """Return the settings of a provider by name; each is taken from the option, or asked for."""
    # an address from an earlier choice of a compatible server would be used in place of OpenAI's
    values = {"OPENAI_BASE_URL": ""} if choice.provider == "openai" else {}
    if choice.url:
        values[choice.url] = url or _find_ollama(choice) or _ask("Address", _known(choice.url))
        load_settings(values)  # before anything is asked there
    if choice.key:
        values[choice.key] = _ask_key(_known_key(choice, values.get("OPENAI_BASE_URL")))
    if choice.model:
        values[choice.model] = model or _ask_model(choice, values)
    return values


def _find_ollama(choice: Choice) -> str | None:
    """Return the address at which Ollama answers with models, so that it need not be asked for."""
    host = _known("OLLAMA_HOST") if choice.provider == "ollama" else None
    if not host or not list_chat_models(host):
        return None
    say(f"Ollama answers at {host}.")
    return host


def _ask_model(choice: Choice, values: dict[str, str]) -> str:
    found = list_chat_models(values[choice.url]) if choice.provider == "ollama" else []
    for number, name in enumerate(found, 1):
        say(f"  {number}  {name}")
    return _read_number(_ask("Model", _known(choice.model) or next(iter(found), None)), found)


def _known(name: str) -> str | None:
    """Return what a setting is now."""
    default: str | None = Settings.model_fields[name.lower()].default
    return read_environment().get(name) or default


def _ask(what: str, default: str | None) -> str:
    return _heed_back(str(typer.prompt(what, default=default, err=True)).strip())


def _heed_back(said: str) -> str:
    """Return an answer. Raises Back if it says so."""
    if said == BACK:
        raise Back
    return said


def _known_key(choice: Choice, url: str | None) -> str | None:
    """Return the key that Enter stands for: the one that is set, if it is for the same address.

    Args:
        choice: What was chosen.
        url: The address, empty for OpenAI's own; None if the provider has but one.
    """
    is_same = url is None or url == (_known("OPENAI_BASE_URL") or "")
    return (_known(choice.key) if is_same else None) or (NO_KEY if url else None)


def _ask_key(known: str | None) -> str:
    """Read a key without showing it: keys on a command line are in the shell's history and in the list of processes."""
    if not sys.stdin.isatty():
        key = sys.stdin.readline().strip() or known or ""
    else:
        enter = "needs none" if known == NO_KEY else "keeps the one that is set"
        ask = f"Key (not shown; Enter: {enter})" if known else "Key (not shown)"
        key = str(typer.prompt(ask, default=known, hide_input=True, show_default=False, err=True)).strip()
    _heed_back(key)
    if not key.isascii() or not key.isprintable() or not key or " " in key:
        raise typer.BadParameter("This is not a key: a key is one word of plain letters, digits and signs.")
    return key


def _try(settings: Settings) -> None:
    """Ask the model to say hello, and say what it took."""
    name = model_name(settings)
    say(f"Asking {name} to say hello…")
    try:
        done, seconds = ask_for_hello(settings)
    except UserError as exc:
        raise UserError(exc.message, "Nothing was written; run `ana setup` again.") from exc
    say(f"{name} in {seconds:.1f} s: {done.answer}")
    say(
        f"It read {done.usage['input_tokens']:,} tokens and wrote {done.usage['output_tokens']:,}. "
        "A turn is one to three such calls, with the conversation."
    )
    if find_price(name, settings) != FREE_OF_CHARGE:
        say(
            "`ana cost` shows what they cost. Where a model's price is not known, OPENAI_INPUT_PRICE_PER_1K and "
            "OPENAI_OUTPUT_PRICE_PER_1K in .env tell it."
        )
