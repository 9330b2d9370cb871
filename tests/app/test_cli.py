"""The command line and the REPL as programs: results on stdout, sentences on stderr, exit codes."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ana.models.offline.readings import HELP
from ana.settings import PROJECT
from app.cli.main import COMMANDS, OTHER, PANELS, cli, find_others
from tests.app.conftest import Run
from tests.conftest import folders
from tests.forks import fork, run_forked
from tests.openai_stub import Said, openai_stub
from tests.terminal import chatting


def test_ask_prints_the_answer_alone(ana: Run) -> None:
    done = ana("ask", "thanks")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{HELP}\n", "no changes\n")


@pytest.mark.parametrize(("place", "told"), [("a pipe that nobody reads", ""), ("/dev/full", "No space left")])
def test_output_that_goes_nowhere_is_told_in_a_sentence_at_most(tmp_path: Path, place: str, told: str) -> None:
    env = folders(tmp_path, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT))
    if place == "/dev/full":
        out = os.open(place, os.O_WRONLY)
    else:
        reader, out = os.pipe()
        os.close(reader)
    errors = tmp_path / "errors"
    with open(os.devnull) as nothing, open(out, "w") as stdout, errors.open("w") as stderr:
        files = {"stdin": nothing.fileno(), "stdout": stdout.fileno(), "stderr": stderr.fileno()}
        code = fork("-m", "app.cli", "describe", **files, cwd=tmp_path, env=env).wait()
    assert code == 1
    assert told in errors.read_text()
    assert errors.read_text().count("\n") == bool(told)


def test_ask_json_prints_one_object(ana: Run, tmp_path: Path) -> None:
    done = ana("ask", "What time is it right now? Use UTC.", "--thread", "clock", "--json")
    told: dict[str, Any] = json.loads(done.stdout)
    assert set(told) == {
        "answer",
        "thread_id",
        "trace_id",
        "trace_path",
        "steps",
        "usage",
        "cost_usd",
        "changes",
        "receipt",
    }
    assert (told["changes"], told["receipt"]) == ([], "no changes")
    assert told["steps"][0]["tool"] == "query_items"
    record = json.loads(Path(told["trace_path"]).read_text())
    assert record["id"] == told["trace_id"]
    assert Path(told["trace_path"]).parent == tmp_path / "traces"
    again = json.loads(ana("ask", "thanks", "--thread", "clock", "--json").stdout)
    assert again["thread_id"] == told["thread_id"]
    assert len(Path(told["trace_path"]).read_text().splitlines()) == 2


def test_utc_takes_the_place_of_the_local_zone(ana: Run) -> None:
    with openai_stub(Said(calls=[("now", {"timezone": "local"})]), Said("It is noon.")) as stub:
        model = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": stub.url}
        told = json.loads(ana("ask", "what time is it?", "--utc", "--json", **model).stdout)
    assert told["steps"][0]["observation"]["timezone"] == "UTC"


def test_what_was_said_is_still_there_in_the_next_process(ana: Run) -> None:
    first = ana("chat", given="Remind me to review the quarterly report on Friday\nnote: the key is in the tin\n")
    assert first.returncode == 0, first.stderr
    assert re.search(r"\+ “review the quarterly report on Friday” \(.*due Fri \d+ \w+", first.stdout)
    second = ana("chat", given="what's due Friday?\nwhere is the key?\n/items\n/quit\n")
    assert "Going on with the last conversation (2 turns)" in second.stdout
    assert "review the quarterly report" in second.stdout.partition("what's due Friday?")[2]
    assert "- “the key is in the tin”" in second.stdout.partition("where is the key?")[2]


def test_threads_are_listed_shown_and_deleted(ana: Run, tmp_path: Path) -> None:
    ana("ask", "hello", "--thread", "work")
    listed = ana("threads", "list").stdout
    assert "\twork\t1 turn\t" in listed
    assert "> hello" in ana("threads", "show", "work").stdout
    begun = listed[:8]
    assert "> hello" in ana("threads", "show", begun).stdout
    assert "Going on with work" in ana("chat", given=f"/threads {begun}\n").stdout
    assert "A new conversation, play." in ana("chat", given="/reset play\n").stdout
    other = ana("chat", given="/threads\n/threads 1\n/threads wrok\n/threads 3\n/reset work\n").stdout
    assert re.search(r"^1  work: “hello” +1 +\w{3} \d+ \w{3} \d\d:\d\d$", other, re.M)
    assert "Going on with work (1 turn), last: hello" in other
    assert "There is no conversation wrok. Did you mean work? /reset wrok begins one." in other
    assert "There is no conversation 3." in other
    assert "There is a conversation work already. /threads work goes there." in other
    assert ana("threads", "list").stdout == listed, "nothing was begun"
    assert ana("threads", "delete", "work", "--yes").returncode == 0
    assert ana("threads", "list").stdout == ""
    assert list((tmp_path / "traces").iterdir()) == []
    gone = ana("threads", "show", "work")
    assert (gone.returncode, gone.stdout) == (1, "")
    assert "There is no thread 'work'" in gone.stderr


def test_describe_tells_what_the_store_holds(ana: Run, tmp_path: Path) -> None:
    ana("ask", "new task: Buy milk tomorrow #home")
    with openai_stub(Said(calls=[("append_context", {"content": "I prefer tea"})]), Said("Noted.")) as stub:
        ana("ask", "I prefer tea", LLM_PROVIDER="openai", OPENAI_API_KEY="sk-x", OPENAI_BASE_URL=stub.url)
    told = json.loads(ana("describe", "-s", "3", "--json").stdout)
    items, context = told["collections"]
    assert told["path"] == str(tmp_path / "data")
    assert (items["name"], items["count"], items["space"], items["embedder"]) == ("items", 1, "cosine", "wordllama")
    assert (context["name"], context["count"]) == ("global_context", 1)
    assert (items["fields"]["due_date"], context["fields"]["created_at"]) == ({"str": 1}, {"str": 1})
    assert items["values"] == {"type": {"task": 1}, "status": {"active": 1}}
    assert [[s["content"] for s in each["samples"]] for each in (items, context)] == [
        ["Buy milk tomorrow #home"],
        ["I prefer tea"],
    ]
    text = ana("describe", "-s", "3").stdout
    assert text.startswith(f"1 item and 1 line about you are in {tmp_path / 'data'}.\n")
    assert "\nSearch by meaning uses wordllama.\n" in text
    assert "\n  status: active (1)\n" in text
    assert "\n  also: due date (1)\n" in text
    assert text.endswith("  0  I prefer tea\n")
    assert "I prefer tea" not in ana("describe").stdout


WRONG: list[tuple[list[str], dict[str, str], int, str]] = [
    (["ask"], {}, 2, "Missing argument"),
    (["fly"], {}, 2, "No such command"),
    (["ask", "x", "--max-steps", "0"], {}, 2, "--max-steps"),
    (["ask", "x"], {"ANA_MAX_STEPS": "many"}, 2, "ANA_MAX_STEPS is wrong"),
    (["ask", "x"], {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": ""}, 2, "Set OPENAI_API_KEY"),
    (["chat"], {"ANA_TIMEZONE": "Mars"}, 2, "ANA_TIMEZONE"),
    (["ask", "  "], {}, 1, "There is no question"),
    (["ask", "x"], {"ANA_DATA_DIR": "/proc/nowhere"}, 1, "/proc/nowhere"),
    (["ask", "x"], {"LOG_FILE_PATH": "/proc/nowhere/log"}, 2, "LOG_FILE_PATH"),
    (["describe"], {"ANA_DATA_DIR": "/proc/nowhere"}, 1, "/proc/nowhere"),
    (["items"], {"ANA_DATA_DIR": "/proc/nowhere"}, 1, "/proc/nowhere"),
    (["items", "--where", "nope"], {}, 2, "--where is not JSON"),
    (["items", "--where", '{"n": {"$approx": 1}}'], {}, 2, "$approx"),
    (["items", "--where", '["n"]'], {}, 2, "A filter is an object"),
    (["items", "--limit", "0"], {}, 2, "--limit"),
    (["items"], {"ANA_LANGUAGE": "xx"}, 2, "ANA_LANGUAGE"),
    (["ask", "hello", "--thread", "x", "--decide", "approve"], {}, 2, "either a question or --decide"),
    (["ask", "--decide", "approve"], {}, 2, "--decide needs --thread"),
    (["ask", "--thread", "x", "--decide", "no-such-file"], {}, 2, "approve, reject or a file"),
    (["ask", "hello", "--request", "x"], {}, 2, "--request needs --decide"),
    (["approve", "--yes"], {}, 2, "need the id of a request"),
    (["approve", "abc", "--yes", "--no"], {}, 2, "either --yes or --no"),
    (["approve", "nope", "--yes"], {}, 1, "does not match one waiting request"),
    (["dev", "--host", "0.0.0.0"], {}, 2, "No such option: --host"),
]


def test_wrong_use_is_a_sentence_and_an_exit_code(ana: Run) -> None:
    for arguments, env, code, named in WRONG:
        done = ana(*arguments, **env)
        assert done.returncode == code, done.stderr
        assert named in re.sub(r"[\s│]+", " ", done.stderr + (done.stdout if arguments == ["chat"] else ""))
        assert "Traceback" not in done.stderr
        assert done.stdout == "" or arguments == ["chat"]


def test_a_failed_turn_exits_with_1(ana: Run) -> None:
    with openai_stub(Said(status=401)) as stub:
        done = ana("ask", "hi", **stub.env)
    assert done.returncode == 1
    assert "refused the key" in done.stdout


def test_the_opening_line_says_what_leaves_the_machine(ana: Run) -> None:
    assert re.match(r"ana \S+ · offline reader · data in .* · nothing leaves this machine\n", ana("chat").stdout)
    env = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    assert "what you type goes to http://127.0.0.1:9/v1" in ana("chat", **env).stdout
    assert "traces go to LangSmith" in ana("chat", LANGSMITH_TRACING="true").stdout
    rings = ana("chat", ANA_NOTIFY="ntfys://ntfy.sh/a-secret, ntfy://localhost/b, mailtos://me:pw@example.org").stdout
    assert "reminders go to ntfy, mail\n" in rings
    assert "nothing leaves" not in rings
    assert "secret" not in rings


def test_no_colour_in_a_pipe(ana: Run) -> None:
    assert "\x1b" not in ana("chat", given="new task: Buy milk tomorrow\n").stdout


def test_a_draft_is_shown_as_being_checked_and_erased_before_the_answer(tmp_path: Path) -> None:
    drafts = Said("I've saved it as abcd2e4f."), Said("I have not saved anything.")
    with openai_stub(*drafts) as stub, chatting(folders(tmp_path, **stub.env)) as terminal:
        terminal.type("keep this\r")
        terminal.until("I have not saved anything.\r\n")
    marked = r"saved it as abcd2e4f\. … \(being checked\).*\x1b\[2KI have not saved anything\.\r\n"
    assert re.search(marked, terminal.seen, re.DOTALL)


@pytest.mark.parametrize("command", [("ask", "hello"), ("serve",), ("dev",), ("chat",)])
def test_a_module_of_tools_that_cannot_be_used_stops_the_start(ana: Run, command: tuple[str, ...]) -> None:
    done = ana(*command, TOOLS_MODULES="no_such_module")
    assert done.returncode == 2
    assert "no_such_module cannot be used" in done.stderr


def test_the_help_names_every_command() -> None:
    shown = CliRunner().invoke(cli, ["--help"]).stdout
    named = re.findall(r"^\W*([a-z]+)  ", shown, re.MULTILINE)
    assert [name for name in (*COMMANDS, *find_others().names) if name not in named] == []
    panels = re.findall(r"^╭─ ([A-Z][a-z ]+) ─", shown, re.MULTILINE)
    assert panels == ["Options", *PANELS, OTHER]


def test_commands_of_other_packages_are_found() -> None:
    assert find_others().names == {"eval", "optimize"}


def test_a_mistyped_command_is_answered_with_the_nearest(ana: Run) -> None:
    assert "Did you mean 'optimize'?" in ana("optimise").stderr


BROKEN = """
    import sys
    from app.cli import items, main

    def fail(*_, **__):
        raise ZeroDivisionError("secret \\x1b[31m" + "x" * 1000)

    items.open_data = fail
    sys.argv[1:] = ["items"]
    main.main()
