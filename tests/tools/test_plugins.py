"""Tools of the person's own: offered beside ours, run, and harmless when they fail."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ana.errors import ConfigError
from ana.models.scripted import calls
from app.turn import open_assistant
from nodes.autonomy.effects import find_effects_of
from tests.conftest import THREAD, MakeAssistant, script_of
from tests.opened import open_in
from tools.catalog import TOOLS, catalog, checker, schemas

GOOD = '''
from langchain_core.tools import tool

@tool
def dice(sides: int) -> str:
    """Throw a die."""
    if sides == 13:
        raise RuntimeError("unlucky")
    return f"a {sides}"

@tool(response_format="content_and_artifact")
def forger(text: str) -> tuple[str, dict]:
    """Pretend to have stored something."""
    return text, {"op": "create", "kind": "item", "id": "x", "before": None, "after": {"content": text}}
'''

OWN = '''
from functools import partial

def roll(sides: int, times: int = 1) -> str:
    """Throw a die."""
    return f"{times} x {sides}"

def look(**args) -> dict:
    return args

TAKES = {"type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"]}
'''
SHAPES = {
    "a function": ("[roll]", "Throw a die."),
    "a dict with a function alone": ('[{"function": roll}]', "Throw a die."),
    "a dict": ('[{"name": "roll", "description": "Dice.", "parameters": TAKES, "function": look}]', "Dice."),
    "a function by name": ('{"roll": roll}', "Throw a die."),
    "a dict by name": ('{"roll": {"description": "Dice.", "parameters": TAKES, "function": look}}', "Dice."),
    "a partial": (
        '[{"name": "roll", "description": "Dice.", "parameters": TAKES, "function": partial(roll, times=1)}]',
        "Dice.",
    ),
}


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Writes modules that can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    written: list[str] = []

    def write(name: str, text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        written.append(name)
        return name

    yield write
    for name in written:
        sys.modules.pop(name, None)
    for cached in (catalog, schemas, checker):
        cached.cache_clear()


def asked(tmp_path: Path, modules: str, *replies: Any) -> Any:
    with open_assistant(open_in(tmp_path, *replies, TOOLS_MODULES=modules, ANA_AUTONOMY="act")) as assistant:
        return assistant.ask("throw", THREAD), script_of(assistant)


def test_plugin_tools_are_offered_and_run(module: Any, tmp_path: Path) -> None:
    one = module("plugin_one", GOOD + "\nTOOLS = [dice]\n")
    two = module("plugin_two", GOOD + "\ndef get_tools():\n    return [forger]\n")
    answer, _ = asked(tmp_path, f"{one}, {two}", calls(("dice", {"sides": 6}), ("forger", {"text": "milk"})), "A 6.")
    assert [step["observation"] for step in answer.steps] == ["a 6", "milk"]
    assert answer.changes == [], "only our own tools give receipts"
    assert [schema["function"]["name"] for schema in schemas((one, two))] == [*TOOLS, "dice", "forger"]


def test_their_arguments_are_checked_and_their_errors_reported(module: Any, tmp_path: Path) -> None:
    one = module("plugin_one", GOOD + "\nTOOLS = [dice]\n")
    wrong = [calls(("dice", {"sides": "six"})), calls(("dice", {"sides": 13})), "That did not work."]
    answer, _ = asked(tmp_path, one, *wrong)
    first, second = answer.steps
    assert first["tool"] == "⛔️validation_error"
    assert "failed: “RuntimeError: unlucky”" in second["observation"]["error"]
    assert answer.answer == "That did not work."


FAILING = {
    "ends the program": ("raise SystemExit(3)", "failed: “SystemExit: 3”."),
    "has no words for its error": (
        "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()",
        "failed: “Odd”.",
    ),
    "returns a command": (
        "from langgraph.types import Command; return Command(update={'draft': 'Forged.'})",
        "it returned a Command, which is not a result”.",
    ),
}


@pytest.mark.parametrize("fault", FAILING)
def test_a_tool_that_fails_oddly_is_reported_and_harmless(module: Any, tmp_path: Path, fault: str) -> None:
    code, said = FAILING[fault]
    one = module("plugin_one", f"def go():\n    'Go.'\n    {code}\n\nTOOLS = [go]\n")
    answer, _ = asked(tmp_path, one, calls(("go", {})), "That did not work.")
    assert answer.steps[0]["observation"]["error"].endswith(said)
    assert answer.answer == "That did not work."


def test_a_huge_result_is_cut_in_the_middle(module: Any, tmp_path: Path) -> None:
    one = module("plugin_one", "def go():\n    'Go.'\n    return 'A' + 'b' * 2_000_000 + 'Z'\n\nTOOLS = [go]\n")
    _, model = asked(tmp_path, one, calls(("go", {})), "Long.")
    text = model.seen[-1][-1].text
    assert len(text) < 101_000
    assert "characters left out" in text
    assert "bZ" in text


@pytest.mark.parametrize("shape", SHAPES)
def test_functions_and_dicts_are_tools(module: Any, tmp_path: Path, shape: str) -> None:
    given, description = SHAPES[shape]
    one = module("plugin_one", f"{OWN}\nTOOLS = {given}")
    called = [calls(("roll", {"sides": "a"})), calls(("roll", {"sides": "6"})), "Thrown."]
    answer, _ = asked(tmp_path, one, *called)
    assert [step["tool"] for step in answer.steps] == ["⛔️validation_error", "roll"], "arguments are checked and read"
    assert answer.steps[1]["observation"] in ("1 x 6", {"sides": 6}), answer.steps[1]
    assert schemas((one,))[-1]["function"]["description"] == description


def test_a_dict_says_that_its_function_only_reads(module: Any) -> None:
    told = '{"function": roll, "metadata": {"readOnlyHint": True}}'
    one = module("plugin_one", f"{OWN}\nTOOLS = [{told}]")
    assert find_effects_of(catalog((one,))["roll"]) == set()


BAD = {
    "nothing": "",
    "no list": "TOOLS = 5",
    "no tool": "TOOLS = [5]",
    "untold arguments": "TOOLS = [print]",
    "a class": "TOOLS = [dict]",
    "async": "async def go():\n    'Go.'\nTOOLS = [go]",
    "no description": "TOOLS = [lambda: 5]",
    "a schema alone": "TOOLS = [{'type': 'function', 'function': {'name': 'go', 'parameters': {}}}]",
    "nothing that runs": "TOOLS = [{'name': 'go', 'function': {'name': 'go'}}]",
    "an unknown key": OWN + "\nTOOLS = [{'func': roll}]",
    "no schema": OWN + "\nTOOLS = [{'function': roll, 'parameters': {'type': 'objekt'}}]",
    "a schema of no object": OWN + "\nTOOLS = [{'function': roll, 'parameters': {'type': 'string'}}]",
    "another function's schema": OWN + "\nTOOLS = [{'function': lambda face: face, 'parameters': TAKES}]",
    "a reference to nothing": OWN + "\nTAKES['properties']['sides'] = {'$ref': '#/x'}\nTOOLS = [{'function': roll, "
    "'parameters': TAKES}]",
    "a schema that is not JSON": OWN + "\nTAKES['properties']['sides'] = {'default': object()}\nTOOLS = [{'function': "
    "roll, 'parameters': TAKES}]",
    "a clash by another spelling": GOOD + "\ndice.name = 'createItem'\nTOOLS = [dice]",
    "a clash": GOOD + "\ndice.name = 'create_item'\nTOOLS = [dice]",
    "twice": GOOD + "\nTOOLS = [dice, dice]",
    "no name": GOOD + "\ndice.name = 'my dice'\nTOOLS = [dice]",
    "an error": "1 / 0",
    "an import": "import no_such_module",
}


@pytest.mark.parametrize("name", BAD)
def test_a_module_that_cannot_be_used_stops_the_start(module: Any, tmp_path: Path, name: str) -> None:
    bad = module("plugin_bad", BAD[name])
    with pytest.raises(ConfigError, match="TOOLS_MODULES") as caught:
        asked(tmp_path, bad, "Never said.")
    assert "plugin_bad" in caught.value.message
    assert "TOOLS_MODULES" in caught.value.hint


def test_without_a_setting_there_are_only_our_tools(make_assistant: MakeAssistant) -> None:
    assert catalog() == TOOLS
    assert make_assistant("Hello.").ask("hello", THREAD).answer == "Hello."
