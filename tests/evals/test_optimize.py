"""Examples are saved only if they help with tasks they were not made from, and are shown where they are near."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk

from ana.errors import ConfigError, UserError
from ana.files import write_whole
from ana.models import providers
from ana.models.base import StreamingModel, to_chunk
from ana.models.json_mode.adapter import JsonDecisions
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings, load_settings
from ana.workspace import open_workspace
from evals.cli import optimize as command
from evals.tasks.optimize import Score, make_score, optimize, save_demos
from evals.tasks.stage import open_stage
from evals.tasks.task import choose_tasks, load_tasks
from nodes.demos import MARK, NEAREST, Demo, choose_demos, demos_to_json, load_demos
from prompts import decision_prompt
from tests.conftest import EMBEDDER, folders
from tests.evals.test_stage import make_run
from tests.evals.weak_model import CALLS
from tests.sent import typed

TASKS = choose_tasks(load_tasks(), ["arithmetic"])
EXPRESSIONS = {task.question[0]: CALLS[task.id] for task in TASKS}


class Guesser(StreamingModel):
    """Calculates the first task; the others only after an example if it is curable, and guesses otherwise."""

    curable: bool
    needs: int = 1
    """How many examples cure it."""

    @property
    def _llm_type(self) -> str:
        return "guesser"

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=to_chunk(self._reply(messages)))

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        if isinstance(messages[-1], ToolMessage):
            return AIMessage(f"That is {json.loads(messages[-1].text.splitlines()[1])['result']}.")
        said = [typed(m.text) for m in messages if isinstance(m, HumanMessage)]
        asked = next(text for text in reversed(said) if text in EXPRESSIONS)
        has_example = sum(text.startswith(MARK) for text in said) >= self.needs
        if asked == TASKS[0].question[0] or (self.curable and has_example):
            return calls(("calculator", {"expression": EXPRESSIONS[asked]}))
        return AIMessage("I do not know.")


@pytest.fixture
def openai(tmp_path: Path) -> Settings:
    path = str(tmp_path / "opt" / "demos.json")
    return load_settings(folders(tmp_path, LLM_PROVIDER="openai", OPENAI_API_KEY="k", COMPILED_DEMOS_PATH=path))


def open_guesser(settings: Settings, *, curable: bool, needs: int = 1) -> Any:
    return open_stage(settings, Guesser(curable=curable, needs=needs), EMBEDDER)


def open_teacher() -> Any:
    return open_stage(load_settings({"LLM_PROVIDER": "offline"}), Guesser(curable=True, needs=0), EMBEDDER)


def test_examples_that_cure_mistakes_are_saved_and_shown(openai: Settings) -> None:
    with open_guesser(openai, curable=True) as stage:
        found = optimize(stage, TASKS, 8)
    assert (found.before, found.after) == (Score(0.0, 0.0), Score(1.0, 1.0))
    assert (len(found.demos), found.candidates, found.scored) == (1, 1, 5)
    assert save_demos(found, openai.compiled_demos_path, "guesser")
    with open_guesser(openai, curable=True) as stage:
        run = stage.play(TASKS[5])
    assert run.is_right, run
    assert load_demos(openai.compiled_demos_path)[0].calls[0][0] == "calculator"


def test_examples_that_cure_nothing_are_not_saved(openai: Settings) -> None:
    with open_guesser(openai, curable=False) as stage:
        found = optimize(stage, TASKS, 8)
    assert (found.before, found.after, found.demos, found.candidates) == (Score(0.0, 0.0), Score(0.0, 0.0), [], 1)
    assert not save_demos(found, openai.compiled_demos_path, "guesser")
    assert not openai.compiled_demos_path.exists()


def test_tasks_that_decide_are_played_as_often_as_told(openai: Settings) -> None:
    played: list[str] = []
    with open_guesser(openai, curable=True) as stage:
        found = optimize(stage, TASKS[:4], 8, 3, on_play=played.append)
    assert found.after == Score(1.0, 1.0)
    assert [played.count(task.id) for task in TASKS[:4]] == [1, 6, 1, 6]
    right, wrong = make_run("a", contains=True), make_run("a", contains=False)
    assert make_score([right, wrong, make_run("b", contains=True)]) == Score(0.6667, 0.5)


def test_a_model_of_which_no_turn_passes_learns_from_a_teacher(openai: Settings) -> None:
    with open_guesser(openai, curable=True) as stage, open_teacher() as teacher:
        alone = optimize(stage, TASKS[1:5], 8)
        taught = optimize(stage, TASKS[1:5], 8, teacher=teacher)
    assert (alone.candidates, alone.after, taught.after) == (0, Score(0.0, 0.0), Score(1.0, 1.0))
    assert taught.demos[0].answer.startswith("That is 43.2")


def test_examples_that_help_only_together_are_found(openai: Settings) -> None:
    with open_guesser(openai, curable=True, needs=2) as stage, open_teacher() as teacher:
        found = optimize(stage, TASKS[1:5], 8, teacher=teacher)
        one = optimize(stage, TASKS[1:5], 1, teacher=teacher)
    assert (found.after, len(found.demos)) == (Score(1.0, 1.0), 2)
    assert (one.after, one.demos) == (Score(0.0, 0.0), [])


def test_a_model_that_does_not_reply_is_no_model_that_no_example_helps(openai: Settings) -> None:
    with open_stage(openai, ScriptedModel(replies=[]), EMBEDDER) as stage, pytest.raises(UserError, match="in a row"):
        optimize(stage, TASKS, 8)


def write(settings: Settings, text: str) -> None:
    settings.compiled_demos_path.parent.mkdir(exist_ok=True)
    write_whole(settings.compiled_demos_path, text)


DEMOS = [Demo(f"how many {word} are there?", [], word) for word in ("cats", "boats", "taxes", "trees", "shoes")]


def test_the_nearest_are_shown_the_nearest_last(openai: Settings) -> None:
    write(openai, demos_to_json(DEMOS, {}))
    shown = choose_demos(open_workspace(openai), "how many boats do we have?")
    assert [message.type for message in shown] == ["human", "ai"] * NEAREST
    assert shown[-1].text == "boats"
    assert choose_demos(open_workspace(openai).change(llm_provider="offline"), "boats") == []


def test_a_model_in_json_mode_is_shown_decisions(openai: Settings) -> None:
    write(openai, demos_to_json([Demo("2 + 2?", [["calculator", {"expression": "2 + 2"}, {"result": 4}]], "4.")], {}))
    seen: list[str] = []

    class Listening(StreamingModel):
        @property
        def _llm_type(self) -> str:
            return "listening"

        def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
            seen.extend(message.text for message in messages)
            yield ChatGenerationChunk(message=to_chunk(AIMessage('{"final": {"answer": "Hello."}}')))

    with open_stage(openai, JsonDecisions(inner=Listening(), instruct=decision_prompt), EMBEDDER) as stage:
        stage.play(TASKS[0])
    assert seen[1:3] == [f"{MARK} 2 + 2?", '{"tool": {"name": "calculator", "args": {"expression": "2 + 2"}}}']


ODD = {"question": "x", "calls": [1], "answer": "y"}


@pytest.mark.parametrize("text", ["", "[]", '{"demos": [{"question": "x"}]}', json.dumps({"demos": [ODD]})])
def test_a_file_of_examples_that_cannot_be_read_is_named(openai: Settings, text: str) -> None:
    write(openai, text)
    with pytest.raises(ConfigError, match=r"demos\.json"):
        choose_demos(open_workspace(openai), "x")
    with open_guesser(openai, curable=False) as stage:
        assert "demos.json" in str(stage.play(TASKS[0]).error)


def test_a_file_that_changed_is_read_again(openai: Settings) -> None:
    for word in ("one", "two"):
        write(openai, demos_to_json([Demo(word, [], word)], {}))
        assert choose_demos(open_workspace(openai), "x")[-1].text == word


def test_ctrl_c_tells_what_was_found_by_then(
    openai: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(_: list[BaseMessage]) -> AIMessage:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "start", lambda: open_workspace(openai))
    for replies, said in ((["I do not know."], ""), (["I do not know."] * 2, "cut short: not every example was tried")):
        monkeypatch.setattr(providers, "build_model", lambda *_, s=replies: ScriptedModel(replies=[*s, stop]))
        with pytest.raises(KeyboardInterrupt):
            command.optimize(n=4, repeat=1, save=None, max_demos=2, tasks="arithmetic", model=None, teacher=None)
        assert capsys.readouterr().out.startswith(said and f"{said}\nbefore: 0.00 of 2 tasks")


@pytest.mark.parametrize(("curable", "said"), [(True, "Saved in"), (False, "No example helped")])
def test_the_command_tells_before_and_after(
    openai: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], curable: bool, said: str
) -> None:
    monkeypatch.setattr(command, "start", lambda: open_workspace(openai))
    monkeypatch.setattr(providers, "build_model", lambda *_: Guesser(curable=curable))
    command.optimize(n=4, repeat=1, save=None, max_demos=2, tasks="arithmetic", model=None, teacher=None)
    told = capsys.readouterr()
    assert told.out.startswith("before: 0.00 of 2 tasks that it did not learn from\n")
    assert said in told.err
    assert openai.compiled_demos_path.exists() == curable


def test_the_offline_reader_learns_from_no_example(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "start", lambda: open_workspace(settings))
    with pytest.raises(UserError, match="no examples"):
        command.optimize()
