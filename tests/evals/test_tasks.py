"""The tasks are well-formed, and every kind of expectation notices what is wrong."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ana.errors import UserError
from ana.memory.changes import Cause, Change
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.tracing.schema import Step
from evals.tasks.changes import read_store
from evals.tasks.judge import Result, Verdict, contains, judge
from evals.tasks.task import FILE, Task, choose_tasks, load_tasks
from tools.catalog import TOOLS

GROUPS = ["arithmetic", "time", "capture", "find", "change", "dates", "global_context", "multi_turn", "refusal"]
GROUPS += ["injection", "approval", "undo", "understanding", "over_time"]
TASKS = load_tasks()


def test_the_tasks_are_read_without_libyaml_too() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert yaml.load(text, Loader=yaml.SafeLoader) == yaml.load(text, Loader=yaml.CSafeLoader)


def test_the_tasks_are_whole() -> None:
    count = Counter(task.group for task in TASKS)
    assert list(count) == GROUPS
    assert len(TASKS) >= 120
    assert count["arithmetic"] + count["time"] == 18
    texts = Counter((*task.question, task.world, task.decide, task.autonomy) for task in TASKS if not task.earlier)
    assert [text for text, times in texts.items() if times > 1] == []


def test_what_the_tasks_name_exists() -> None:
    for task in TASKS:
        check_names(task)


def check_names(task: Task) -> None:
    calls = [*task.expect_calls, *(call for turn in task.earlier for call in turn.calls)]
    assert {call.tool for call in calls} | set(task.forbid) <= TOOLS.keys()
    known = {*(item.id for item in task.items), *map(str, range(len(task.lines)))}
    known |= {str(call.args.get("content")) for call in calls}
    for change in task.expect_changes:
        named = getattr(change, change.kind)
        assert isinstance(named, tuple) or named in known, change
    assert set(task.expect_trash) <= known
    assert len({item.id for item in task.items}) == len(task.items)


def write(path: Path, **more: Any) -> Path:
    task = {"id": "one", "question": "hello", **more}
    path.write_text(yaml.safe_dump({"now": "2026-05-13T09:20", "zone": "UTC", "groups": {"talk": [task]}}))
    return path


@pytest.mark.parametrize(
    "more",
    [
        {"expect_contain": "x"},
        {"expect_changes": [{"created": "x", "deleted": "y"}]},
        {"expect_changes": [{"content": "x"}]},
        {"expect_items": [{"text": "x"}]},
        {"items": [{"id": "UPPER", "content": "x"}]},
        {"zone": "Mars/Base"},
        {"question": []},
        {"world": "nowhere"},
    ],
)
def test_what_is_not_a_task_is_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    assert load_tasks(write(tmp_path / "tasks.yaml"))[0].group == "talk"
    with pytest.raises(UserError):
        load_tasks(write(tmp_path / "tasks.yaml", **more))


def test_a_task_file_that_is_none_is_named(tmp_path: Path) -> None:
    for text in ("{", "[1]", "groups: 3", "groups: {a: [{id: x}]}"):
        (tmp_path / "odd.yaml").write_text(text)
        with pytest.raises(UserError, match="odd"):
            load_tasks(tmp_path / "odd.yaml")


def test_some_tasks_are_spread_evenly() -> None:
    assert len({task.group for task in choose_tasks(TASKS, count=24)}) == len(GROUPS)
    assert {task.group for task in choose_tasks(TASKS, ["time", "undo"])} == {"time", "undo"}
    assert choose_tasks(TASKS, count=10_000) == TASKS
    assert FILE.exists()


@pytest.mark.parametrize(
    ("answer", "text", "held"),
    [
        ("That is 112.50.", "112.5", True),
        ("That is 1112.5.", "112.5", False),
        ("That is 112.53.", "112.5", False),
        ("It is 450.", "45", False),
        ("It is 45.00 euros", "45", True),
        ("It is 45.5", "45", False),
        ("It is 3.45", "45", False),
        ("It is 45.", "45", True),
        ("Call MIMI", "Mimi", True),
        ("", "Mimi", False),
    ],
)
def test_words_and_numbers_are_found(answer: str, text: str, held: bool) -> None:
    assert contains(answer, text) is held


def step(tool: str, observation: Any = None, **args: Any) -> Step:
    return {"tool": tool, "args": args, "observation": observation or {"ok": True}}


def make_task(**expected: Any) -> Task:
    return Task(id="x", group="g", now="2026-05-13T09:20", zone="UTC", question="q", **expected)  # type: ignore[arg-type]  # read as YAML's text is


Act = Callable[[Memory], Any]


def put(memory: Memory, id: str, content: str, **properties: Any) -> None:
    stamp = memory.stamp()
    memory.put_back([Change("item", id, None, Item(id, content, properties, stamp, stamp))], Cause("", "", "before"))


def judged(
    memory: Memory, expected: dict[str, Any], act: Act, answer: str, *steps: Step, asked: bool = False
) -> Verdict:
    put(memory, "milkaaaa", "Buy milk", type="task", status="active")
    memory.append_line("Likes tea")
    before = read_store(memory)
    act(memory)
    return judge(make_task(**expected), Result(answer, steps, False, before, memory))


def nothing(_: Memory) -> None:
    pass


def rewrite(line: str) -> Act:
    return lambda memory: memory.replace_line(0, line)


def create(content: str, **properties: Any) -> Act:
    return lambda memory: memory.create(content, properties)


def update(**properties: Any) -> Act:
    return lambda memory: memory.update("milkaaaa", None, properties)


def delete(memory: Memory) -> None:
    memory.delete("milkaaaa")


def forget(memory: Memory) -> None:
    memory.delete_line(0)


def bring_back(memory: Memory) -> None:
    put(memory, "breadaaa", "Buy bread")


SUM = step("calculator", {"result": 4}, expression="2 + 2")
LOOK = step("query_items", {"items": []}, text="the milk")
FAILED = step("calculator", {"error": "no", "result": 4})
EXPECTED: dict[str, tuple[dict[str, Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "words": ({"expect_contains": "tea"}, (nothing, "Tea."), (nothing, "Milk.")),
    "one of several words": ({"expect_any": ["tea", "milk"]}, (nothing, "Milk."), (nothing, "Bread.")),
    "words that must not be there": ({"expect_lacks": "tea"}, (nothing, "Milk."), (nothing, "Tea.")),
    "a key": ({"expect_key": "result"}, (nothing, "4", SUM), (nothing, "4", FAILED)),
    "a tool as the key": ({"expect_key": "calculator"}, (nothing, "4", SUM), (nothing, "4", LOOK)),
    "a call": (
        {"expect_calls": [{"tool": "query_items", "args": {"text": "milk"}}]},
        (nothing, "", SUM, LOOK),
        (nothing, "", step("query_items", text="bread")),
    ),
    "calls in any order": (
        {"expect_calls": [{"tool": "calculator"}, {"tool": "query_items"}]},
        (nothing, "", LOOK, SUM),
        (nothing, "", LOOK, LOOK),
    ),
    "calls in order": (
        {"expect_calls": [{"tool": "calculator"}, {"tool": "query_items"}], "order": "in_order"},
        (nothing, "", SUM, SUM, LOOK),
        (nothing, "", LOOK, SUM),
    ),
    "exactly these calls": (
        {"expect_calls": [{"tool": "calculator"}], "order": "exact"},
        (nothing, "", SUM),
        (nothing, "", SUM, LOOK),
    ),
    "a forbidden tool": ({"forbid": ["calculator"]}, (nothing, "", LOOK), (nothing, "", SUM)),
    "no write": ({}, (nothing, ""), (create("Buy bread"), "")),
    "no learned line": ({}, (nothing, ""), (lambda memory: memory.append_line("Likes milk"), "")),
    "a new item": ({"expect_changes": [{"created": "bread"}]}, (create("Buy bread"), ""), (nothing, "")),
    "its words": ({"expect_changes": [{"created": "bread"}]}, (create("Buy BREAD"), ""), (create("Buy rice"), "")),
    "its properties": (
        {"expect_changes": [{"created": "bread", "properties": {"due_date": "2026-05-14T08:00"}}]},
        (create("Buy bread", due_date="2026-05-14T08:00:00"), ""),
        (create("Buy bread", due_date="2026-05-14"), ""),
    ),
    "a property that must not be there": (
        {"expect_changes": [{"created": "bread", "properties": {"due_date": None}}]},
        (create("Buy bread"), ""),
        (create("Buy bread", due_date="2026-05-14"), ""),
    ),
    "no second new item": (
        {"expect_changes": [{"created": "bread"}]},
        (create("Buy bread"), ""),
        (lambda memory: (create("Buy bread")(memory), create("Get bread")(memory)), ""),
    ),
    "a changed item": (
        {"expect_changes": [{"changed": "milkaaaa", "properties": {"status": ["done", "closed"]}}]},
        (update(status="done"), ""),
        (update(status="later"), ""),
    ),
    "a deleted item, by its words": ({"expect_changes": [{"deleted": "Buy milk"}]}, (delete, ""), (nothing, "")),
    "a restored item": (
        {"expect_changes": [{"restored": "breadaaa"}]},
        (bring_back, ""),
        (create("Buy bread"), ""),
    ),
    "a rewritten line": (
        {"expect_changes": [{"rewritten": "0", "content": "coffee"}]},
        (rewrite("Likes coffee"), ""),
        (rewrite("Likes cocoa"), ""),
    ),
    "a forgotten line": ({"expect_changes": [{"forgotten": "0"}]}, (forget, ""), (nothing, "")),
    "how many items": ({"expect_count": 1}, (nothing, ""), (delete, "")),
    "how many such items": (
        {
            "expect_items": [{"content": "MILK", "properties": {"status": ["active", "done"]}}],
            "expect_changes": [{"changed": "milkaaaa", "optional": True}],
        },
        (update(status="done"), ""),
        (update(status="later"), ""),
    ),
    "a line": (
        {"expect_lines": ["tea"], "expect_changes": [{"rewritten": "0", "optional": True}]},
        (rewrite("Likes green tea"), ""),
        (rewrite("Likes coffee"), ""),
    ),
    "the trash": (
        {"expect_trash": ["milkaaaa"], "expect_changes": [{"deleted": "milkaaaa", "optional": True}]},
        (delete, ""),
        (nothing, ""),
    ),
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_each_kind_of_expectation_can_hold(memory: Memory, kind: str) -> None:
    expected, right, _ = EXPECTED[kind]
    verdict = judged(memory, expected, *right)
    assert (verdict.faults and verdict.is_right, verdict.wrong_writes) == (True, [])


@pytest.mark.parametrize("kind", EXPECTED)
def test_each_kind_of_expectation_notices_what_is_wrong(memory: Memory, kind: str) -> None:
    expected, _, wrong = EXPECTED[kind]
    assert not judged(memory, expected, *wrong).is_right


def test_who_was_asked_is_noticed(memory: Memory) -> None:
    assert judge(make_task(expect_asked=True), Result("", [], True, read_store(memory), memory)).is_right
    assert not judge(make_task(expect_asked=True), Result("", [], False, read_store(memory), memory)).is_right


@pytest.mark.parametrize("act", [nothing, create("Buy bread")])
def test_an_optional_change_may_be_missing_and_is_no_wrong_write(memory: Memory, act: Act) -> None:
    assert judged(memory, {"expect_changes": [{"created": "bread", "optional": True}]}, act, "").is_right


def test_a_wrong_write_is_counted_once_and_told(memory: Memory) -> None:
    verdict = judged(memory, {"expect_changes": [{"created": "bread"}]}, delete, "")
    assert len(verdict.wrong_writes) == 1
    assert "Buy milk" in verdict.wrong_writes[0]
    assert verdict.faults.keys() == {"store"}
