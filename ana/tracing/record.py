"""A turn's record, put together from the thread's state."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage

from ana.models.prices import cost
from ana.models.providers import model_name
from ana.settings import Settings
from ana.tracing.lines import FORMAT
from ana.tracing.schema import CHECK, CHECKED, INVALID, Change, Record, Step
from ana.values import read_plain_json

INTERRUPTED = {"error": "interrupted", "hint": ""}
"""The observation of a call that a turn ended in: whether it ran is not known."""


def list_steps(messages: Sequence[AnyMessage], turn: Mapping[str, Any]) -> list[Step]:
    """Return the steps of a turn, in order: every call with its observation, every draft that was sent back.

    A correction is a draft sent back, with the id of the message it came after. A check by a model either led to a
    correction, or belongs to the final draft, and then is a step.
    """
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    corrections: list[Mapping[str, Any]] = turn["corrections"]
    steps: list[Step] = []
    for message in messages:
        if isinstance(message, AIMessage):
            steps += [_call_step(c, answers.get(str(c["id"]))) for c in message.tool_calls]
            broken = message.invalid_tool_calls
            steps += [_make_step(INVALID, {"raw": c["args"]}, answers.get(str(c["id"]))) for c in broken]
        for c in (c for c in corrections if c["after"] == message.id):
            arguments = {"policy": c["policy"], "draft": c["draft"]}
            steps.append(Step(tool=c["tool"], args=arguments, observation=c["reason"]))
    for check in turn.get("checks", [])[sum(c["policy"] == CHECK for c in corrections) :]:
        observation = {"error": check["error"], "hint": ""} if check["error"] else {"untrue": check["untrue"]}
        steps.append(Step(tool=CHECKED, args={}, observation=observation))
    return steps


def add_up(turn: Mapping[str, Any], model: str, settings: Settings) -> tuple[Any, float | None]:
    """Return the tokens of a turn and their cost; tokens of a check are priced by the model that checked."""
    usage, usd = dict(turn["usage"]), cost(turn["usage"], model, settings)
    for check in turn.get("checks", ()):
        more, its = check["usage"], cost(check["usage"], check["model"], settings)
        usage = {name: usage.get(name, 0) + more.get(name, 0) for name in usage | more}
        usage["estimated"] = bool(usage["estimated"])
        usd = None if usd is None or its is None else round(usd + its, 6)
    return usage, usd


def build_record(
    turn: Mapping[str, Any],
    messages: Sequence[AnyMessage],
    thread_id: str,
    settings: Settings,
    model: str | None = None,
    changes: Sequence[Mapping[str, Any]] = (),
) -> Record:
    """Build the record of a turn that has ended, from its messages, beginning with the user's, and the receipts of its
    writes.

    `model` is another model's name, if the run chose one.
    """
    model = model or model_name(settings)
    usage, usd = add_up(turn, model, settings)
    record = Record(
        id=turn["id"],
        ts=turn["ts"],
        question=turn["question"],
        message=turn.get("message", ""),
        steps=list_steps(messages, turn),
        answer=turn["answer"] or "",
        receipt=turn.get("receipt", ""),
        changes=[cast(Change, dict(change)) for change in changes],
        usage=usage,
        cost_usd=usd,
        thread_id=thread_id,
        model=model,
        provider=settings.provider,
        durations=turn["durations"],
        decisions=turn["decisions"],
        format=FORMAT,
        error=turn["error"],
    )
    if "previous" in turn:
        record["previous"] = turn["previous"]
    if checks := turn.get("checks"):
        record["checks"] = checks
    if inputs := turn.get("replay"):
        more = {"lines": turn["shown"], "given": turn.get("given"), "artifacts": dict(_list_artifacts(messages))}
        record["replay"] = inputs | {name: value for name, value in more.items() if value}
    return record


def _list_artifacts(messages: Sequence[AnyMessage]) -> Iterator[tuple[str, int | dict[str, Any]]]:
    """Yield the number of each call with an artifact, and the artifact, or how many changes it holds. What a query's
    holds is in its step.
    """
    answers = {message.tool_call_id: message.artifact for message in messages if isinstance(message, ToolMessage)}
    decisions = (message for message in messages if isinstance(message, AIMessage))
    calls = (call for message in decisions for call in (*message.tool_calls, *message.invalid_tool_calls))
    for number, artifact in enumerate(answers.get(str(call["id"])) for call in calls):
        if isinstance(artifact, dict) and "why" not in artifact:
            is_written = artifact.keys() & {"changes", "op"}
            yield str(number), len(artifact.get("changes", [artifact])) if is_written else artifact


def _call_step(call: ToolCall, answer: ToolMessage | None) -> Step:
    if answer is not None and answer.name == INVALID:
        return _make_step(INVALID, {"tool": call["name"], "args": call["args"]}, answer)
    return _make_step(call["name"], call["args"], answer)


def _make_step(tool: str, args: dict[str, Any], answer: ToolMessage | None) -> Step:
    if answer is None:
        return Step(tool=tool, args=args, observation=dict(INTERRUPTED))
    step = Step(tool=tool, args=args, observation=read_observation(answer.text))
    if isinstance(answer.artifact, dict) and answer.artifact.get("why"):
        step["why"] = answer.artifact["why"]
    return step


def read_observation(text: str) -> Any:
    """Return the value of a result that is JSON; any other text unchanged."""
    try:
        return read_plain_json(text)
    except ValueError:
        return text
