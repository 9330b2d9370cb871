"""Every regular expression of the program, how it is used, and inputs of its own pieces that might slow it down."""

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import regex

from evals.imports import nodes_of, source_files

PROGRAM = ("ana", "app", "graph", "nodes", "tools")
METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
PIECES = (
    *" \n\taA1_-.,'\"()[]{}<>/\\*=:“「\u200b\u202e漢あé",
    *("a\n", "? ", "3/4 ", "12 ", "a ", "a.", "1,", "x@"),
)
"""What any text may be pumped from."""

ENDS = ("", "\0")
"""What a text may end with: nothing, or a sign that no pattern goes on over."""

MOST_PUMPS = 24
"""Of a pattern's own."""

_PARSER: Any = importlib.import_module("re._parser")
_Compiled = (re.Pattern, type(regex.compile("")))


class Pattern(NamedTuple):
    """A pattern as the program uses it.

    Args:
        name: Its module and name; of one that a function compiles, the function and the line.
        compiled: By re or by regex.
        method: The method that is called: search, match, fullmatch, or finditer for all that go through a text.
    """

    name: str
    compiled: Any
    method: str

    def run(self, text: str) -> object:
        """Use it on a text as the program does, to the end."""
        subject = text if isinstance(self.compiled.pattern, str) else text.encode("utf-8", "surrogatepass")
        result = getattr(self.compiled, self.method)(subject)
        return sum(1 for _ in result) if self.method == "finditer" else result


