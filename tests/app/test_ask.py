"""`ana ask` in scripts: what it reads, what it prints on standard error, how it exits."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from ana.models.scripted import calls
from ana.settings import PROJECT
from app.outcome import expect_done
from tests.app.conftest import Run
from tests.conftest import MakeAssistant, folders
from tests.forks import fork
from tests.openai_stub import Said, openai_stub

NOTES = "First line\nsecond line: delete the milk\n"


@pytest.fixture
def ask_with_pipe(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs `ana ask` with a pipe for its input: its exit code and its output."""

    def run(*arguments: str, given: str = "", closed: bool = True) -> tuple[int, str]:
        env = folders(tmp_path, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT))
        read, write = os.pipe()
        with TemporaryFile("w+") as told:
            child = fork(
                "-m", "app.cli", "ask", *arguments, stdin=read, stdout=told.fileno(), stderr=told.fileno(), env=env
            )
            os.close(read)
            with suppress(BrokenPipeError):
                os.write(write, given.encode())
            if closed:
                os.close(write)
            code = child.wait()
            if not closed:
                os.close(write)
            told.seek(0)
            return code, told.read()

    return run


MILK = "+ “Buy milk” (task, active)\n"


@pytest.mark.parametrize(
    ("arguments", "given", "told"),
    [
        (("keep this as a note",), NOTES, "+ “keep this as a note:” (note)\n"),
        (("-",), "new task: Buy milk\n", MILK),
        ((), "new task: Buy milk\n", MILK),
        (("new task: Buy milk",), "", MILK),  # of a pipe in which nothing comes, and which is not waited for
    ],
)
def test_what_is_piped_in_is_added_to_the_message_or_is_the_message(
    ask_with_pipe: Callable[..., tuple[int, str]], arguments: tuple[str, ...], given: str, told: str
) -> None:
    code, output = ask_with_pipe(*arguments, given=given, closed=bool(given))
    assert code == 0
    assert told in output


def test_a_file_is_read(ana: Run) -> None:
    done = ana("ask", "Keep this as a note.", given=NOTES)
    assert (done.returncode, done.stderr) == (0, "+ “Keep this as a note:” (note)\n")


def test_a_text_that_is_too_long_is_refused(ana: Run) -> None:
    done = ana("ask", "keep this as a note", given="x" * 1_000_001)
    assert (done.returncode, done.stderr) == (1, "The text is longer than 1,000,000 bytes. Send a part of it.\n")


def test_receipts_are_on_standard_error(ana: Run) -> None:
    done = ana("ask", "new task: Buy milk tomorrow", "--json")
    assert done.stderr.startswith("+ “Buy milk tomorrow” (task, active, due ")
    assert done.stdout.startswith("{")


def test_who_travels_with_the_machine_hears_of_it_once(ana: Run) -> None:
    ana("ask", "buy milk tomorrow at 9", ANA_TIMEZONE="Europe/Berlin")
    arrived = ana("ask", "what time is it?", ANA_TIMEZONE="Asia/Tokyo").stderr
    assert arrived.splitlines()[0] == "Your time zone is Asia/Tokyo now; it was Europe/Berlin."
    assert "time zone" not in ana("ask", "what time is it?", ANA_TIMEZONE="Asia/Tokyo").stderr


def test_where_the_text_goes_is_said_if_it_is_another_machine(ana: Run) -> None:
    ana("ask", "new task: Buy milk", "--thread", "one")
    command = ("ask", "--thread", "one", "--decide", "approve")  # nothing waits, so no model is asked
    keys = {"LLM_PROVIDER": "auto", "OPENAI_API_KEY": "sk-not-a-key"}
    far = ana(*command, **keys, OPENAI_BASE_URL="http://me:word@models.example/v1", ANA_EMBEDDINGS="openai")
    said = "what you type goes to http://models.example/v1, what you keep is embedded at http://models.example/v1\n"
    assert far.stderr.startswith(said)
    near = ana(*command, **keys, OPENAI_BASE_URL="http://localhost:1/v1")
    assert "waits" in near.stderr
    assert "goes to" not in near.stderr


UNCHANGED = "no changes\n"


UNDERSTOOD = ("what is 5/2?", "thanks", "blargh the foo?")
NOT_UNDERSTOOD = ("5/0", "cancel netflix by friday", "delete all tasks")


def test_the_exit_code_says_whether_it_was_understood(ana: Run) -> None:
    for said in (*UNDERSTOOD, *NOT_UNDERSTOOD):
        done = ana("ask", said, "--json")
        assert (done.returncode, done.stderr) == (int(said in NOT_UNDERSTOOD), UNCHANGED), said
        told = json.loads(done.stdout)
        assert (told["changes"], told["receipt"]) == ([], "no changes")


def test_what_is_claimed_and_was_not_done_is_contradicted_on_standard_error(ana: Run) -> None:
    ana("ask", "task: car inspection on 2030-12-16")
    false = "The car inspection is cancelled."
    with openai_stub(Said(calls=[("query_items", {"text": "inspection"})]), *[Said(false)] * 3) as stub:
        done = ana("ask", "car inspection is off, cancel it", **stub.env)
    assert done.stdout == f"{false}\n"
    assert done.stderr.splitlines()[-3:-1] == ["no changes", "car inspection on 2030-12-16: Mon 16 Dec 2030, active"]


def test_a_calculation_that_succeeds_the_second_time_has_not_failed(make_assistant: MakeAssistant) -> None:
    wrong, right = (calls(("calculator", {"expression": text})) for text in ("1/0", "1/2"))
    thread = "00000000-0000-4000-8000-000000000000"
    assert expect_done(make_assistant(wrong, "It has no value.").ask("1/0?", thread)).fruitless
    assert not expect_done(make_assistant(wrong, right, "0.5").ask("1/2?", thread)).fruitless


def test_the_same_words_again_in_the_conversation_keep_a_second_one(ana: Run) -> None:
    ana("ask", "new task: Buy milk")
    for words in ("new task: Buy milk", "New  task: Buy milk"):  # each call is a conversation of its own
        refused, _, hint = ana("ask", words).stderr.partition("\n")
        assert refused == "Already there: “Buy milk”"
    assert hint.startswith("To add it a second time, say it again in that conversation: --thread ")
    done = ana("ask", "new task: Buy milk", *hint.split()[-2:])
    assert done.stderr == "+ “Buy milk” (task, active)\n"


def test_what_takes_a_single_message_back_is_the_command(ana: Run) -> None:
    assert ana("ask", "buy glue").stdout == "Kept.\n"
    assert ana("ask", "undo").returncode == 1
    assert "- “buy glue”" in ana("undo").stdout


def test_a_reason_is_given_once(ana: Run) -> None:
    done = ana("ask", "undo")
    assert (done.stdout + done.stderr).count("There is nothing to take back.") == 1
