"""The house keeps its shape: imports point downwards, packages are ours, functions and files stay small."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from ana.settings import PROJECT
from evals.imports import LEVELS, PACKAGES, group_of, imports_of, source_files

MOST_CONDITIONS = 15
"""Conditions inside expressions that a function may have; ruff counts its branches (C901, PLR0912)."""

each_module = pytest.mark.parametrize("module", source_files())


def packages_imported(module: str) -> set[str]:
    """Return the packages that a module imports, ours and others, without their submodules."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source_files()[module].read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            names.add(str(node.module))
    return {name.split(".")[0] for name in names}


@each_module
def test_imports_point_downwards(module: str) -> None:
    group = group_of(module)
    targets = {name: group_of(name) for name in imports_of(module)}
    assert not [name for name, other in targets.items() if other != group and LEVELS[other] >= LEVELS[group]]


def test_no_imports_form_a_cycle() -> None:
    TopologicalSorter({module: imports_of(module) for module in source_files()}).prepare()


@each_module
def test_only_backends_import_databases(module: str) -> None:
    packages = packages_imported(module)
    assert "chromadb" not in packages or module.startswith("ana.backends.chroma.")
    assert "sqlite3" not in packages or group_of(module) != "ana.memory"


@each_module
def test_files_and_functions_stay_small(module: str) -> None:
    source = source_files()[module].read_text()
    assert source.count("\n") <= 300
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            assert node.end_lineno - node.lineno < 60, f"{module}:{node.lineno} {node.name}"


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


@each_module
def test_expressions_hold_few_conditions(module: str) -> None:
    for node in ast.walk(ast.parse(source_files()[module].read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert count_conditions(node) <= MOST_CONDITIONS, f"{module}:{node.lineno} {node.name}"


WAYS_TO_PRINT = {"print", "input", "sys.stdout", "sys.stderr", "os.write", "click.echo", "click.secho", "click.confirm"}
WAYS_TO_PRINT |= {"typer.echo", "typer.secho", "typer.confirm", "logging.StreamHandler", "rich.console", "rich.text"}
PRINTERS = {
    "ana.output": {"print", "sys.stdout", "sys.stderr"},
    "ana.logs": {"logging.StreamHandler"},  # with a formatter that escapes
    "app.show.console": {"rich.console", "rich.text", "sys.stdout", "sys.stderr"},
    "app.show.confirm": {"click.confirm"},  # with what is escaped
    "app.cli.setup": {"typer.prompt"},  # with settings of the person's own
}
"""The modules that may print, and how: each lets nothing through that drives a terminal."""


def ways_to_print(tree: ast.AST) -> set[str]:
    """Return how a module may print; asking whether a stream is a terminal does not."""
    asking = {node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "isatty"}
    nodes = [node for node in ast.walk(tree) if node not in asking]
    used = {ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)}
    imported = {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    return WAYS_TO_PRINT & (used | imported)


@each_module
def test_everything_printed_goes_through_one_module(module: str) -> None:
    if group_of(module) != "evals":  # which print figures for those who work on ana
        assert ways_to_print(ast.parse(source_files()[module].read_text())) <= PRINTERS.get(module, set())


def test_ways_to_print_are_found() -> None:
    tree = ast.parse("from rich.console import Console\nif sys.stdin.isatty(): f(file=sys.stderr); sys.stdout.write(x)")
    assert ways_to_print(tree) == {"rich.console", "sys.stdout", "sys.stderr"}
    assert not ways_to_print(ast.parse("sys.stdout.isatty() and console.print(x)"))


INSIDE_CHROMA = {"folder", "journal", "acts", "collections", "healing"}
"""Parts of the Chroma backend that only its own package uses."""


@each_module
def test_nothing_reaches_inside_the_chroma_backend(module: str) -> None:
    if module.startswith("ana.backends.chroma"):
        return
    for node in ast.walk(ast.parse(source_files()[module].read_text())):
        if isinstance(node, ast.Attribute) and node.attr in INSIDE_CHROMA:
            owner = ast.unparse(node.value).rpartition(".")[2]
            assert owner not in ("backend", "memory"), f"{module}:{node.lineno}"


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
        f"import {', '.join(PACKAGES)}\n"
        f"print('\\n'.join(str(m.__file__) for m in ({', '.join(PACKAGES)})))"
    )
    command = [sys.executable, "-I", "-c", script, str(PROJECT)]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(PROJECT / package / "__init__.py") for package in PACKAGES]


def test_importing_opens_creates_and_prints_nothing(tmp_path: Path) -> None:
    script = f"import {', '.join(source_files())}"
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "ANA_MAX_STEPS": "not a number"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_the_constraints_name_no_host() -> None:
    text = (PROJECT / "constraints.txt").read_text()
    assert "://" not in text
    assert "langgraph==" in text