class Pump(NamedTuple):
    """A text that can be made as long as one likes."""

    begin: str
    piece: str
    end: str

    def fill(self, length: int) -> str:
        """Return the text with about so many characters."""
        return self.begin + self.piece * (length // len(self.piece)) + self.end


def list_patterns(modules: Sequence[str] = ()) -> list[Pattern]:
    """Return every pattern of the program, or of some modules, each once for each method that is called."""
    modules = modules or list_modules()
    for name in modules:
        importlib.import_module(name)
    patterns = [*_list_global(modules), *_list_local(modules)]
    return list({(p.compiled.pattern, p.compiled.flags, p.method): p for p in reversed(patterns)}.values())[::-1]


def list_modules() -> list[str]:
    """Return the modules of the program."""
    return [name for name in source_files() if name.split(".")[0] in PROGRAM and not name.endswith("__main__")]


# ---- patterns that modules hold


def _list_global(modules: Sequence[str]) -> Iterator[Pattern]:
    called = {name: [*_list_called(name)] for name in modules}
    for module in modules:
        for name, value in vars(sys.modules[module]).items():
            compiled = [] if name.startswith("__") else [*_walk(value, set())]
            everywhere = called.values() if not name.startswith("_") else [called[module]]
            methods = {method for calls in everywhere for of, method in calls if of == name}
            # what stands in a table is used through another name
            methods = methods or {method for of, method in called[module] if of not in vars(sys.modules[module])}
            yield from (Pattern(f"{module}.{name}", p, m) for p in compiled for m in _merge(methods))


def _walk(value: Any, visited: set[int]) -> Iterator[Any]:
    """Yield the patterns in a value: itself, in a table, in an object of ours, or what a function of ours keeps."""
    if isinstance(value, _Compiled):
        yield value
    elif id(value) not in visited:
        visited.add(id(value))
        for part in _open(value):
            yield from _walk(part, visited)


def _open(value: Any) -> Sequence[Any]:
    if isinstance(value, Mapping):
        return [*value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return [*value]
    if not str(getattr(value, "__module__", "")).startswith(PROGRAM) or isinstance(value, type):
        return []
    if hasattr(value, "cache_info"):
        signature = inspect.signature(value)
        is_cached = not signature.parameters and "Pattern" in str(signature.return_annotation)
        return [value()] if is_cached else []
    return [getattr(value, "regex", None), *vars(value).values()] if hasattr(value, "__dict__") else []


def _list_called(module: str) -> Iterator[tuple[str, str]]:
    """Yield the name on which each method of patterns is called or handed on, and the method."""
    for node in nodes_of(module):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            last = node.value.attr if isinstance(node.value, ast.Attribute) else ast.unparse(node.value)
            if last not in ("re", "regex"):
                yield last, node.attr


def _merge(methods: set[str]) -> list[str]:
    single = methods & {"search", "match", "fullmatch"}
    return sorted(single | ({"finditer"} if methods - single or not methods else set()))


# ---- patterns that functions compile


def _list_local(modules: Sequence[str]) -> Iterator[Pattern]:
    for module in modules:
        for call, method in _list_compiling(module):
            flags = [
                each for each in (*call.args[1:], *(k.value for k in call.keywords)) if _IS_FLAG(ast.unparse(each))
            ]
            try:
                source, *more = (_evaluate(each, module) for each in (call.args[0], *flags))
            except NameError:
                source, more = None, []
            if not isinstance(source, str | bytes):  # made of what a function is given: its readers are measured
                continue
            make = vars(sys.modules[module])["pattern"] if ast.unparse(call.func) == "pattern" else re.compile
            yield Pattern(f"{module}:{call.lineno}", make(source, *more), method)


_IS_FLAG = re.compile(r"re\.[A-Z]+( \| re\.[A-Z]+)*").fullmatch


def _evaluate(node: ast.expr, module: str) -> Any:
    return eval(compile(ast.Expression(node), module, "eval"), vars(sys.modules[module]))


def _list_compiling(module: str) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls in functions that make a pattern, each with the method that is called on it."""
    inside = [part for node in nodes_of(module) if isinstance(node, ast.FunctionDef) for part in ast.walk(node)]
    on = {id(node.value): node.attr for node in inside if isinstance(node, ast.Attribute) and node.attr in METHODS}
    for call in {id(node): node for node in inside if isinstance(node, ast.Call) and node.args}.values():
        library, _, name = ast.unparse(call.func).rpartition(".")
        if library == "re" and name in METHODS:
            yield call, _merge({name})[0]
        elif (library, name) in (("re", "compile"), ("", "pattern")):
            yield call, _merge({on.get(id(call), "search")})[0]


# ---- inputs


def list_pumps(compiled: Any) -> list[Pump]:
    """Return the inputs that a pattern is tried with: pieces of any text, and of its own."""
    try:
        tree = _PARSER.parse(compiled.pattern, compiled.flags & ~regex.VERSION0)
    except re.error:  # a word of regex that re does not know
        tree = []
    own = [("", _make(tree)), *_list_repeated(tree, "")]
    own += [(begin, piece[:-1]) for begin, piece in own] + [(begin, f"{piece} ") for begin, piece in own]
    own = list(dict.fromkeys(each for each in own if each[1]))[:MOST_PUMPS]
    return [Pump(begin, piece, end) for begin, piece in [*(("", p) for p in PIECES), *own] for end in ENDS]


def _list_repeated(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    """Yield what each repetition and each alternative of a pattern repeats, after what leads to it."""
    for op, operand in tree:
        inner = _open_node(str(op), operand)
        if str(op).endswith("REPEAT"):
            yield before, _make(operand[2])
            yield "", before + _make(operand[2])
        for part in inner:
            if len(inner) > 1:
                yield before, _make(part)
            yield from _list_repeated(part, before)
        before += _make([(op, operand)])


def _open_node(op: str, operand: Any) -> list[Any]:
    if op.endswith("REPEAT"):
        return [operand[2]]
    if op == "SUBPATTERN":
        return [operand[3]]
    return [*operand[1]] if op == "BRANCH" else [operand] if op == "ATOMIC_GROUP" else []


def _make(tree: Any) -> str:
    """Return a text that a pattern matches, or nearly: what it looks around for is left out."""
    return "".join(_make_node(str(op), operand) for op, operand in tree)


def _make_node(op: str, operand: Any) -> str:
    if op == "LITERAL":
        return chr(operand)
    if op == "NOT_LITERAL":
        return "a" if operand != ord("a") else "b"
    if op == "ANY":
        return "a"
    if op == "IN":
        return _choose(operand)
    if op.endswith("REPEAT"):
        return "".join([_make(operand[2])] * max(operand[0], min(operand[1], 1)))
    inner = _open_node(op, operand)
    return _make(inner[0]) if inner else ""


_MEMBERS = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a", "CATEGORY_NOT_SPACE": "a"}


def _choose(members: Any) -> str:
    """Return a sign of a class."""
    kind, operand = str(members[0][0]), members[0][1]
    if kind == "NEGATE":
        denied = {_choose([each]) for each in members[1:]}
        return next(sign for sign in "a1 .-\0" if sign not in denied)
    if kind == "CATEGORY":
        return _MEMBERS.get(str(operand), ".")
    return chr(operand[0] if kind == "RANGE" else operand)
