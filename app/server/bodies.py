"""The bodies of requests to the LangGraph API, with the fields that are used here; others are ignored."""

import re
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError
from starlette.requests import Request

from ana.errors import UserError
from ana.runs.port import Strategy
from ana.threads.ids import canonical_id
from app.server.shapes import ASSISTANT, GRAPH
from app.server.work import Mode

MOST_ROWS = 1000
"""The most rows of a list in one answer."""

EXTRACTED = ("values", "metadata", "config", "interrupts")
"""The fields of a thread out of which a search takes single values."""

THREAD_FIELDS = {*EXTRACTED, "thread_id", "created_at", "updated_at", "state_updated_at", "status", "error"}

Body = TypeVar("Body", bound=BaseModel)


def _read_id(value: Any) -> Any:
    id = canonical_id(value) if isinstance(value, str) else None
    if value is not None and id is None:
        raise ValueError("it is not a UUID")
    return id


def _read_modes(value: Any) -> Any:
    return [value] if isinstance(value, str) else value or ["values"]


def _check_extract(paths: dict[str, str]) -> dict[str, str]:
    for alias, path in paths.items():
        if not re.fullmatch(r"[a-zA-Z_]\w*", alias, re.ASCII) or alias in THREAD_FIELDS:
            raise ValueError(f"{alias!r:.60} cannot be the name of what is extracted")
        if re.split(r"[.\[]", path)[0] not in EXTRACTED:
            raise ValueError(f"{path!r:.60} does not begin with one of {', '.join(EXTRACTED)}")
    return paths


Id = Annotated[str, BeforeValidator(_read_id)]
Json = dict[str, Any]
Nodes = list[str] | Literal["*"] | None


class AssistantSearch(BaseModel):
    """POST /assistants/search and /assistants/count."""

    graph_id: str | None = None
    metadata: Json = Field(default_factory=dict)
    offset: int = 0


class NewThread(BaseModel):
    """POST /threads."""

    thread_id: Id | None = None
    metadata: Json | None = None
    if_exists: Literal["raise", "do_nothing"] | None = "raise"
    supersteps: None = None


class ThreadPatch(BaseModel):
    """PATCH /threads/{id}."""

    metadata: Json | None = None


class ThreadSearch(BaseModel):
    """POST /threads/search and /threads/count."""

    ids: list[Id] | None = None
    metadata: Json | None = None
    values: Json | None = None
    status: Literal["idle", "busy", "interrupted", "error"] | None = None
    limit: int = Field(10, ge=1, le=MOST_ROWS)
    offset: int = Field(0, ge=0)
    sort_by: Literal["thread_id", "status", "created_at", "updated_at", "state_updated_at"] | None = None
    sort_order: Literal["asc", "desc"] | None = None
    select: list[str] | None = None
    extract: Annotated[dict[str, str], AfterValidator(_check_extract), Field(max_length=10)] | None = None


class Edit(BaseModel):
    """POST /threads/{id}/state."""

    values: Any = None
    as_node: str | None = None
    checkpoint: Json | None = None
    checkpoint_id: str | None = None


class At(BaseModel):
    """POST /threads/{id}/state/checkpoint."""

    checkpoint: Json


class HistorySearch(BaseModel):
    """POST /threads/{id}/history."""

    limit: int = Field(1, ge=1, le=MOST_ROWS)
    before: Any = None
    metadata: Json | None = None
    checkpoint: Json | None = None


class NewRun(BaseModel):
    """POST /threads/{id}/runs, /runs, and both with /wait and /stream."""

    assistant_id: str
    inputs: Any = Field(None, alias="input")
    command: Json | None = None
    config: Json | None = None
    context: Json | None = None
    metadata: Json | None = None
    stream_mode: Annotated[list[Mode], BeforeValidator(_read_modes)] = Field(["values"], validate_default=True)
    multitask_strategy: Strategy | Literal["rollback"] | None = "enqueue"
    checkpoint: Json | None = None
    checkpoint_id: str | None = None
    interrupt_before: Nodes = None
    interrupt_after: Nodes = None
    durability: Literal["sync", "async", "exit"] | None = None
    if_not_exists: Literal["create", "reject"] | None = "reject"
    on_disconnect: Literal["cancel", "continue"] | None = "continue"
    on_completion: Literal["delete", "keep"] | None = "delete"
    webhook: Any = None
    after_seconds: float | None = Field(None, ge=0, le=86_400)


def read_body(request: Request, kind: type[Body]) -> Body:
    """Return the body of a request. Raises UserError if it cannot be read: the first fault, with its place."""
    try:
        return kind.model_validate(getattr(request.state, "json", {}))
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise UserError(f"{where}: {first['msg'].removeprefix('Value error, ')}.") from exc


def check_assistant(id: str) -> None:
    """Raise UserError if this is not the only assistant."""
    if id not in (GRAPH, ASSISTANT):
        raise UserError(f"There is no assistant {id!r:.80}.", f"Use {GRAPH!r}.")
