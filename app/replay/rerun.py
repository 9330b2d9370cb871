"""A recorded turn run again: with its own decisions, or by another model or prompt."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from langchain_core.language_models import BaseChatModel

from ana.embedders import Embedder
from ana.embedders.base import Vectors
from ana.embedders.known import OnceEmbeddings
from ana.errors import CannotReplay, ConfigError
from ana.memory.backend import Backend
from ana.settings import Settings
from ana.spending.port import NoSpending
from ana.time.clock import Listener, find_zone, listener
from ana.tracing.schema import FOLLOWED, RUN_AGAIN, SHOWN, Inputs, Record, find_fault
from ana.workspace import open_workspace
from app.replay.history import make_question, own_steps, rebuild_history
from app.replay.model import RecordedModel
from app.replay.play import WAITS, Scene, make_handles, play
from app.replay.store import StoreCopy, copy_store
from graph.recording import digest_tools
from nodes.attachments import explain_left_out
from nodes.turns import DROPPED, NOT_ANSWERED, NOT_APPROVED
from tools.catalog import TOOLS

STARTS = ("load_context", "reason")
"""The nodes that a turn can begin at when it is run again."""

UNDECIDED = (NOT_APPROVED, NOT_ANSWERED, DROPPED)
"""How a turn ends that waited, and nobody decided."""


class Rerun:
    """Runs recorded turns again, each on a copy of a store that is thrown away.

    Args:
        settings: As they are now.
        backend: The store; it is only read.
        read_vectors: Returns the vectors that it has, by the text that was embedded.
    """

    def __init__(
        self, settings: Settings, backend: Backend, embedder: Embedder, read_vectors: Callable[[], Vectors] = dict
    ) -> None:
        self._settings = settings
        self._backend = backend
        self._embedder = embedder
        self._read_vectors = read_vectors

    def repeat(self, record: Record, thread: Sequence[Record]) -> Record:
        """Run a turn again with the decisions that were recorded, and return the new record.

        Raises:
            CannotReplay: Something that it relied on is gone or another.
        """
        inputs = self._require_inputs(record)
        scene = _set_scene(record, inputs, thread)
        store = self._copy(record, inputs)

        def meanwhile(part: int) -> None:
            store.catch_up(next((each["at"] for each in inputs["parts"][part:] if "at" in each), None))

        end = record["answer"].removesuffix(explain_left_out(scene.question))
        model = RecordedModel(record=record, end=end, before=lambda: meanwhile(_present_part() + 1))
        settings = self._settings.model_copy(update={"llm_provider": record["provider"]})
        handles = make_handles(settings, inputs, store.backend, model, NoSpending())
        again = play(replace(scene, meanwhile=meanwhile), handles, inputs["autonomy"], inputs["max_steps"])
        if again["error"] == WAITS and record["error"] in UNDECIDED:
            told = {name: record.get(name) for name in ("answer", "error", "receipt", "changes")}
            again = cast(Record, {**again, **told})
        return again

    def ask_other(self, record: Record, thread: Sequence[Record], model: BaseChatModel) -> Record:
        """Let another model, or one that is shown another prompt, answer a turn, and return the record of that.

        Raises:
            CannotReplay: Something that it relied on is gone or another.
        """
        inputs = self._require_inputs(record)
        store = self._copy(record, inputs)
        spending = open_workspace(self._settings).open_spending()
        handles = make_handles(self._settings, inputs, store.backend, model, spending)
        answered = play(_set_scene(record, inputs, thread), handles, inputs["autonomy"], inputs["max_steps"])
        spending.keep([answered])
        return answered

    def _copy(self, record: Record, inputs: Inputs) -> StoreCopy:
        if self._embedder.name != inputs["embedder"]:
            raise CannotReplay(
                f"This turn ran with the embedder {inputs['embedder']}; the store now has {self._embedder.name}."
            )
        embedder = OnceEmbeddings(self._embedder, dict(self._read_vectors()))
        return copy_store(self._backend, record, inputs, embedder)

    def _require_inputs(self, record: Record) -> Inputs:
        inputs = record.get("inputs")
        if inputs is None:
            raise CannotReplay(
                "The record lacks what a turn is run again from: an earlier version wrote it, or the turn never began."
            )
        if fault := find_fault(record, RUN_AGAIN, RUN_AGAIN | SHOWN | FOLLOWED | {"checks"}):
            raise CannotReplay(f"The record is not whole: {fault}.")
        if not inputs["parts"] or inputs["parts"][0]["node"] not in STARTS:
            raise CannotReplay("This turn began in the middle, from a state that somebody had edited.")
        if not any(part["clock"] for part in inputs["parts"]):
            raise CannotReplay("The record does not tell when the turn was.")
        if find_zone(inputs["zone"]) is None:
            raise CannotReplay(f"The time zone {inputs['zone']} of this turn is not known here.")
        self._check_tools(record, inputs)
        return inputs

    def _check_tools(self, record: Record, inputs: Inputs) -> None:
        try:
            now = digest_tools(self._settings.tools_modules)
        except ConfigError as exc:
            raise CannotReplay(exc.message, exc.hint) from exc
        for name in {step["tool"] for step in own_steps(record)}:
            version = "ana" if name in TOOLS else name
            if version in inputs["tools"] and inputs["tools"][version] != now.get(version):
                gone = "is not there any more" if version not in now else "takes other arguments by now"
                raise CannotReplay(f"The tool {name}, which this turn called, {gone}.")


def _set_scene(record: Record, inputs: Inputs, thread: Sequence[Record]) -> Scene:
    return Scene(
        id=record["id"],
        thread=record["thread_id"],
        question=make_question(record, inputs["left_out"]),
        history=rebuild_history(record, inputs, thread),
        summary=inputs["summary"],
        previous=record.get("previous"),
        start=inputs["parts"][0]["node"],
        waits=inputs["waits"],
        check="model" if record.get("checks") else "off",
        replies=inputs.get("given", []),
        answers=[step for step in own_steps(record) if step["tool"] not in TOOLS],
    )


def _present_part() -> int:
    return (listener.get() or Listener()).part
