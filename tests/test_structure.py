"""The house keeps its shape: imports point downwards, packages are ours, functions and files stay small."""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from ana.settings import PROJECT
from evals.imports import LEVELS, PACKAGES, group_of, imports_of, nodes_of, source_files

MOST_CONDITIONS = 15
"""Conditions inside expressions that a function may have; ruff counts its branches (C901, PLR0912)."""

MOST_TERMS, MOST_ON_A_LINE = 4, 2
"""Terms of one `and` or `or`, and comprehensions and conditional expressions that begin in one line."""

MOST_OF_THE_PAGE = 2900
"""Lines of Python in app/page."""

PARTICIPLES = {"told", "given", "found", "said", "shown", "meant", "asked", "kept", "left", "seen", "made", "held"}
"""What names do not say: that something was told, and not what it is."""

NAMED_FOR_WHAT_THEY_ARE = (
    "ana/*.py",
    "ana/archive/**/*.py",
    "ana/backends/**/*.py",
    "ana/embedders/**/*.py",
    "ana/memory/**/*.py",
    "ana/moving/**/*.py",
    "ana/postgres/**/*.py",
    "ana/reminders/**/*.py",
    "ana/time/**/*.py",
    "ana/transfer/**/*.py",
    "ana/workspace/**/*.py",
)
"""The files without such names; the others follow, a package at a time."""


