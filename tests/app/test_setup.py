"""`ana setup` writes what was tried, and the REPL offers a model that is already on the machine."""

import re
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from dotenv import dotenv_values
from typer.testing import CliRunner

from ana import settings as settings_module
from ana.errors import ConfigError
from ana.reminders.sending import make_test
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.cli.main import cli
from evals.load.server import free_port
from tests.conftest import folders
from tests.forks import run_forked
from tests.openai_stub import Said, openai_stub
from tests.reminders.collector import Collector
from tests.terminal import Terminal
from tests.test_settings import NO_ADDRESS


@pytest.fixture
def env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty .env of a person who has set nothing."""
    file = tmp_path / ".env"
    places = replace(settings_module.find_places(), env_file=file)
    monkeypatch.setattr(settings_module, "find_places", lambda: places)
    for name in settings_module.Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in folders(tmp_path).items():
        monkeypatch.setenv(name, value)
    return file


def run(*arguments: str, given: str = "") -> Any:
    return CliRunner().invoke(cli, ["setup", *arguments], input=given)


def test_a_server_of_ones_own_may_need_no_key_and_gets_nobody_elses(env_file: Path) -> None:
    env_file.write_text("OPENAI_API_KEY=sk-of-openai\n")
    with openai_stub(Said("Hello!")) as stub:
        done = run("--provider", "compatible", "--url", stub.url, "--model", "m-1", given="\n")
    assert done.exit_code == 0, done.output
    assert stub.authorizations == ["Bearer none"]
    assert run("--provider", "openai", "--model", "gpt", given="\n").exit_code == 2


def test_what_the_trial_costs_counts_in_the_day_and_stops_at_its_budget(
    env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_INPUT_PRICE_PER_1K", "10")
    monkeypatch.setenv("ANA_DAILY_BUDGET_USD", "1")
    with openai_stub(Said("Hello!")) as stub:
        arguments = ("--provider", "compatible", "--url", stub.url, "--model", "m-1")
        assert run(*arguments, given="\n").exit_code == 0
        total = open_workspace(load_settings()).open_spending()
        assert total.today() == pytest.approx(1.0)
        (env_file.parent / "data" / "spending.json").unlink()
        assert total.today() == pytest.approx(1.0)
        refused = run(*arguments, given="\n")
    assert "I stopped at the budget of $1 for one day." in str(refused.exception)
    assert len(stub.requests) == 1


@pytest.mark.parametrize("provider", ["ollama", "compatible"])
def test_an_address_that_is_none_is_refused_before_anything_is_asked_there(env_file: Path, provider: str) -> None:
    done = run("--provider", provider, "--url", NO_ADDRESS[0], "--model", "m", given="\n")
    assert isinstance(done.exception, ConfigError)
    assert "should be a URL such as" in str(done.exception)
    assert not env_file.exists()


def test_what_was_tried_is_written_for_its_owner_alone(env_file: Path) -> None:
    env_file.write_text("# mine\nANA_TIMEZONE=Europe/Berlin\nOPENAI_API_KEY=old\n")
    env_file.chmod(0o644)
    with openai_stub(Said("Hello!")) as stub:
        done = run("--provider", "compatible", "--url", stub.url, "--model", "m-1", given="sk-new\n")
    assert done.exit_code == 0, done.output
    assert "Hello!" in done.output
    assert "It read 100 tokens and wrote 10." in done.output
    assert f"go to {stub.url}" in done.output
    assert "sk-new" not in done.output
    assert stub.authorizations[0] == "Bearer sk-new"
    assert len(stub.requests) == 1
    assert dotenv_values(env_file) == {
        "ANA_TIMEZONE": "Europe/Berlin",
        "LLM_PROVIDER": "openai",
        "OPENAI_API_KEY": "sk-new",
        "OPENAI_BASE_URL": stub.url,
        "OPENAI_MODEL": "m-1",
    }
    assert env_file.read_text().startswith("# mine\n")
    assert stat.S_IMODE(env_file.stat().st_mode) == 0o600


def test_nothing_is_written_if_the_model_does_not_answer(env_file: Path) -> None:
    with openai_stub(Said(status=401)) as stub:
        done = run("--provider", "compatible", "--url", stub.url, "--model", "m-1", given="sk-bad\n")
    assert done.exit_code == 1
    assert "refused the key (401). Check the key and the model in .env. Nothing was written" in str(
        done.exception.sentence()
    )
    assert not env_file.exists()


def test_what_is_not_given_is_asked_for_by_numbers_and_with_a_way_back(env_file: Path) -> None:
    with openai_stub(Said("Hello!")) as stub:
        back = f"nonsense\n1\n<\n3\n<\ncompatible\n{stub.url}\nsk-1\n<\n"
        done = run(given=f"{back}4\n{stub.url}\nsk-1\nm-2\n")
    assert done.exit_code == 0, done.output
    assert "Give one of: openai, openrouter, ollama, compatible, offline." in done.output
    assert "  4  compatible" in done.output
    assert dotenv_values(env_file)["OPENAI_MODEL"] == "m-2"


def test_an_ollama_that_answers_is_not_asked_for_its_address(
    env_file: Path, ollama: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", ollama)
    done = run(given="3\n1\n")
    assert "it runs here with qwen3:8b" in done.output
    assert f"Ollama answers at {ollama}." in done.output
    assert "Asking qwen3:8b to say hello" in done.output
    assert "Address" not in done.output


def test_the_servers_own_models_are_listed(env_file: Path) -> None:
    with openai_stub(Said("Hello!")) as stub:
        stub.models = ["text-embed-1", "big", "small"]
        done = run("--provider", "compatible", "--url", stub.url, given="sk-1\n2\n")
        assert done.exit_code == 0, done.output
        assert "  1  big\n  2  small\n" in done.output
        assert "gpt-4o-mini" not in done.output
        assert dotenv_values(env_file)["OPENAI_MODEL"] == "small"
        stub.models = [f"vendor/m-{n}" for n in range(40)] + ["openai/gpt-4o-mini"]
        done = run("--provider", "compatible", "--url", stub.url, given="\n1\n")
    about = "OpenAI or OpenRouter; small and fast; $0.15 per million tokens in, $0.60 out"
    assert f"  1  openai/gpt-4o-mini  {about}" in done.output
    assert "and 40 more; you can give any of their names." in done.output
    assert dotenv_values(env_file)["OPENAI_MODEL"] == "openai/gpt-4o-mini"


def test_it_says_where_a_key_comes_from_what_to_pull_and_three_models_with_their_price(
    env_file: Path, ollama: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    done = run(given="1\n<\n3\n\n<\n5\n")
    assert "You can create a key at https://platform.openai.com/api-keys." in done.output
    assert "gpt-5.4-mini OpenAI or OpenRouter; newer, thinks before it answers; $0.75 per million" in done.output
    assert "a turn about $0.0013" in done.output
    assert "Nothing answers at http://127.0.0.1:9. Start Ollama, or install it" in done.output
    assert "get one with `ollama pull qwen3:8b`" in done.output
    monkeypatch.setenv("OLLAMA_HOST", ollama)
    assert "[ollama]" in run(given="5\n").output, "found before it asks"


def test_an_ollama_without_a_model_is_told_from_one_that_does_not_run(
    env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_stub(Said("Hello!")) as stub:
        monkeypatch.setenv("OLLAMA_HOST", stub.url.removesuffix("/v1"))
        done = run(given="3\n\n<\n5\n")
    assert "It needs a model; get one with `ollama pull qwen3:8b`" in done.output
    assert "Nothing answers" not in done.output


def test_what_was_typed_stays_when_it_fails(env_file: Path, tmp_path: Path) -> None:
    with openai_stub(Said(status=401), Said("Hello!")) as stub:
        env = folders(tmp_path, OLLAMA_HOST="http://127.0.0.1:9")
        with Terminal(env, script=script_with(env_file, "setup")) as terminal:
            for asked, typed in (
                ("Which one", "4"),
                ("Address", stub.url),
                ("Key (not shown", "sk-bad-one"),
                ("Model:", "m-1"),
                (f"Address [{stub.url}]", ""),
                ("keeps the current one", "sk-good-one"),
                ("Model [m-1]", ""),
                ("Address for reminders", ""),
            ):
                terminal.until(asked)
                if typed.startswith("sk-"):
                    terminal.until_hidden()
                terminal.type(f"{typed}\r")
            shown = terminal.read_to_end()
    assert "refused the key (401). Check the key" in shown
    assert "Nothing was written. Try again; Enter keeps your last answer." in shown
    assert stub.authorizations == ["Bearer sk-bad-one", "Bearer sk-good-one"]
    assert dotenv_values(env_file)["OPENAI_MODEL"] == "m-1"


@pytest.mark.parametrize("key", ["", "two words", "\x1b[2J", "schlüssel"])
def test_what_cannot_be_a_key_is_refused(env_file: Path, key: str) -> None:
    done = run("--provider", "openai", "--model", "m", given=f"{key}\n")
    assert done.exit_code == 2
    assert "This is not a key" in done.output
    assert not env_file.exists()


def test_the_offline_reader_needs_no_trial(env_file: Path) -> None:
    done = run("--provider", "offline")
    assert done.exit_code == 0
    assert "Nothing leaves this machine." in done.output
    assert dotenv_values(env_file) == {"LLM_PROVIDER": "offline"}


def test_a_variable_that_hides_what_was_written_is_named(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "offline")
    assert "LLM_PROVIDER is also set in the environment" in run("--provider", "offline").output


@pytest.fixture
def ollama() -> Iterator[str]:
    """The address of an Ollama with an embedder and a model."""

    with openai_stub(Said(status=404)) as stub:
        stub.models = ["nomic-embed-text:latest", "qwen3:8b"]
        yield stub.url.removesuffix("/v1")


def script_with(env_file: Path, *arguments: str) -> str:
    """Return a script that runs `ana` with another .env; with these arguments if there are any."""
    return f"""
        from dataclasses import replace
        from pathlib import Path
        from ana import settings
        places = replace(settings.find_places(), env_file=Path({str(env_file)!r}))
        settings.find_places = lambda: places
        import sys
        sys.argv[1:] = {arguments!r} or sys.argv[1:]
        from app.cli.main import main
        main()"""


def chat_in_terminal(env_file: Path, tmp_path: Path, host: str) -> Terminal:
    return Terminal(folders(tmp_path, OLLAMA_HOST=host), script=script_with(env_file))


def test_the_repl_offers_an_ollama_once(env_file: Path, tmp_path: Path, ollama: str) -> None:
    with chat_in_terminal(env_file, tmp_path, ollama) as terminal:
        terminal.until("Use its model qwen3:8b? [y/N]")
        terminal.type("n\r")
        terminal.until("/help shows the commands.")
        assert "offline reader" in terminal.seen
        terminal.type("/quit\r")
        assert terminal.process.wait(20) == 0
    assert not env_file.exists()
    with chat_in_terminal(env_file, tmp_path, ollama) as terminal:
        terminal.until("/help shows the commands.")
    assert "Ollama" not in terminal.seen


def test_the_offered_ollama_answers_from_now_on(env_file: Path, tmp_path: Path, ollama: str) -> None:
    with chat_in_terminal(env_file, tmp_path, ollama) as terminal:
        terminal.until("[y/N]")
        terminal.type("y\r")
        terminal.until("· qwen3:8b ·")
    assert dotenv_values(env_file)["OLLAMA_MODEL"] == "qwen3:8b"


ADDRESS = "Address for reminders, such as ntfys://ntfy.sh/a-long-secret-name (Enter: none)"


def set_up_in_terminal(env_file: Path, tmp_path: Path, *addresses: str) -> str:
    """Choose the offline reader, answer where reminders ring as often as it asks, and return what was shown."""
    with Terminal(folders(tmp_path), script=script_with(env_file, "setup", "--provider", "offline")) as terminal:
        for times, address in enumerate(addresses, 1):
            terminal.until(ADDRESS, times=times)
            terminal.type(f"{address}\r")
        return terminal.read_to_end()


def test_an_address_is_asked_for_until_a_test_message_was_sent_there_or_none_is_wanted(
    env_file: Path, tmp_path: Path, collector: Collector
) -> None:
    collector.status = 500
    told = set_up_in_terminal(env_file, tmp_path, "my phone", collector.address, "")
    assert told.count("The test message could not be sent: ") == told.count("The address was not saved.") == 2
    assert dotenv_values(env_file) == {"LLM_PROVIDER": "offline"}
    collector.status = 200
    collector.messages.clear()
    told = set_up_in_terminal(env_file, tmp_path, collector.address)
    assert "A test message was sent. With `ana serve --install` reminders" in told
    assert collector.titles == [make_test().title]
    assert dotenv_values(env_file) == {"LLM_PROVIDER": "offline", "ANA_NOTIFY": collector.address}


def test_who_has_an_address_and_who_answers_in_a_pipe_is_not_asked(
    env_file: Path, tmp_path: Path, collector: Collector
) -> None:
    assert ADDRESS not in run("--provider", "offline").output
    env_file.write_text(f"ANA_NOTIFY={collector.address}\n")
    assert ADDRESS not in set_up_in_terminal(env_file, tmp_path)
    assert collector.messages == []


def test_nothing_is_offered_in_a_pipe(env_file: Path, tmp_path: Path, ollama: str) -> None:
    env = folders(tmp_path, OLLAMA_HOST=ollama)
    done = run_forked("-c", script_with(env_file), "chat", stdin="/quit\n", env=env)
    assert (done.returncode, "Ollama" in done.stdout + done.stderr) == (0, False)


SITE = "Address of ana for your phone, such as http://192.168.1.5:2024, for buttons that answer (Enter: none)"


@contextmanager
def asked_for_site(env_file: Path, tmp_path: Path, seconds: float = 60) -> Iterator[Terminal]:
    """A terminal in which `ana setup` asks where a phone reaches ana, and waits so long for it."""
    env_file.write_text("ANA_NOTIFY=ntfys://ntfy.sh/a-long-secret-name\n")
    patience = f"import app.cli.setup; app.cli.setup.WAIT_SECONDS = {seconds}"
    script = f"\n        {patience}{script_with(env_file, 'setup', '--provider', 'offline')}"
    with Terminal(folders(tmp_path), script=script) as terminal:
        terminal.until(SITE)
        yield terminal


def test_an_address_for_a_phone_is_written_when_the_phone_has_opened_it(env_file: Path, tmp_path: Path) -> None:
    site = f"http://127.0.0.1:{free_port()}"
    with asked_for_site(env_file, tmp_path) as terminal:
        terminal.type("my server\r")
        terminal.until(SITE, times=2)
        terminal.type(f"{site}\r")
        terminal.until("Open it on the phone")
        (address,) = {*re.findall(rf"{site}/app/hello/[\w-]+", terminal.seen)}
        assert httpx.get(f"{address}x").status_code == httpx.get(site).status_code == 404
        assert "reaches ana" in httpx.get(address).text
        told = terminal.read_to_end()
    assert "Your phone has reached it." in told
    assert dotenv_values(env_file)["ANA_PUBLIC_URL"] == site


@pytest.mark.parametrize("is_skipped", [True, False])
def test_an_address_that_no_phone_has_opened_is_not_written(env_file: Path, tmp_path: Path, is_skipped: bool) -> None:
    with asked_for_site(env_file, tmp_path, seconds=60 if is_skipped else 0.5) as terminal:
        terminal.type(f"http://127.0.0.1:{free_port()}\r")
        terminal.until("Open it on the phone")
        if is_skipped:
            terminal.process.send_signal(signal.SIGINT)
        told = terminal.read_to_end()
    assert ("Skipped" if is_skipped else "No phone has reached it") in told
    assert "ANA_PUBLIC_URL" not in dotenv_values(env_file)
