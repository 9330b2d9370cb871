"""The import graph of this project, read from its source, for docs/architecture.md and tests/test_structure.py.

Every import counts: also one inside a function, and one that only a type checker carries out.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ana.settings import PROJECT

LEVELS = {
    "ana": 0,
    "ana.time": 1,
    "ana.memory.sources": 1,
    "ana.memory.status": 1,
    "ana.postgres": 2,
    "ana.memory": 2,
    "ana.embedders": 2,
    "ana.models": 2,
    "ana.backends": 3,
    "ana.tracing": 3,
    "ana.spending": 4,
    "ana.reminders": 4,
    "ana.threads": 4,
    "ana.runs": 5,
    "ana.transfer": 5,
    "ana.workspace": 5,
    "ana.handles": 6,
    "ana.archive": 7,
    "ana.evaluations": 7,
    "ana.people": 8,
    "ana.moving": 9,
    "prompts": 6,
    "tools": 7,
    "graph.state": 8,
    "graph.context": 8,
    "nodes": 9,
    "graph": 10,
    "app": 11,
    "app.show": 12,
    "app.due": 13,
    "app.embedder": 13,
    "app.services": 13,
    "app.undo": 13,
    "app.knowing": 13,
    "app.costs": 13,
    "app.mentions": 13,
    "app.forgetting": 14,
    "app.routines": 14,
    "app.reminding": 15,
    "app.repl": 16,
    "app.mcp": 16,
    "app.telegram": 16,
    "app.server": 17,
    "app.studio": 18,
    "app.page": 18,
    "app.server.app": 19,
    "app.cli": 20,
    "evals.tasks": 21,
    "evals.cli": 22,
    "evals": 23,
}
"""The groups of modules by level. A module belongs to the group with the longest name that its own begins with. It may
import its own group, and groups of lower levels."""

PACKAGES = tuple(name for name in LEVELS if "." not in name)

_LABELS = {"ana": "ana: errors, settings, ...", "graph.state": "graph: state, context"}
_DRAWN_AS = {
    "graph.context": "graph.state",
    "ana.memory.status": "ana.memory",
    **{name: "app" for name in LEVELS if name.startswith("app.") and name != "app.cli"},
}


@cache
def source_files() -> dict[str, Path]:
    """Return the modules of this project by name, each with its file."""
    paths = (path for package in PACKAGES for path in sorted((PROJECT / package).rglob("*.py")))
    return {_module_name(path): path for path in paths}


@cache
def nodes_of(module: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a module's syntax tree."""
    return tuple(ast.walk(ast.parse(source_files()[module].read_text(encoding="utf-8"))))


@cache
def imports_of(module: str) -> frozenset[str]:
    """Return the modules of this project that a module imports."""
    return frozenset(name for node in nodes_of(module) for name in _imported(node))


def group_of(module: str) -> str:
    """Return the group that a module belongs to."""
    return max((name for name in LEVELS if f"{module}.".startswith(f"{name}.")), key=len)


def draw() -> str:
    """Return the groups and their imports in mermaid; an import that others imply is left out."""
    edges = {(_box(module), _box(name)) for module in source_files() for name in imports_of(module)}
    needed = [(a, b) for a, b in edges if a != b and not _is_implied(a, b, edges)]
    nodes = sorted({node for edge in needed for node in edge}, key=lambda name: (-LEVELS[name], name))
    boxes = []
    for node in nodes:
        imported = " & ".join(_id(other) for other in nodes if (node, other) in needed)
        boxes.append(f'    {_id(node)}["{_LABELS.get(node, node)}"]{imported and " --> " + imported}')
    return "\n".join(["```mermaid", "graph TD", *boxes, "```"])


def _box(module: str) -> str:
    group = group_of(module)
    return _DRAWN_AS.get(group, group)


def _id(group: str) -> str:
    return f"{group.replace('.', '_')}_"  # `graph` alone is a word of mermaid's


def _is_implied(start: str, end: str, edges: set[tuple[str, str]]) -> bool:
    """Whether a longer way leads from start to end, every step of it downwards."""
    below = {b for a, b in edges if a == start and b != end and LEVELS[end] < LEVELS[b] < LEVELS[start]}
    return any((b, end) in edges or _is_implied(b, end, edges) for b in below)


def _module_name(path: Path) -> str:
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in source_files())
    elif isinstance(node, ast.ImportFrom) and node.module in source_files():
        for alias in node.names:
            submodule = f"{node.module}.{alias.name}"
            yield submodule if submodule in source_files() else str(node.module)
