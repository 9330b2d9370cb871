"""Tasks are played on the real graph; what they come to is counted, drawn and uploaded."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langsmith.utils import LangSmithError

from ana.errors import ConfigError, UserError
from ana.models import providers
from ana.models.json_mode.adapter import JsonDecisions
from ana.models.providers import build_model, choose_model
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings, load_settings
from ana.spending.total import LEDGER
from ana.workspace import open_workspace
from app.costs import add_up
from evals import figures
from evals.cli import eval as command
from evals.cli.eval import build_judge, read_tasks
from evals.tasks.opinions import load_rubrics
from evals.tasks.picture import WRONG, draw_groups
from evals.tasks.scores import FIGURES, load_groups, load_weights, make_report, score_run
from evals.tasks.stage import Run, Stage, open_stage, play_tasks
from evals.tasks.task import Task, choose_tasks, load_tasks
from evals.tasks.upload import open_client, upload_report
from prompts import decision_prompt
from tests.app.conftest import Run as Ana
from tests.app.conftest import ana as ana
from tests.conftest import EMBEDDER, folders
from tests.evals.weak_model import CALLS, make_weak_model, weak_replies
from tests.langsmith_collector import KEY, Collector, langsmith_collector
from tests.openai_stub import Said, openai_stub

TASKS = load_tasks()
MOSTLY = ("arithmetic", "time", "change", "global_context", "multi_turn", "refusal", "injection", "undo")


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    settings = load_settings({"LLM_PROVIDER": "offline"})
    with open_stage(settings, build_model(settings), EMBEDDER) as stage:
        yield stage


def say(stage: Stage, *replies: Any, **task: Any) -> Run:
    """Play a task with a script."""
    stage.model = ScriptedModel(replies=list(replies))
    given = {"id": "x", "group": "g", "now": "2026-05-13T09:20", "zone": "UTC", "question": "add milk"}
    return stage.play(Task(**given | task))


@pytest.fixture
def script(settings: Settings) -> Iterator[Stage]:
    with open_stage(settings, ScriptedModel(replies=[]), EMBEDDER) as stage:
        yield stage


def keeps_what_was_said(write: str, said: str) -> bool:
    """Whether a change is a new item or line whose words were all said, in this order."""
    content = re.match(r"(?:create item|append line) \w+: nothing -> (['\"])(.*)\1 \{", write)
    return content is not None and content[2] in said


@pytest.mark.parametrize("groups", [MOSTLY, pytest.param((), marks=pytest.mark.long)])
def test_the_offline_reader_writes_nothing_but_what_was_said(stage: Stage, groups: tuple[str, ...]) -> None:
    runs = [*play_tasks(stage, choose_tasks(TASKS, groups), 1)]
    assert [(run.task, run.error) for run in runs if run.error] == [], "earlier turns can be played"
    # a statement that means more to whoever understands it is kept in its own words
    wrong = [(run.task, write, run.question) for run in runs for write in run.wrong_writes]
    assert [each for each in wrong if not keeps_what_was_said(*each[1:])] == []
    shown = figures.render_tasks(make_report("offline reader", "wordllama", 1, runs)).splitlines()
    rows = figures.PAGE.read_text().splitlines()
    assert [row for row in shown if row not in rows and not row.startswith("| all ")] == [], "run `make readme`"


@pytest.mark.parametrize("rounds", [1, pytest.param(9, marks=pytest.mark.long)])
def test_a_weak_model_in_json_mode_counts_and_tells_the_time_whatever_it_writes(stage: Stage, rounds: int) -> None:
    wrong, replies = [], weak_replies()
    tasks = choose_tasks(TASKS, ["arithmetic", "time"])
    assert {task.id for task in tasks} == CALLS.keys()
    for task in tasks * rounds:
        stage.model = make_weak_model(next(replies)(task.id))
        run = stage.play(task)
        wrong += [(task.id, run.faults, run.answer, run.error)] * (not run.is_right)
    assert wrong == []


def test_a_person_is_asked_and_replies(script: Stage) -> None:
    milk = calls(("create_item", {"content": "Buy milk", "properties": {"type": "task"}}))
    expected: Any = {"autonomy": "advise", "expect_asked": True, "expect_changes": [{"created": "milk"}]}
    yes, no = say(script, milk, "I added milk.", **expected), say(script, milk, "Fine.", decide="reject", **expected)
    assert yes.is_right
    assert no.faults["trajectory"] == []
    assert "missing" in no.faults["store"][0]
    assert (yes.lm_calls, yes.tool_calls, yes.steps, yes.cost_usd) == (2, 1, 1, 0)


def test_every_run_begins_with_the_same_store_and_conversation(script: Stage) -> None:
    earlier = [{"said": "add tea", "calls": [{"tool": "create_item", "args": {"content": "Tea"}}], "answer": "Noted."}]
    for _ in range(2):
        found = calls(("query_items", {"text": "tea"}))
        run = say(script, found, "You have this: Tea.", question="what?", earlier=earlier, expect_count=1)
        assert run.is_right, run.faults
        assert run.trajectory == [["query_items", {"text": "tea"}]]


def test_a_model_that_fails_is_counted_and_then_left(script: Stage) -> None:
    failed = say(script)
    assert (failed.is_right, failed.error) == (False, "The script has no further reply.")
    with pytest.raises(UserError, match="3 turns in a row failed"):
        [*play_tasks(script, TASKS[:1], 5)]


def test_a_model_whose_replies_cannot_be_used_is_measured_to_the_end(script: Stage) -> None:
    script.model = JsonDecisions(inner=ScriptedModel(replies=['{"tool": {"name": "fly"'] * 8), instruct=decision_prompt)
    runs = [*play_tasks(script, TASKS[:1], 4)]
    assert [(run.is_right, run.lm_calls) for run in runs] == [(False, 2)] * 4


def make_run(task: str, repeat: int = 0, right: bool = True, **more: Any) -> Run:
    base: dict[str, Any] = {
        "group": "g",
        "question": "q",
        "answer": "a",
        "trajectory": [],
        "results": [],
        "seconds": 1.0,
    }
    base |= {"lm_calls": 2, "tool_calls": 1, "steps": 1, "cost_usd": 0.5, "wrong_writes": []}
    base |= {"contains": None, "key": None, "error": None, "faults": {"store": [] if right else ["x"]}}
    return Run(task=task, repeat=repeat, **base | more)


def test_figures_of_repeats() -> None:
    runs = [
        make_run("one", 0, trajectory=[["now", {"a": 1, "b": 2}]], contains=True),
        make_run("one", 1, trajectory=[["now", {"b": 2, "a": 1}]], contains=True, key=True),
        make_run("two", 0, right=False, contains=False, wrong_writes=["x"]),
        make_run("two", 1, trajectory=[["now", {}]], cost_usd=None, seconds=3.0),
    ]
    report = make_report("m", "e", 2, runs)
    every = report.groups["all"]
    assert report.groups["g"] == every
    assert [every[name] for name in ("n", "success_rate", "pass_k", "agreement", "score")] == [4, 0.75, 0.5, 0.75, 0.75]
    assert [every[name] for name in ("contains_hit_rate", "key_hit_rate", "wrong_writes")] == [0.6667, 1.0, 1]
    assert [every[name] for name in ("avg_latency_sec", "avg_cost_usd")] == [1.5, None]
    assert [every[name] for name in ("avg_lm_calls", "avg_tool_calls", "avg_steps")] == [2.0, 1.0, 1.0]
    assert tuple(report.groups["all"]) == FIGURES


def test_a_score_is_weighted_by_the_rubrics() -> None:
    weights = load_weights()
    half = make_run("x", faults={"answer": [], "store": ["missing"]})
    assert score_run(half, weights) == weights["answer"] / (weights["answer"] + weights["store"])
    assert score_run(make_run("x", error="gone"), weights) == 0
    assert weights.keys() == {"answer", "key", "trajectory", "store"}


def test_two_reports_are_drawn_side_by_side(tmp_path: Path) -> None:
    report = make_report("a <model> & more", "e", 1, [make_run("one"), make_run("two", right=False)])
    (tmp_path / "r.json").write_text(json.dumps(report.to_json()))
    model, earlier = load_groups(tmp_path / "r.json")
    assert earlier == report.groups
    root = ET.fromstring(draw_groups({f"before: {model}": earlier, model: {"h": report.groups["all"]}}))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"g", "h", "all", "before: a <model> & more", "0.50 (2)", "not right"} <= set(texts)
    assert texts[0] == "Tasks done right: before: a <model> & more, a <model> & more"
    assert any(element.get("fill") == WRONG for element in root.iter("{http://www.w3.org/2000/svg}rect"))
    for text in ("", "[]", '{"model": 1}'):
        (tmp_path / "odd.json").write_text(text)
        with pytest.raises(UserError, match="odd"):
            load_groups(tmp_path / "odd.json")


def test_the_command_plays_prints_and_draws(ana: Ana, tmp_path: Path) -> None:
    done = ana("eval", "--tasks", "injection", "--n", "2", "--json", "--picture", "groups.svg")
    report = json.loads(done.stdout)
    assert (report["n"], report["model"], report["groups"]["all"]["success_rate"]) == (2, "offline reader", 1.0)
    assert ET.parse(tmp_path / "groups.svg").getroot().tag.endswith("svg")
    assert not (tmp_path / "data" / "items").exists()


@pytest.mark.parametrize(("end", "runs"), [(KeyboardInterrupt, 2), (UserError, 4)])
def test_what_was_played_before_an_end_is_told_and_counts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    end: type[BaseException],
    runs: int,
) -> None:
    def stop(_: list[BaseMessage]) -> AIMessage:
        raise end

    settings = load_settings(folders(tmp_path, OPENAI_API_KEY="k", OPENAI_MODEL="gpt-4o-mini"))
    used = {"input_tokens": 999_996, "output_tokens": 1, "total_tokens": 999_997}
    replies = [AIMessage("I leave that to you.", usage_metadata=used)] * 2
    monkeypatch.setattr(command, "start", lambda: open_workspace(settings))
    monkeypatch.setattr(providers, "build_model", lambda *_: ScriptedModel(replies=[*replies, stop]))
    with pytest.raises(end):
        command.eval_(tasks="time", picture=tmp_path / "groups.svg")
    assert f"cut short after {runs} runs" in " ".join(capsys.readouterr().out.split())
    assert not (tmp_path / "groups.svg").exists()
    assert open_workspace(settings).open_spending().today() == pytest.approx(0.3)
    (tmp_path / "data" / "spending.json").unlink()
    assert open_workspace(settings).open_spending().today() == pytest.approx(0.3), (
        "without the note it is added up again"
    )
    days, _ = add_up(open_workspace(settings))
    assert sum(day.turns for day in days) == 2
    assert sum(day.cost_usd or 0 for day in days) == pytest.approx(0.3)


def test_scripted_turns_and_models_that_cost_nothing_leave_no_account(settings: Settings) -> None:
    earlier = [{"said": "hi", "answer": "Hello."}]
    paid = settings.model_copy(update={"llm_provider": "openai", "openai_model": "gpt-4o-mini"})
    for given, total in ((settings, 0.0), (paid, 0.15)):
        with open_stage(given, ScriptedModel(replies=[]), EMBEDDER) as stage:
            used = {"input_tokens": 999_996, "output_tokens": 1, "total_tokens": 999_997}
            say(stage, AIMessage("Fine.", usage_metadata=used), earlier=earlier)
        assert open_workspace(given).open_spending().today() == total
        assert (given.ana_data_dir / LEDGER).exists() == bool(total)


def test_the_command_asks_another_model_and_a_judge_over_their_protocol(ana: Ana) -> None:
    def reply(request: dict[str, Any]) -> Said:
        return Said(
            json.dumps(dict.fromkeys(load_rubrics(), 2)) if request["model"] == "judge-1" else "I leave that to you."
        )

    with openai_stub(reply) as stub:
        env = {"OPENAI_BASE_URL": stub.url, "OPENAI_API_KEY": "sk-1"}
        asked = ("eval", "--tasks", "time", "--n", "1", "--model", "openai:m-1", "--judge", "openai:judge-1")
        report = json.loads(ana(*asked, "--json", **env).stdout)
    assert (report["model"], report["runs"][0]["answer"]) == ("m-1", "I leave that to you.")
    assert (report["judge"]["model"], report["judge"]["means"]["right"]) == ("judge-1", 1.0)
    judged = stub.requests[-1]
    assert (judged["temperature"], judged["response_format"]["type"]) == (0.0, "json_schema")
    assert "expect" not in json.dumps(judged)


def test_what_the_command_is_given(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="neither a file nor a group"):
        read_tasks("time,tume", None)
    assert len(read_tasks("time", None)) == 8
    assert read_tasks("global context", None) == read_tasks("global_context", None)
    for name in ("gpt-9", "openai:", "auto:gpt-9", "offline:gpt-9"):
        with pytest.raises(UserError, match="has no model"):
            choose_model(load_settings(folders(tmp_path, LLM_PROVIDER="offline")), name)
    openai = load_settings(folders(tmp_path, OPENAI_API_KEY="k"))
    assert choose_model(openai, "gpt-9").openai_model == "gpt-9"
    assert choose_model(openai, None) is openai
    assert [choose_model(openai, name).provider for name in ("offline", "mock")] == ["offline"] * 2
    for name in ("qwen3:8b", "ollama:qwen3:8b"):
        chosen = choose_model(load_settings(folders(tmp_path, OLLAMA_MODEL="one")), name)
        assert (chosen.provider, chosen.ollama_model) == ("ollama", "qwen3:8b")
    with pytest.raises(UserError, match="cannot judge"):
        build_judge(openai, "offline")


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with langsmith_collector() as collector:
        monkeypatch.setenv("LANGSMITH_ENDPOINT", collector.url)
        monkeypatch.setenv("LANGSMITH_API_KEY", KEY)
        yield collector


def test_a_report_becomes_a_dataset_and_an_experiment(collector: Collector, tmp_path: Path) -> None:
    settings = load_settings(folders(tmp_path, OPENAI_API_KEY="sk-very-secret"))
    tasks = choose_tasks(TASKS, ["time"])[:2]
    runs = [make_run(task.id, repeat, answer="sk-very-secret", key=True) for task in tasks for repeat in range(2)]
    report = make_report("m", "e", 2, runs)
    names = [upload_report(open_client(settings), tasks, report) for _ in range(2)]
    assert names[0][0] == names[1][0], "the same tasks are the same dataset"
    posted = [request.path.split("?")[0] for request in collector.requests if request.method == "POST"]
    assert posted.count("/datasets") == 1
    assert posted.count("/sessions") == 2
    assert len(collector.runs) == 8
    examples = {run["reference_example_id"] for run in collector.runs.values()}
    assert len(examples) == 2
    assert all(id in collector.bodies() for id in examples)
    scores = [each for each in collector.feedback if each["key"] == "success"]
    assert {(each["score"], each["run_id"] in collector.runs) for each in scores} == {(1, True)}
    assert "sk-very-secret" not in collector.bodies()


def test_a_run_of_an_experiment_has_its_turns_below_it_with_their_times(
    script: Stage, collector: Collector, settings: Settings
) -> None:
    script.collects_trees = True
    earlier = [{"said": "hi", "answer": "Hello."}]
    run = say(script, calls(("create_item", {"content": "milk"})), "Added: milk.", earlier=earlier)
    task = TASKS[0].model_copy(update={"id": "x"})
    assert "trees" not in run.to_json()
    upload_report(open_client(settings), [task], make_report("m", "e", 1, [run]))
    (root,) = collector.roots
    (turn,) = collector.children(root)
    nodes = ["load_context", "reason", "execute_tools", "reason", "reflect"]
    assert [child["name"] for child in collector.children(turn)] == nodes
    assert turn["inputs"]["messages"][-1]["content"] == "add milk"
    assert (root["start_time"], root["end_time"]) == (turn["start_time"], turn["end_time"])
    assert {each["trace_id"] for each in collector.runs.values()} == {root["id"]}
    assert {each["run_type"] for each in collector.runs.values()} == {"chain", "llm", "tool"}


def test_an_upload_that_fails_says_so() -> None:
    class Unreachable:
        def has_dataset(self, **_: Any) -> bool:
            raise LangSmithError("Connection refused")

    with pytest.raises(UserError, match="did not take the report: Connection refused"):
        upload_report(Unreachable(), TASKS[:1], make_report("m", "e", 1, [make_run(TASKS[0].id)]))


def test_an_upload_without_a_key_says_so(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGSMITH_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="LANGSMITH_API_KEY"):
        open_client(settings)