def functions_of(module: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in nodes_of(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def packages_imported(module: str) -> set[str]:
    """Return the packages that a module imports, ours and others, without their submodules."""
    names: set[str] = set()
    for node in nodes_of(module):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            names.add(str(node.module))
    return {name.split(".")[0] for name in names}


def points_up(module: str, name: str) -> bool:
    group, other = group_of(module), group_of(name)
    return other != group and LEVELS[other] >= LEVELS[group]


def test_imports_point_downwards() -> None:
    assert [(m, name) for m in source_files() for name in imports_of(m) if points_up(m, name)] == []


def test_no_imports_form_a_cycle() -> None:
    TopologicalSorter({module: imports_of(module) for module in source_files()}).prepare()


ON_SQLITE = (
    *("ana.files", "ana.tables", "ana.backends.", "ana.reminders.folder", "ana.threads.folder", "ana.threads.states"),
    "evals.",
)
"""What is made of SQLite files, and may catch its errors."""

MAKERS_OF_STORES = ("ana.backends.", "evals.")
"""Those that may name a backend's class; for everybody else it is a Backend, and an Upkeep."""


def test_only_backends_import_databases() -> None:
    chroma = [module for module in source_files() if "chromadb" in packages_imported(module)]
    assert [module for module in chroma if not module.startswith("ana.backends.chroma.")] == []
    sqlite = [module for module in source_files() if "sqlite3" in packages_imported(module)]
    assert [module for module in sqlite if not module.startswith(ON_SQLITE)] == []
    assert chroma, "the check sees imports"
    assert sqlite


def test_only_those_that_make_a_store_name_its_class() -> None:
    naming = [module for module in source_files() if "ana.backends.chroma.backend" in imports_of(module)]
    assert [module for module in naming if not module.startswith(MAKERS_OF_STORES)] == []
    assert naming, "the check sees imports"


def test_only_the_workspace_knows_where_a_persons_state_is() -> None:
    fields = {"ana_data_dir", "traces_dir"}
    knowing = {module for module in source_files() if fields & {*map(name_in, nodes_of(module))}}
    assert knowing == {"ana.settings", "ana.workspace.workspace"}


def name_in(node: ast.AST) -> object:
    """Return the name, or the text, that a syntax node is."""
    return next((getattr(node, field) for field in ("attr", "id", "arg", "value") if hasattr(node, field)), None)


def test_results_made_of_a_persons_words_are_kept_with_the_person() -> None:
    keeping = {module for module in source_files() if uses(module, "lru_cache")}
    assert keeping == {"ana.recent", "ana.time.spans"}, "the last keeps days"


def test_whoever_calls_a_model_pays_out_of_the_budget() -> None:
    callers = {
        module for module in source_files() if "ana.models.call" in imports_of(module) and uses(module, "complete")
    }
    assert callers == {"nodes.reason", "nodes.summary", "nodes.draft_check", "app.columns", "evals.tasks.opinions"}
    assert [module for module in callers if not uses(module, "pay")] == []


def uses(module: str, name: str) -> bool:
    """Whether a function, or a method, of this name is used in a module."""
    used = (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in nodes_of(module))
    return name in used


def test_files_and_functions_stay_small() -> None:
    assert [module for module, file in source_files().items() if file.read_text().count("\n") > 300] == []
    functions = ((module, node) for module in source_files() for node in functions_of(module))
    long = [f"{module}:{node.lineno} {node.name}" for module, node in functions if count_lines(node) > 60]
    assert long == []


def count_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert function.end_lineno
    return function.end_lineno - function.lineno + 1


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


def test_the_page_stays_small() -> None:
    lines = sum(path.read_text().count("\n") for path in (PROJECT / "app" / "page").glob("*.py"))
    assert lines <= MOST_OF_THE_PAGE


def test_expressions_hold_few_conditions() -> None:
    functions = ((module, node) for module in source_files() for node in functions_of(module))
    full = ((module, node) for module, node in functions if count_conditions(node) > MOST_CONDITIONS)
    assert [f"{module}:{node.lineno} {node.name}" for module, node in full] == []


def iter_dense_lines(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Yield the lines with more terms in one condition, or more comprehensions, than a reader can follow."""
    dense = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.IfExp
    begins: Counter[int] = Counter()
    for node in nodes:
        if isinstance(node, ast.BoolOp) and len(node.values) > MOST_TERMS:
            yield node.lineno
        if isinstance(node, dense):
            begins[node.lineno] += 1
    yield from (line for line, count in begins.items() if count > MOST_ON_A_LINE)


def test_no_line_has_to_be_decoded() -> None:
    dense = ((module, line) for module in source_files() for line in iter_dense_lines(nodes_of(module)))
    assert [f"{module}:{line}" for module, line in dense] == []


def test_dense_lines_are_seen() -> None:
    lines = [
        "x = a or b or c or d or e",
        "[f(y for y in z) if z else 0 for z in w]",
        "a or b or c or d",
        "[1 for _ in x]",
    ]
    assert sorted(iter_dense_lines(ast.walk(ast.parse("\n".join(lines))))) == [1, 2]


def name_bound(node: ast.AST) -> str:
    """Return the name that a node gives to something; empty if it gives none."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
            return str(name)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return str(name)
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            return name
    return ""


def has_participle(name: str) -> bool:
    return not PARTICIPLES.isdisjoint(name.lower().split("_"))


def test_names_say_what_they_hold() -> None:
    files = [file for pattern in NAMED_FOR_WHAT_THEY_ARE for file in PROJECT.glob(pattern)]
    assert len(files) > len(NAMED_FOR_WHAT_THEY_ARE)
    names = ((file, name_bound(node)) for file in files for node in ast.walk(ast.parse(file.read_text())))
    every = [*names, *((file, file.stem) for file in files)]
    assert [f"{file.relative_to(PROJECT)}: {name}" for file, name in every if has_participle(name)] == []


def test_participles_are_seen() -> None:
    code = "def find_told(given, *, _shown=0):\n    self.MOST_SAID, found, kept_x = asked, 1, 2\n"
    names = [*map(name_bound, ast.walk(ast.parse(code + "class Found: pass\nimport x as y")))]
    seen = {"find_told", "given", "_shown", "MOST_SAID", "found", "kept_x", "Found"}
    assert {*filter(has_participle, names)} == seen
    assert not any(map(has_participle, ("y", "self", "NotFound", "foundation", "untold")))


WAYS_TO_START = {"subprocess", "multiprocessing", "os.system", "os.popen", "os.fork", "os.forkpty", "pty.fork"}
WAYS_TO_START |= {f"os.{way}{how}{more}" for way in ("exec", "spawn") for how in "lv" for more in ("", "e", "p", "pe")}
WAYS_TO_START |= {"os.posix_spawn", "os.posix_spawnp", "os.startfile", "sys.executable", "runpy", "ProcessPoolExecutor"}
WAYS_TO_START |= {"asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell"}
STARTERS = {
    "ana.children": {"subprocess", "os.execve", "sys.executable"},
    "evals.attack.linear": {"multiprocessing"},  # forks, which read texts
    "evals.crash.kills": {"multiprocessing"},  # forks, which import nothing
    "evals.postgres": {"subprocess"},  # a database for tests and benchmarks
    "evals.sizes": {"subprocess"},  # make, which installs
}
"""The modules that may start processes, and how: none lets a child import what lies where the person stands."""


def dotted_names(nodes: Iterable[ast.AST], wanted: set[str]) -> set[str]:
    """Return those of the wanted names, such as os.open, that are used."""
    ends = {name.rpartition(".")[2] for name in wanted}
    names = (node for node in nodes if isinstance(node, ast.Name | ast.Attribute) and name_in(node) in ends)
    return wanted & {ast.unparse(node) for node in names}


def ways_to_start(every: Iterable[ast.AST]) -> set[str]:
    """Return how a module, of which all nodes are given, may start processes."""
    nodes = list(every)
    imported = {alias.name for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}
    imported |= {str(node.module).split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    imported |= {
        f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    return dotted_names(nodes, WAYS_TO_START) | (WAYS_TO_START & imported)


def test_processes_are_started_by_one_module() -> None:
    ways = {module: ways_to_start(nodes_of(module)) - STARTERS.get(module, set()) for module in source_files()}
    assert {module: way for module, way in ways.items() if way} == {}


def test_ways_to_start_are_found() -> None:
    text = "import subprocess\nfrom os import execv\nfrom concurrent.futures import ProcessPoolExecutor\nos.fork()\n"
    text += "from multiprocessing.pool import Pool"
    found = {"subprocess", "os.execv", "ProcessPoolExecutor", "os.fork", "multiprocessing"}
    assert ways_to_start(ast.walk(ast.parse(text))) == found


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


def ways_to_print(every: Iterable[ast.AST]) -> set[str]:
    """Return how a module, of which all nodes are given, may print; asking whether a stream is a terminal does not."""
    asking = {node.value for node in every if isinstance(node, ast.Attribute) and node.attr == "isatty"}
    nodes = [node for node in every if node not in asking]
    imported = {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    return dotted_names(nodes, WAYS_TO_PRINT) | (WAYS_TO_PRINT & imported)


def test_everything_printed_goes_through_one_module() -> None:
    modules = [module for module in source_files() if group_of(module) != "evals"]  # which print figures for developers
    ways = {module: ways_to_print(nodes_of(module)) - PRINTERS.get(module, set()) for module in modules}
    assert {module: way for module, way in ways.items() if way} == {}


def test_ways_to_print_are_found() -> None:
    text = "from rich.console import Console\nif sys.stdin.isatty(): f(file=sys.stderr); sys.stdout.write(x)"
    assert ways_to_print([*ast.walk(ast.parse(text))]) == {"rich.console", "sys.stdout", "sys.stderr"}
    assert not ways_to_print([*ast.walk(ast.parse("sys.stdout.isatty() and console.print(x)"))])


INSIDE_CHROMA = {"folder", "journal", "acts", "collections", "healing"}
"""Parts of the Chroma backend that only its own package uses."""


def reaches_inside(node: ast.AST) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr not in INSIDE_CHROMA:
        return False
    return ast.unparse(node.value).rpartition(".")[2] in ("backend", "memory")


def test_nothing_reaches_inside_the_chroma_backend() -> None:
    modules = [module for module in source_files() if not module.startswith("ana.backends.chroma")]
    assert [module for module in modules if any(map(reaches_inside, nodes_of(module)))] == []
    assert any(map(reaches_inside, ast.walk(ast.parse("memory.backend.journal.add(x)"))))


WRITERS = {"ana.memory.memory"}
"""Those that give changes to a backend: memory, within its bounds."""


def writes_past_memory(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "apply" and ast.unparse(node.value).endswith("backend")


def test_changes_reach_a_backend_within_the_bounds_only() -> None:
    assert {module for module in source_files() if any(map(writes_past_memory, nodes_of(module)))} == WRITERS


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
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_the_constraints_name_no_host() -> None:
    text = (PROJECT / "constraints.txt").read_text()
    assert "://" not in text
    assert "langgraph==" in text
