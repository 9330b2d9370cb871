"""A report as a dataset and an experiment in LangSmith."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

from ana.errors import ConfigError, UserError
from ana.logs import choose_secrets, list_secrets
from ana.settings import Settings, read_environment
from ana.tracing.langsmith import KEYS, make_client
from evals.tasks.scores import Report, load_weights, score_run
from evals.tasks.stage import Run
from evals.tasks.task import Task

if TYPE_CHECKING:
    from langchain_core.tracers import Run as TracedRun
    from langsmith import RunTree


def open_client(settings: Settings) -> Any:
    """Return a client for what is uploaded on purpose, whether runs are traced or not.

    Args:
        settings: For the secrets that must not be sent.

    Raises:
        ConfigError: There is no key.
    """
    environment = read_environment()
    keys = [environment[name] for name in KEYS if environment.get(name)]
    if not keys:
        raise ConfigError("LANGSMITH_API_KEY is not set.", "Set it in .env.")
    # given, because with tracing off the key of .env does not get into this process's environment
    url = environment.get("LANGSMITH_ENDPOINT")
    return make_client((*list_secrets(settings), *choose_secrets(keys)), api_key=keys[0], api_url=url)


def upload_report(client: Any, tasks: Sequence[Task], report: Report) -> tuple[str, str]:
    """Upload tasks as a dataset, unless it is there, and their runs as an experiment on it; return the names of both.

    Args:
        client: A client of LangSmith; it is flushed at the end.
        tasks: The tasks that were played.
        report: What came of them.

    Raises:
        UserError: LangSmith could not be reached, or refused it.
    """
    from langsmith.utils import LangSmithError

    try:
        return _upload(client, tasks, report)
    except LangSmithError as exc:
        raise UserError(f"LangSmith did not take the report: {exc!s:.200}", "Check its key and endpoint.") from exc


def _upload(client: Any, tasks: Sequence[Task], report: Report) -> tuple[str, str]:
    texts = [task.model_dump_json(exclude_defaults=True) for task in tasks]
    dataset = f"ana tasks {hashlib.sha256(''.join(texts).encode()).hexdigest()[:8]}"
    examples = {task.id: uuid5(NAMESPACE_URL, f"{dataset}/{task.id}") for task in tasks}
    if client.has_dataset(dataset_name=dataset):
        id = client.read_dataset(dataset_name=dataset).id
    else:
        id = client.create_dataset(dataset, description="What a capable assistant should do.").id
        client.create_examples(dataset_id=id, examples=[_make_example(task, examples[task.id]) for task in tasks])
    name = f"{report.model} {datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
    figures = {"model": report.model, "embedder": report.embedder, **report.groups["all"]}
    project = client.create_project(name, reference_dataset_id=str(id), metadata=figures)
    weights = load_weights()
    for run in report.runs:
        _upload_run(client, run, project, examples[run.task], score_run(run, weights))
    client.flush()
    return dataset, name


def _make_example(task: Task, id: UUID) -> dict[str, Any]:
    expected = {k: v for k, v in task.model_dump(mode="json", exclude_defaults=True).items() if k.startswith("expect_")}
    return {
        "id": id,
        "inputs": {"question": " / ".join(task.question), "task": task.id},
        "reference_outputs": expected,
        "metadata": {"group": task.group},
        "split": task.group,
    }


def _upload_run(client: Any, run: Run, project: Any, example: UUID, score: float) -> None:
    from langsmith.run_trees import RunTree

    begun = run.trees[0].start_time if run.trees else datetime.now(UTC)
    root = RunTree(
        name=run.task,
        inputs={"question": run.question},
        outputs={"answer": run.answer, "trajectory": run.trajectory},
        error=run.error,
        start_time=begun,
        end_time=run.trees[-1].end_time if run.trees else begun + timedelta(seconds=run.seconds),
        reference_example_id=example,
        project_name=project.name,
        extra={"metadata": {"group": run.group, "repeat": run.repeat, "cost_usd": run.cost_usd}},
        ls_client=client,
    )
    for tree in run.trees:
        _add_tree(root, tree)
    root.post(exclude_child_runs=False)
    figures = {"success": run.is_right, "score": score, "wrong_writes": len(run.wrong_writes)}
    figures |= {key: value for key, value in (("contains", run.contains), ("key", run.key)) if value is not None}
    why = "; ".join(fault for faults in run.faults.values() for fault in faults)
    for key, value in figures.items():
        client.create_feedback(root.id, key, score=value, trace_id=root.id, session_id=project.id, comment=why or None)


def _add_tree(above: "RunTree", tree: "TracedRun") -> None:
    """Add a run and all below it, under ids of their own: where turns are traced, they have been sent under theirs."""
    run = above.create_child(
        tree.name,
        tree.run_type,  # type: ignore[arg-type]
        inputs=tree.inputs,
        outputs=tree.outputs,
        error=tree.error,
        start_time=tree.start_time,
        end_time=tree.end_time,
        tags=tree.tags,
        extra=tree.extra,
    )
    for child in tree.child_runs:
        _add_tree(run, child)
