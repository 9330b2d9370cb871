"""The house keeps its shape: imports point downwards, packages are ours, functions and files stay small."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from ana.settings import PROJECT

LEVELS = {"ana": 0, "prompts": 1, "tools": 2, "nodes": 3, "graph": 4, "app": 5, "evals": 6}
LEAVES = {"graph.state", "graph.context"}
"""What nodes may read of graph."""

MOST_CONDITIONS = 15
"""Conditions inside expressions that a function may have; ruff counts its branches (C901, PLR0912)."""

FILES = [path for package in LEVELS for path in sorted((PROJECT / package).rglob("*.py"))]


def imports(path: Path) -> set[str]:
    """The modules of this project that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            found |= {node.module} | {f"{node.module}.{name.name}" for name in node.names if node.module in LEVELS}
    return {name for name in found if name.split(".")[0] in LEVELS}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PROJECT)))
def test_imports_point_downwards(path: Path) -> None:
    package = path.relative_to(PROJECT).parts[0]
    for name in imports(path):
        target = name.split(".")[0]
        allowed = LEVELS[target] <= LEVELS[package] or (package == "nodes" and name in LEAVES)
        assert allowed, f"{package} must not import {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PROJECT)))
def test_only_the_chroma_backend_imports_chromadb(path: Path) -> None:
    if path.relative_to(PROJECT).parts[:3] != ("ana", "backends", "chroma"):
        source = path.read_text()
        assert "import chromadb" not in source
        assert "from chromadb" not in source


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PROJECT)))
def test_files_and_functions_stay_small(path: Path) -> None:
    source = path.read_text()
    assert source.count("\n") <= 300
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            assert node.end_lineno - node.lineno < 60, f"{path}:{node.lineno} {node.name}"


def count_conditions(function: ast.AST) -> int:
    """Operands beyond the first, conditional expressions, conditions in comprehensions; not of inner functions."""
    count = 0
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += len(node.ifs)
        count += isinstance(node, ast.IfExp)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            count += count_conditions(node)
    return count


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PROJECT)))
def test_expressions_hold_few_conditions(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert count_conditions(node) <= MOST_CONDITIONS, f"{path}:{node.lineno} {node.name}"


def test_conditions_are_counted() -> None:
    function = ast.parse(
        "def f(a, b):\n"
        "    def inner(c):\n        return c and a\n"
        "    return [x if x else a for x in b if x and a or b if b]\n"
    ).body[0]
    assert count_conditions(function) == 5, "one conditional expression, two operators, two conditions"


def test_the_langgraph_server_gets_our_packages() -> None:
    """`langgraph dev` appends the project root to sys.path, so an installed package of the same name would win."""
    script = (
        "import sys; sys.path.append(sys.argv[1])\n"
        f"import {', '.join(LEVELS)}\n"
        f"print('\\n'.join(str(m.__file__) for m in ({', '.join(LEVELS)})))"
    )
    command = [sys.executable, "-I", "-c", script, str(PROJECT)]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(PROJECT / package / "__init__.py") for package in LEVELS]


def test_importing_opens_creates_and_prints_nothing(tmp_path: Path) -> None:
    modules = [".".join(p.relative_to(PROJECT).with_suffix("").parts) for p in FILES if p.stem != "__init__"]
    script = f"import {', '.join(m for m in modules)}"
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "ANA_MAX_STEPS": "not a number"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_the_constraints_name_no_host() -> None:
    text = (PROJECT / "constraints.txt").read_text()
    assert "://" not in text
    assert "langgraph==" in text
