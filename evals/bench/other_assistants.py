"""A create and a query over MCP, through a process of its own, against the same tools in this process."""

import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from ana.children import make_environment, make_python_command
from ana.handles import open_handles
from ana.memory.changes import Cause
from ana.models.scripted import ScriptedModel
from ana.settings import PROJECT, load_settings
from ana.workspace import open_workspace
from evals.bench.plain_mcp import TOOL
from tools.call import CallContext
from tools.catalog import TOOLS

CALLS = 60
"""Of each kind; the first fifth is not counted."""

Calls = list[tuple[str, dict[str, Any]]]


def measure(env: Callable[[Path], dict[str, str]]) -> Iterable[tuple[str, str]]:
    """Time each call both ways, one after the other, on two folders.

    Args:
        env: The environment of an `ana` that works on a folder.
    """
    with tempfile.TemporaryDirectory() as name:
        here, there, first = anyio.run(_time, env(Path(name) / "here"), env(Path(name) / "there"))
        plain = anyio.run(_time_plain, env(Path(name) / "nowhere"))
    for kind, seconds in there.items():
        more = (seconds - here[kind]) * 1000
        times = f"{here[kind] * 1000:.1f} ms, {seconds * 1000:.1f} ms"
        yield f"{kind} in process, over MCP on stdio (goal: at most 5 ms more)", f"{times}: {more:.1f} ms more"
    yield "a tool that does nothing, in a server of the SDK's alone, over stdio", f"{plain * 1000:.1f} ms"
    yield "`ana mcp`, from its start to its first answer (goal: at most 1.2 s on an idle machine)", f"{first:.2f} s"


def _list_calls() -> Calls:
    made: Calls = [("create_item", {"content": f"Order {n} chairs, no. {uuid.uuid4().hex}"}) for n in range(CALLS)]
    asked: Calls = [("query_items", {"text": f"chairs for {n}"}) for n in range(CALLS)]
    return [call for pair in zip(made, asked, strict=True) for call in pair]


async def _time(env: dict[str, str], env_there: dict[str, str]) -> tuple[dict[str, float], dict[str, float], float]:
    """Return the medians in seconds in this process and over MCP, and the seconds to the first answer."""
    command, *rest = make_python_command("-m", "app.cli", "mcp")
    server = StdioServerParameters(command=command, args=rest, env=make_environment(env_there), cwd=PROJECT)
    here: dict[str, list[float]] = {"a create": [], "a query": []}
    there: dict[str, list[float]] = {"a create": [], "a query": []}
    started = time.perf_counter()
    async with Client(server, mode="legacy") as client:
        first = time.perf_counter() - started
        handles = open_handles(open_workspace(load_settings(env)), model=ScriptedModel(replies=[]))
        for number, (name, args) in enumerate(_list_calls()):
            cause = Cause(f"key {number}", "thread", f"turn {number}")
            call = {**args, "call": CallContext(handles.memory, handles.clock, cause)}
            begun = time.perf_counter()
            TOOLS[name].invoke({"name": name, "args": call, "id": str(number), "type": "tool_call"})
            here[_name(name)].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            await client.call_tool(name, args)
            there[_name(name)].append(time.perf_counter() - begun)
        handles.memory.close()
    return _take_medians(here), _take_medians(there), first


async def _time_plain(env: dict[str, str]) -> float:
    """Return the median in seconds of a call in a server that does nothing else."""
    command, *rest = make_python_command("-m", "evals.bench.plain_mcp")
    times = []
    async with Client(
        StdioServerParameters(command=command, args=rest, env=make_environment(env), cwd=PROJECT), mode="legacy"
    ) as client:
        for name, args in _list_calls():
            begun = time.perf_counter()
            await client.call_tool(TOOL, {"name": name, **args})
            times.append(time.perf_counter() - begun)
    return statistics.median(times[CALLS // 5 :])


def _name(tool: str) -> str:
    return "a create" if tool == "create_item" else "a query"


def _take_medians(times: dict[str, list[float]]) -> dict[str, float]:
    return {name: statistics.median(each[CALLS // 5 :]) for name, each in times.items()}
