"""The context of a run: everything that is fixed while it lasts."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, get_type_hints

from langchain_core.messages import ToolCall, ToolMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime
from pydantic import Field, TypeAdapter, ValidationError

from ana.errors import UserError
from ana.handles import Handles, get_default_handles
from ana.keys import OWNER
from ana.settings import Autonomy, Checking
from ana.time.clock import find_zone
from ana.tracing.port import NO_THREAD
from ana.translation import Language
from ana.workspace import check_model
from prompts import decision_prompt

MOST_STEPS = 100
SAVER = "__pregel_checkpointer"
"""Where langgraph keeps a run's saver; a run whose thread ends with it has none."""

THREAD_FIELDS = ("name", "first_question", "last_activity")
"""What the metadata of the server's row of a thread tell of it; the server hands them on to the thread's runs."""


@dataclass(frozen=True)
class Context:
    """Options of a run; Studio shows these fields as a form, and an assistant keeps them as its configuration."""

    model: Annotated[
        str | None,
        Field(
            max_length=200,
            description="Another model of the provider you have set up, by its name there. Empty: the one in .env.",
        ),
    ] = None
    temperature: Annotated[
        float | None,
        Field(
            ge=0,
            le=2,
            description="How much chance there is in the answers, 0 to 2: at 0 the model says what is likeliest, "
            "higher is more varied and less reliable. Empty: TEMPERATURE in .env.",
        ),
    ] = None
    max_steps: Annotated[
        int | None,
        Field(
            ge=1,
            le=MOST_STEPS,
            description="How often the model may be called for one message, 1 to 100; each look-up and each change "
            "takes a call, and so does the answer. Empty: ANA_MAX_STEPS in .env.",
        ),
    ] = None
    autonomy: Annotated[
        Autonomy | None,
        Field(
            description="What asks you first. advise: every change. confirm: much at once, acts outside, and what a "
            "text of others in view may have suggested. act: only the last. Empty: ANA_AUTONOMY in .env."
        ),
    ] = None
    check: Annotated[
        Checking | None,
        Field(
            description="model: before an answer goes out, one more call asks a model what in it is untrue, and an "
            "untrue one is corrected once. off: no such call. Empty: ANA_CHECK in .env."
        ),
    ] = None
    timezone: Annotated[
        str | None,
        Field(
            max_length=64,
            description="Where the person is: an IANA zone such as Asia/Tokyo. It stays until another is named. Empty: "
            "where they were last, or ANA_TIMEZONE in .env.",
        ),
    ] = None
    language: Annotated[
        Language | None,
        Field(
            description="The language of receipts, of what asks and of other words of the program: en, de, es, fr. The "
            "model answers in the person's. Empty: ANA_LANGUAGE in .env."
        ),
    ] = None
    stream_drafts: Annotated[
        bool,
        Field(
            description="Show an answer while it is written. It is checked when it is complete, and one that says "
            "something untrue disappears again. Off: only checked answers are shown."
        ),
    ] = True

    def __post_init__(self) -> None:
        for name, (reader, description) in _read_fields().items():
            value = getattr(self, name)
            try:
                reader.validate_python(value, strict=True)
            except ValidationError as exc:
                raise UserError(f"{name} is {value!r:.50}.", description) from exc
        if self.timezone and not find_zone(self.timezone):
            raise UserError(f"timezone is {self.timezone!r:.50}.", "Give an IANA zone such as Europe/Berlin.")

    def model_options(self) -> dict[str, Any]:
        """Return the options of a model call, besides messages and tools; the handles' model is not changed.

        Raises:
            UserError: Another model is wanted, but the provider has only one, or the person may not choose it.
        """
        name = (self.model or "").strip()
        if name and self.handles.workspace.person != OWNER:
            check_model(self.handles.settings, name)
        if name and self.handles.settings.provider == "offline":
            raise UserError(f"The offline reader has no model {name!r}.", "Leave it empty, or `ana setup` adds one.")
        chosen = {"model": name or None, "temperature": self.temperature}
        return {option: value for option, value in chosen.items() if value is not None}

    @property
    def dial(self) -> Autonomy:
        """The dial: how much the run does without asking."""
        return self.autonomy or self.handles.settings.ana_autonomy

    @property
    def spoken(self) -> Language:
        """The language of the run's texts for people."""
        return self.language or self.handles.settings.language

    def name_turn(self, id: str) -> str:
        """Return the id of a turn that begins; a turn that is run again keeps the one it had."""
        return id

    @property
    def template(self) -> str | None:
        """The system prompt with its slots, if it is not the one in prompts/."""
        return None

    @property
    def is_repeated(self) -> bool:
        """Whether a turn is run again with its recorded results, so that calls are not weighed by the store."""
        return False

    def answer(self, call: ToolCall) -> ToolMessage | None:
        """Return the recorded answer of a call that must not run again; None lets it run.

        Raises:
            ToolError: The call must not run, and there is no recorded answer.
        """
        return None

    @property
    def handles(self) -> Handles:
        """The handles of this process; a door with handles of its own passes a LocalContext."""
        return get_default_handles(decision_prompt)


@dataclass(frozen=True)
class LocalContext(Context):
    """A context with its own handles and a listener for events.

    Args:
        on_event: Called with every event, in the thread that runs the node. Listening to the custom stream instead
            would make langgraph move nodes to worker threads, and Ctrl-C could no longer stop a model call.
    """

    opened: Handles | None = None
    on_event: Callable[[dict[str, Any]], None] = lambda _: None

    @property
    def handles(self) -> Handles:
        return self.opened or get_default_handles(decision_prompt)


@cache
def _read_fields() -> dict[str, tuple[TypeAdapter[Any], str]]:
    """Return, by name of the option, its check and its description: both are written only in the annotations."""
    types = get_type_hints(Context, include_extras=True)
    options = {field.name: types[field.name] for field in fields(Context)}
    return {name: (TypeAdapter(kind), kind.__metadata__[0].description) for name, kind in options.items()}


def context_of(runtime: Runtime[Context]) -> Context:
    """Return the run's context; a run started without one gets the defaults."""
    return runtime.context or Context()


def thread_of(runtime: Runtime[Context]) -> str:
    """Return the id of the run's thread; `none` for a run without one."""
    info = runtime.execution_info
    return (info.thread_id if info else None) or NO_THREAD


def run_of(runtime: Runtime[Context]) -> str | None:
    """Return the id of the server's run; None at a door that runs the graph itself."""
    info = runtime.execution_info
    return info.run_id if info else None


def can_wait() -> bool:
    """Whether the run can wait for a person. A call through /mcp cannot, because its thread ends with the run."""
    return bool(get_config()["configurable"].get(SAVER))


def emit(runtime: Runtime[Context], event: dict[str, Any]) -> None:
    """Send every listener one event.

    Args:
        event: A piece of a draft, {"draft": text, "id": id of its message}; the withdrawal of all pieces of a draft,
            {"erase": id}; or a call that has run, {"tool": name, "args": ..., "ok": bool, "id": id of the call}.
    """
    runtime.stream_writer(event)
    if isinstance(runtime.context, LocalContext):
        runtime.context.on_event(event)


def withdraw(runtime: Runtime[Context], id: str) -> None:
    """Tell every listener to drop a draft that they may have seen in part."""
    if context_of(runtime).stream_drafts:
        emit(runtime, {"erase": id})
