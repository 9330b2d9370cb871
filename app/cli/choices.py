"""The questions of `ana setup`: which model answers, where, and with which key."""

import sys
from collections.abc import Sequence

import typer

from ana.models.listing import find_api, is_local, list_chat_models, listens
from ana.models.prices import PRICES
from ana.settings import Settings, load_settings
from app.choices import CHOICES, NO_KEY, Choice, find_key, is_key
from app.show.text import say

BACK = "<"
"""The answer that returns to the choices."""

LOCAL_MODEL = "qwen3:8b"
SUGGESTED = {
    "gpt-4o-mini": "OpenAI or OpenRouter; small and fast",
    "gpt-5.4-mini": "OpenAI or OpenRouter; newer, thinks before it answers",
    LOCAL_MODEL: "Ollama; 5.2 GB, needs 8 GB of memory",
}
"""Models to start with, and notes on them."""

READ, WRITTEN = 8_000, 200
"""The tokens of a turn: two calls, the prompt and a short conversation in each."""

MOST = 20
"""Most models of a server to list; if there are more, only suggested ones are."""


class Back(Exception):
    """The person wants to choose again."""


def choose(env: dict[str, str], name: str | None, model: str | None, url: str | None) -> tuple[str, dict[str, str]]:
    """Return the choice that was made and its settings; ask for values that are not passed.

    Args:
        env: Current settings, to which answers are added, as defaults if a question is repeated.
    """
    while True:
        name = _read_choice(name or _ask_choice(env))
        choice = CHOICES[name]
        try:
            return name, {"LLM_PROVIDER": choice.provider} | _ask_values(choice, env, model, url)
        except Back:
            name = None


def _ask_choice(env: dict[str, str]) -> str:
    host = _known(env, "OLLAMA_HOST") or ""
    running = list_chat_models(find_api(host)) if is_local(host) else []
    for number, (name, choice) in enumerate(CHOICES.items(), 1):
        here = f"; it runs here with {', '.join(running)}" if running and name == "ollama" else ""
        say(f"  {number}  {name:<12} {choice.help}{here}")
    say("Models to start with; `ana eval` measures how well a model works:")
    for name in SUGGESTED:
        say(f"     {name:<12} {_describe_model(name)}")
    say(f"Answer a later question with {BACK} to return here.")
    default = "ollama" if running else None
    chosen: str = typer.prompt(f"Which one, 1 to {len(CHOICES)}", default=default, value_proc=_read_choice, err=True)
    return chosen


def _describe_model(name: str) -> str:
    """Return notes on a model and its price; empty for an unknown model."""
    known, price = SUGGESTED.get(name, ""), PRICES.get(name)
    if name == LOCAL_MODEL:
        return f"{known}; costs nothing"
    if price is None:
        return known
    usd = (READ * price.read + WRITTEN * price.written) / 1_000_000
    costs = f"${price.read:.2f} per million tokens in, ${price.written:.2f} out; a turn about ${usd:.4f}"
    return f"{known}; {costs}" if known else costs


def _read_choice(answer: str) -> str:
    name = _read_number(answer.strip(), [*CHOICES])
    if name not in CHOICES:
        raise typer.BadParameter(f"Give one of: {', '.join(CHOICES)}.")
    return name


def _read_number(answer: str, listed: Sequence[str]) -> str:
    """Return the entry with a number in a list; return anything else unchanged."""
    number = int(answer) if answer.isdecimal() and len(answer) < 3 else 0
    return listed[number - 1] if 0 < number <= len(listed) else answer


def _ask_values(choice: Choice, env: dict[str, str], model: str | None, url: str | None) -> dict[str, str]:
    """Return the settings of a provider by name; each comes from its option or is asked for."""
    # an address from an earlier choice of a compatible server would be used in place of OpenAI's
    values = {"OPENAI_BASE_URL": ""} if choice.provider == "openai" else {}
    if choice.url:
        values[choice.url] = url or _find_ollama(choice, env) or ask("Address", _known(env, choice.url))
        load_settings(values)  # before anything is asked there
    if choice.key:
        if choice.keys:
            say(f"You can create a key at {choice.keys}.")
        values[choice.key] = _ask_key(find_key(choice, env, values.get("OPENAI_BASE_URL", "")))
    env |= values
    if choice.model:
        values[choice.model] = env[choice.model] = model or _ask_model(choice, env)
    return values


def _find_ollama(choice: Choice, env: dict[str, str]) -> str | None:
    """Return the address at which Ollama lists models, which then need not be asked for."""
    host = _known(env, "OLLAMA_HOST") if choice.provider == "ollama" else None
    if not host or not list_chat_models(find_api(host)):
        return None
    say(f"Ollama answers at {host}.")
    return host


def _ask_model(choice: Choice, env: dict[str, str]) -> str:
    """Return a model's name, one of the server's if it lists them."""
    is_ollama = choice.provider == "ollama"
    api = choice.api or (find_api(env[choice.url]) if is_ollama else env[choice.url])
    models = list_chat_models(api, env.get(choice.key, ""))
    if is_ollama and not models:
        if not listens(api):
            say(f"Nothing answers at {env[choice.url]}. Start Ollama, or install it from https://ollama.com/download.")
        say(f"It needs a model; get one with `ollama pull {LOCAL_MODEL}` ({SUGGESTED[LOCAL_MODEL]}).")
    listed = models if len(models) <= MOST else [name for name in models if name.rpartition("/")[2] in SUGGESTED]
    for number, name in enumerate(listed, 1):
        say(f"  {number}  {name}  {_describe_model(name.rpartition('/')[2])}".rstrip())
    if len(models) > len(listed):
        say(f"     and {len(models) - len(listed)} more; you can give any of their names.")
    known = _known(env, choice.model) if choice.api else env.get(choice.model)
    default = known if known in models or not models else next(iter(listed), None)
    return _read_number(ask("Model", default), listed)


def _known(env: dict[str, str], name: str) -> str | None:
    """Return the current value of a setting."""
    default: str | None = Settings.model_fields[name.lower()].default
    return env.get(name) or default


def ask(what: str, default: str | None) -> str:
    return _heed_back(str(typer.prompt(what, default=default, err=True)).strip())


def _heed_back(answer: str) -> str:
    """Return an answer. Raises Back if the person wants to go back."""
    if answer == BACK:
        raise Back
    return answer


def _ask_key(known: str) -> str:
    """Read a key without showing it: keys on a command line are in the shell's history and in the list of processes."""
    if not sys.stdin.isatty():
        return _heed_back(_check_key(sys.stdin.readline().strip() or known))
    enter = "needs none" if known == NO_KEY else "keeps the current one"
    ask = f"Key (not shown; Enter: {enter})" if known else "Key (not shown)"
    key = typer.prompt(ask, default=known or None, hide_input=True, show_default=False, value_proc=_check_key, err=True)
    return _heed_back(str(key))


def _check_key(answer: str) -> str:
    key = answer.strip()
    if not is_key(key):
        raise typer.BadParameter("This is not a key: a key is one word of ASCII letters, digits and signs.")
    return key
