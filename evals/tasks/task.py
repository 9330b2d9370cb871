"""Tasks as evals/tasks.yaml has them. A key that is not known is an error."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError, model_validator

from ana.errors import UserError
from ana.settings import Autonomy
from ana.time.clock import Clock
from evals.tasks.plain_yaml import check_yaml

FILE = Path(__file__).parent.parent / "tasks.yaml"

Words = Annotated[tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)]
"""Several texts; one may stand alone."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StoredItem(_Strict):
    """An item that is there before the task begins."""

    id: str = Field(pattern=r"^[a-z2-7]{8}$")
    content: str
    properties: dict[str, JsonValue] = {}


class Call(_Strict):
    """A tool call; as an expectation, its arguments are what a call must at least have."""

    tool: str
    args: dict[str, JsonValue] = {}


class EarlierTurn(_Strict):
    """A turn that came before: its calls are really made, its answer is given."""

    message: str = Field(alias="said")
    calls: tuple[Call, ...] = ()
    answer: str


KINDS = ("created", "restored", "changed", "deleted", "learned", "rewritten", "forgotten")


class ExpectedChange(_Strict):
    """A difference between the store before and after.

    created and learned name words of the new item or line, any of which it holds; restored, changed and deleted name
    an item, rewritten and forgotten a line, by its id or by its whole content before. `content` and `properties` are
    what it holds then: one of these words; for each property this value, one of these, or none (null).
    """

    created: Words | None = None
    restored: str | None = None
    changed: str | None = None
    deleted: str | None = None
    learned: Words | None = None
    rewritten: str | None = None
    forgotten: str | None = None
    content: Words = ()
    properties: dict[str, JsonValue] = {}
    optional: bool = False

    @model_validator(mode="after")
    def _name_one_kind(self) -> "ExpectedChange":
        if sum(getattr(self, kind) is not None for kind in KINDS) != 1:
            raise ValueError(f"a change is one of {', '.join(KINDS)}")
        return self

    @property
    def kind(self) -> str:
        return next(kind for kind in KINDS if getattr(self, kind) is not None)


class ExpectedItems(_Strict):
    """How many items hold a text and have properties afterwards."""

    content: str = ""
    properties: dict[str, JsonValue] = {}
    count: int = Field(1, ge=0)


class Task(_Strict):
    """A task.

    Before: `world` names items and lines, `items` and `lines` add to them, `earlier` are turns of the conversation.
    `question` is one message or several. Where the person is asked first, `decide` is the reply.
    Texts are compared whatever their case; a number is not found inside a longer one. `expect_contains` must all be in
    the last answer, of `expect_any` one, of `expect_lacks` none. `expect_key` is a key of an observation, or a tool.
    `expect_changes` are all differences that the messages may make: any other is a wrong write.
    """

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    group: str
    now: datetime
    zone: ZoneInfo
    question: Words = Field(min_length=1)
    world: str | None = None
    items: tuple[StoredItem, ...] = ()
    lines: tuple[str, ...] = ()
    earlier: tuple[EarlierTurn, ...] = ()
    autonomy: Autonomy = "confirm"
    decide: Literal["approve", "reject"] = "approve"
    expect_contains: Words = ()
    expect_any: Words = ()
    expect_lacks: Words = ()
    expect_key: str | None = None
    expect_calls: tuple[Call, ...] = ()
    order: Literal["any", "in_order", "exact"] = "any"
    forbid: tuple[str, ...] = ()
    expect_request: bool | None = Field(None, alias="expect_asked")
    expect_changes: tuple[ExpectedChange, ...] = ()
    expect_items: tuple[ExpectedItems, ...] = ()
    expect_count: int | None = Field(None, ge=0)
    expect_lines: tuple[str, ...] = ()
    expect_trash: tuple[str, ...] = ()

    @property
    def clock(self) -> Clock:
        """Return a clock that stands still at the task's moment."""
        moment = self.now.replace(tzinfo=self.zone)
        return Clock(self.zone, lambda: moment)


def load_tasks(file: Path = FILE) -> list[Task]:
    """Return the tasks of a file, in its order.

    Raises:
        UserError: The file cannot be read, or a task is not well-formed; names it.
    """
    try:
        text = file.read_text(encoding="utf-8")
        check_yaml(text)
        data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        tasks = [_read_task(data, group, raw) for group, every in data["groups"].items() for raw in every]
    except (OSError, ValueError, yaml.YAMLError, KeyError, AttributeError, TypeError) as exc:
        raise UserError(f"{file} cannot be read as tasks: {exc!r:.200}.", f"Write them as in {FILE}.") from exc
    if twice := {task.id for task in tasks if [other.id for other in tasks].count(task.id) > 1}:
        raise UserError(f"{file} has more than one task {', '.join(sorted(twice))}.", "Give each an id of its own.")
    return tasks


def _read_task(data: Mapping[str, Any], group: str, raw: Mapping[str, Any]) -> Task:
    world = data.get("worlds", {})[raw["world"]] if "world" in raw else {}
    both = {name: [*world.get(name, ()), *raw.get(name, ())] for name in ("items", "lines")}
    try:
        return Task(**{"group": group, "now": data["now"], "zone": data["zone"], **raw, **both})
    except ValidationError as exc:
        raise UserError(f"The task {raw.get('id')!r} is not well-formed: {exc}", f"Write it as in {FILE}.") from exc


def choose_tasks(tasks: Iterable[Task], groups: Iterable[str] = (), count: int | None = None) -> list[Task]:
    """Return some tasks.

    Args:
        tasks: All of them.
        groups: Only these groups; none means all.
        count: At most so many, spread evenly.
    """
    wanted = set(groups)
    chosen = [task for task in tasks if not wanted or task.group in wanted]
    if count is None or count >= len(chosen):
        return chosen
    return [chosen[n * len(chosen) // count] for n in range(count)]