"""


def test_a_mistake_of_ours_is_a_sentence_with_an_exit_code_of_its_own(tmp_path: Path) -> None:
    done = run_forked("-c", BROKEN, env=folders(tmp_path, LLM_PROVIDER="offline"))
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.startswith("Something went wrong that was not foreseen: ZeroDivisionError: secret \\x1b[31m")
    assert len(done.stderr.splitlines()) == 1
    assert len(done.stderr) < 500
    assert f"The log {tmp_path / 'log' / 'ana.log'} says where it happened." in done.stderr
    assert "Traceback" in (tmp_path / "log" / "ana.log").read_text()


def test_a_module_that_cannot_be_imported_keeps_its_traceback(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import json\n\nfrom json import nothing_of_mine\n")
    env = folders(tmp_path, LLM_PROVIDER="offline", PYTHONPATH=str(tmp_path))
    broken = """
        import sys
        sys.modules.pop("app.cli.today", None)
        sys.modules["app.following"] = None
        sys.argv[1:] = ["today"]
        from app.cli import main
        main.main()"""
    done = run_forked("-c", broken, env=env)
    assert done.returncode == 70
    assert done.stderr.rstrip().endswith("says where it happened.")
    log = (tmp_path / "log" / "ana.log").read_text()
    assert "Traceback" in log
    assert "ModuleNotFoundError" in log
    told = run_forked("-m", "app.cli", "ask", "hello", env=env | {"TOOLS_MODULES": "mine"})
    assert told.returncode == 2
    assert f"({tmp_path / 'mine.py'}, line 3; the traceback is in the log)" in told.stderr
    assert "from json import nothing_of_mine" in (tmp_path / "log" / "ana.log").read_text()
