"""`ana setup`: choose a model, try it, and write .env."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ana import settings as settings_module
from ana.errors import AnaError, UserError
from ana.models.prices import find_price
from ana.models.providers import destination, model_name
from ana.reminders.sending import make_test, send
from ana.settings import Settings, load_settings, read_environment, write_env_file
from app.choices import CHOICES
from app.cli.choices import ask, choose
from app.show.text import say
from app.trial import ask_for_hello


def setup(
    provider: Annotated[
        str | None, typer.Option(metavar="|".join(CHOICES), help="The provider; asked for if missing.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name; asked for if missing.")] = None,
    url: Annotated[str | None, typer.Option(help="The server's address; asked for if needed.")] = None,
) -> None:
    """Choose a model, try it with one message, and write .env. The key is asked for or read from a pipe."""
    env = read_environment()  # with what is typed: whoever has to answer again finds it there
    while True:
        try:
            provider, values = choose(env, provider, model, url)
            settings = load_settings(read_environment() | values)
            to = destination(settings)
            say(f"Your messages, and what is found for them, go to {to}." if to else "Nothing leaves this machine.")
            if settings.provider != "offline":
                _try(settings)
            break
        except AnaError as exc:
            if not sys.stdin.isatty() or model or url:  # what was typed stays; what a command says is wrong
                raise
            say(f"{exc.sentence()}\nNothing was written. Try again; Enter keeps your last answer.")
            model = url = None
    file = settings_module.find_places().env_file
    write_env_file(file, values)
    say(f"Written to {file}, which only you can read. Start with `ana`.")
    if sys.stdin.isatty() and not read_environment().get("ANA_NOTIFY"):
        _offer_address(file)
    for name in sorted(values.keys() & os.environ.keys()):
        say(f"{name} is also set in the environment, which takes precedence over .env.")


def _offer_address(file: Path) -> None:
    """Ask for the address for reminders; save it if a test message could be sent there."""
    question = "Address for reminders, such as ntfys://ntfy.sh/a-long-secret-name (Enter: none)"
    while (address := ask(question, "")) and (reason := send(address, make_test())):
        say(f"The test message could not be sent: {reason.rstrip('.')}. The address was not saved.")
    if not address:
        return
    write_env_file(file, {"ANA_NOTIFY": address})
    say("A test message was sent. With `ana serve --install` reminders also arrive while ana is not open.")


def _try(settings: Settings) -> None:
    """Ask the model to say hello, and print the time and tokens."""
    name = model_name(settings)
    say(f"Asking {name} to say hello…")
    try:
        done, seconds = ask_for_hello(settings)
    except UserError as exc:
        hint = "" if sys.stdin.isatty() else "Nothing was written; run `ana setup` again."
        raise UserError(exc.sentence(), hint) from exc
    say(f"{name} in {seconds:.1f} s: {done.answer}")
    say(
        f"It read {done.usage['input_tokens']:,} tokens and wrote {done.usage['output_tokens']:,}. "
        "A turn is one to three such calls, with the conversation."
    )
    if find_price(name, settings) is None:
        say(f"The price of {name} is unknown; set OPENAI_INPUT_PRICE_PER_1K and OPENAI_OUTPUT_PRICE_PER_1K in .env.")
