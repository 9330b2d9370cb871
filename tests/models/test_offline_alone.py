"""The reader is a chat model and nothing else; the questions it must answer by calling; other languages."""

import sys
from pathlib import Path

import pytest

from ana.errors import ConfigError
from ana.handles import Handles, open_handles
from ana.models.providers import build_model
from ana.settings import Settings, load_settings
from app.outcome import Done, expect_done
from app.turn import open_assistant
from evals.imports import imports_of, source_files
from tests.conftest import folders

READER = "ana.models.offline"
READS = (
    "ana.models.offline",
    "ana.models.base",
    "ana.models.fence",
    "ana.time.when",
    "ana.memory.status",
    "ana.patterns",
)


@pytest.mark.parametrize("module", [name for name in source_files() if name.startswith(READER)])
def test_it_reads_nothing_of_store_graph_or_nodes(module: str) -> None:
    assert [name for name in imports_of(module) if not name.startswith(READS)] == []


def test_it_could_be_deleted_without_touching_another_file(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in source_files():
        if not module.startswith(READER) and module != "ana.models.providers":
            assert not any(name.startswith(READER) for name in imports_of(module)), module
    monkeypatch.setitem(sys.modules, "ana.models.offline", None)
    with pytest.raises(ConfigError, match="offline reader"):
        build_model(settings)


def ask(settings: Settings, text: str) -> tuple[Done, Handles]:
    handles = open_handles(settings)
    with open_assistant(handles) as assistant:
        return expect_done(assistant.ask(text, "00000000-0000-4000-8000-000000000000")), handles


CALLED = """
What's 9! / (3!*3!*3!)? Just the integer.                 | calculator | 1680
Compute 7//2                                              | calculator | 3
If I spend $12.50 daily for 9 days, what's the total?     | calculator | 112.5
What time is it right now? Use UTC.                       | now        | (UTC)
What's 15% of 240?                                        | calculator | 36
How much is 12 times 8?                                   | calculator | 96
Split 84.60 between 3 people                              | calculator | 28.2
What is (3 + 4) * 2?                                      | calculator | 14
Calculate 2^10                                            | calculator | 1024
What's 17 % 5?                                            | calculator | 2
I pay 25 a week for 4 weeks. How much is that?            | calculator | 100
What is seven hundred minus forty-five?                   | calculator | 655
What's 20% off 80?                                        | calculator | 64
How much is 1,250.50 + 99.50?                             | calculator | 1350
What is half of 390?                                      | calculator | 195
What's today's date?                                      | now        | (Europe/Berlin)
What time is it in Tokyo?                                 | now        | (Asia/Tokyo)
what day is it today                                      | now        | (Europe/Berlin)
"""


@pytest.mark.parametrize("row", CALLED.strip().splitlines())
def test_figures_and_the_clock_are_never_guessed(settings: Settings, row: str) -> None:
    text, tool, told = (part.strip() for part in row.split("|"))
    answer, _ = ask(settings, text)
    assert [step["tool"] for step in answer.steps] == [tool]
    assert answer.answer.rstrip(".").endswith(told)


def test_there_are_eighteen() -> None:
    assert len(CALLED.strip().splitlines()) == 18


def test_what_was_forgotten_is_told_as_forgotten(settings: Settings) -> None:
    """The plan runs again over the results, when Global Context has already changed."""
    handles = open_handles(settings)
    handles.memory.append_line("Is allergic to peanuts")
    handles.memory.append_line("Their name is Robert")
    thread = "00000000-0000-4000-8000-000000000000"
    with open_assistant(handles) as assistant:
        assert (
            assistant.ask("forget that I'm allergic to peanuts", thread).answer == "Forgotten: Is allergic to peanuts."
        )
        told = assistant.ask("My name is Bob", thread).answer
        assert told == "I will remember: Their name is Bob (no longer: Their name is Robert)."


FOREIGN = """
Erinnere mich morgen um 15 Uhr an den Zahnarzt
Ich muss bis Freitag die Steuererklärung abgeben
Was steht heute an?
Lösche die Aufgabe mit dem Zahnarzt
Ich bin Vegetarier
Danke schön!
Recuérdame comprar pan mañana
¿Qué tengo que hacer hoy?
Borra la tarea del dentista
Soy alérgico a los cacahuetes
Gracias
Tengo una reunión el viernes a las 10
明日の15時に銀行に電話するのをリマインドして
今日の予定は何ですか?
歯医者のタスクを削除して
私はベジタリアンです
ありがとう
12かける12はいくつですか
"""


@pytest.mark.parametrize("text", FOREIGN.strip().splitlines())
def test_in_other_languages_it_does_nothing_and_claims_nothing(tmp_path: Path, text: str) -> None:
    settings = load_settings(folders(tmp_path))
    answer, handles = ask(settings, text)
    assert answer.changes == []
    assert answer.error is None
    assert "ana setup" in answer.answer or answer.answer in ("Nothing.", "I found nothing.")
    handles.memory.close()
