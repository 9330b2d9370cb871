"""A data folder is bound to the embedder that made its vectors, and to none before it has any."""

import io
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.client import DATABASE
from ana.backends.chroma.closed import read_embedder
from ana.embedders import WordLlamaEmbeddings
from ana.errors import ConfigError, ModelFailed
from ana.handles import open_handles
from ana.memory.memory import Memory
from ana.memory.undo import undo
from ana.models.scripted import ScriptedModel
from ana.settings import Settings, load_settings
from ana.time.clock import Clock
from ana.workspace import open_workspace
from app.cli.doctor import diagnose
from app.cli.reindex import embed_again
from app.embedder import suggest_embedder, suggest_embedder_once
from app.repl.repl import Repl
from tests.chroma import open_memory
from tests.conftest import EMBEDDER, folders
from tests.embedders.tiny_minilm import trust, write_model


@pytest.fixture
def auto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of a person who has chosen no embedder, with a small model in the place of MiniLM's."""
    tiny = trust(write_model(tmp_path / "tiny"), monkeypatch)
    return load_settings(folders(tmp_path, ANA_EMBEDDINGS="auto", ANA_EMBEDDER_DIR=str(tiny)))


def open_with(settings: Settings) -> Memory:
    return open_handles(open_workspace(settings), model=ScriptedModel(replies=["Hello."])).memory


def embedder_of(settings: Settings) -> str | None:
    return read_embedder(settings.ana_data_dir)


def test_a_new_folder_takes_the_best_that_is_there(auto: Settings) -> None:
    assert embedder_of(auto) is None
    memory = open_with(auto)
    memory.create("Buy milk", {})
    memory.close()
    assert embedder_of(auto) == "minilm"


class Unreachable(WordLlamaEmbeddings):
    """A server's embedder that does not answer."""

    name = "openai"
    dimension = 1536

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise ModelFailed("The embeddings provider openai could not be reached.")


def test_a_failed_first_use_binds_nothing(auto: Settings, clock: Clock) -> None:
    memory = open_memory(auto.ana_data_dir, Unreachable(), clock)
    assert memory.count() == 0  # a look creates the collections
    with pytest.raises(ModelFailed):
        memory.create("Buy milk", {})
    memory.close()
    memory = open_with(auto)
    memory.create("Buy milk", {})
    assert [item.content for item in memory.find("milk").items] == ["Buy milk"]
    memory.close()
    assert embedder_of(auto) == "minilm"


def test_one_record_binds_the_whole_folder(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    memory.append_line("Likes tea")
    memory.close()

    class Other(WordLlamaEmbeddings):
        name = "other"

    other = Memory(ChromaBackend(tmp_path / "data", Other()), clock)
    with pytest.raises(ConfigError, match="was embedded with wordllama"):
        other.create("Buy milk", {})
    other.close()


def test_a_folder_embedded_by_a_server_is_not_sent_there_unless_the_settings_say_so(
    auto: Settings, clock: Clock
) -> None:
    class Server(WordLlamaEmbeddings):
        name = "ollama"

    memory = open_memory(auto.ana_data_dir, Server(), clock)
    memory.create("Buy milk", {})
    memory.close()
    with pytest.raises(ConfigError, match="was embedded with ollama") as caught:
        open_with(auto).find("milk")
    assert "ANA_EMBEDDINGS=ollama" in caught.value.hint


def test_a_better_embedder_is_suggested_once(auto: Settings, clock: Clock, tmp_path: Path) -> None:
    assert suggest_embedder(open_workspace(auto)) is None, "a new folder takes it anyway"
    memory = open_memory(auto.ana_data_dir, EMBEDDER, clock)
    memory.create("Buy milk", {})
    memory.close()
    assert "`ana reindex`" in str(suggest_embedder_once(open_workspace(auto)))
    assert suggest_embedder_once(open_workspace(auto)) is None
    without = auto.model_copy(update={"ana_embedder_dir": tmp_path / "missing"})
    assert "installed by `make chat`" in str(suggest_embedder(open_workspace(without)))
    assert suggest_embedder(open_workspace(auto.model_copy(update={"ana_embeddings": "wordllama"}))) is None


def test_newer_vectors_of_the_same_embedder_are_suggested(auto: Settings) -> None:
    memory = open_with(auto)
    memory.create("Buy milk", {"type": "task"})
    memory.close()
    assert suggest_embedder(open_workspace(auto)) is None
    with closing(sqlite3.connect(auto.ana_data_dir / "chroma" / DATABASE)) as db, db:
        assert db.execute("DELETE FROM collection_metadata WHERE key = 'ana_revision'").rowcount
    memory = open_with(auto)
    assert [item.content for item in memory.find("milk").items] == ["Buy milk"], "older vectors stay usable"
    memory.close()
    assert "older way" in str(suggest_embedder(open_workspace(auto)))
    embed_again(open_workspace(auto))
    assert suggest_embedder(open_workspace(auto)) is None


def test_a_folder_whose_records_were_deleted_takes_any_embedder(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    memory.delete(memory.create("Buy milk").id)
    memory.close()

    class Other(WordLlamaEmbeddings):
        name = "other"

    memory = open_memory(tmp_path / "data", Other(), clock)
    undo(memory, memory.history()[0].turn)
    assert [item.content for item in memory.find("milk").items] == ["Buy milk"]
    memory.close()
    assert read_embedder(tmp_path / "data") == "other"


def test_a_process_goes_on_when_another_embeds_the_folder_again(auto: Settings, clock: Clock) -> None:
    memory = open_memory(auto.ana_data_dir, EMBEDDER, clock)
    memory.create("Buy milk")
    memory.close()
    open_all_the_time = open_with(auto)
    assert open_all_the_time.find("milk").items[0].content == "Buy milk"
    for name in ("minilm", "wordllama"):
        embed_again(open_workspace(auto.model_copy(update={"ana_embeddings": name})))
        assert open_all_the_time.find("milk").items[0].content == "Buy milk"
        embed_again(
            open_workspace(auto.model_copy(update={"ana_embeddings": "minilm" if name == "wordllama" else "wordllama"}))
        )
        open_all_the_time.create(f"Written after {name}")
        assert open_all_the_time.find(f"after {name}").items[0].content == f"Written after {name}"
    open_all_the_time.close()


def test_one_that_names_its_embedder_is_told_what_to_do(auto: Settings) -> None:
    memory = open_with(auto.model_copy(update={"ana_embeddings": "wordllama"}))
    memory.create("Buy milk")
    embed_again(open_workspace(auto.model_copy(update={"ana_embeddings": "minilm"})))
    with pytest.raises(ConfigError, match="was embedded with minilm") as caught:
        memory.find("milk")
    assert caught.value.hint.startswith("Set ANA_EMBEDDINGS=minilm")
    memory.close()


def test_doctor_and_the_first_start_say_how_to_get_the_better_embedder(
    auto: Settings, clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(auto.ana_data_dir, EMBEDDER, clock)
    memory.create("Buy milk")
    memory.close()
    line = str(suggest_embedder(open_workspace(auto)))
    assert line in diagnose(open_workspace(auto)).notes
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    for often in (1, 0):
        capsys.readouterr()
        Repl(open_workspace(auto), None).run()
        assert capsys.readouterr().out.count(line) == often
