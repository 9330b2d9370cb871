"""`ana setup`: choose a model, try it, and write .env."""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from ana import settings as settings_module
from ana.addresses import MAIL, NTFY, read_kind, split_addresses
from ana.errors import AnaError, UserError
from ana.models.prices import find_price
from ana.models.providers import destination, model_name
from ana.reminders.sending import make_test, send
from ana.settings import Settings, load_settings, read_environment, write_env_file
from ana.urls import is_http
from ana.workspace import Workspace, load_workspace
from app.choices import CHOICES
from app.cli.choices import ask, choose
from app.reaching import await_visit, draw_code, has_come, listening
from app.serving import LOCAL, is_serving
from app.show.text import say
from app.trial import ask_for_hello

WAIT_SECONDS = 120.0
"""How long a phone is waited for."""

LOOK_SECONDS = 0.2


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
    if sys.stdin.isatty() and _may_have_buttons(load_settings(read_environment())):
        _offer_buttons(file)
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


def _may_have_buttons(settings: Settings) -> bool:
    """Return whether reminders ring where they would have buttons with an address of ana, which is not set."""
    kinds = {*map(read_kind, split_addresses(settings.ana_notify))}
    return settings.ana_public_url is None and bool(kinds & {*NTFY, *MAIL})


def _offer_buttons(file: Path) -> None:
    """Ask for an address of ana for a phone; save it if the phone has opened it, or once `ana serve` can be asked."""
    question = "Address of ana for your phone, such as http://192.168.1.5:2024, for buttons that answer (Enter: none)"
    while (site := ask(question, "")) and not is_http(site):
        say("That is no address; one begins with http:// or https://.")
    if not site:
        return
    owner = load_workspace()
    if is_serving(owner):
        write_env_file(file, {"ANA_PUBLIC_URL": site})
        say("It was saved. Start `ana serve` again, then test it with the phone on the page, in the settings.")
    elif host := _await_phone(owner, site):
        write_env_file(file, {"ANA_PUBLIC_URL": site})
        say(f"Your phone has reached it. Run `ana serve{'' if host == LOCAL else f' --host {host}'}` from now on.")
        say("With an address for others everybody signs in: `ana users token owner` makes your token.")


def _await_phone(owner: Workspace, site: str) -> str:
    """Wait until a phone opens an address of this machine; return the host that it reached, empty if none came."""
    try:
        with listening(owner, site) as host:
            address, end = await_visit(owner, site), time.monotonic() + WAIT_SECONDS
            say(f"{draw_code(address)}\n{address}\nOpen it on the phone, within two minutes (Ctrl-C: skip this).")
            while not (reached := has_come(owner)) and time.monotonic() < end:
                time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        say("Skipped; the address was not saved.")
        return ""
    except OSError as exc:
        say(f"Nothing can listen there: {exc.strerror or exc}. The address was not saved.")
        return ""
    if not reached:
        say("No phone has reached it, so the address was not saved. Is the phone in the same network?")
    return host if reached else ""


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
