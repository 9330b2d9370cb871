"""One name, one embedder; the package is cheap to import; every vector has length 1."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ana.embedders import Embedder, WordLlamaEmbeddings, build_embedder, minilm
from ana.embedders.base import to_unit_vectors
from ana.errors import ConfigError
from ana.settings import Settings, load_settings
from tests.embedders.tiny_minilm import write_model


@pytest.fixture
def with_key(settings: Settings) -> Settings:
    return load_settings({"OPENAI_API_KEY": "sk-test", "ANA_DATA_DIR": str(settings.ana_data_dir)})


@pytest.mark.parametrize(
    ("name", "dimension"), [("wordllama", 256), ("minilm", 384), ("openai", 1536), ("ollama", 768)]
)
def test_every_name_builds_the_embedder_of_that_name(with_key: Settings, name: str, dimension: int) -> None:
    made = build_embedder(with_key, name)
    assert isinstance(made, Embedder)
    assert (made.name, made.dimension) == (name, dimension)


def test_without_a_name_the_settings_decide(settings: Settings) -> None:
    assert build_embedder(settings).name == settings.ana_embeddings == "wordllama"


def test_auto_takes_minilm_where_its_files_are(tmp_path: Path) -> None:
    there, missing = write_model(tmp_path / "there"), tmp_path / "missing"
    env = {"ANA_DATA_DIR": str(tmp_path / "data")}
    assert build_embedder(load_settings(env | {"ANA_EMBEDDER_DIR": str(there)})).name == "minilm"
    assert build_embedder(load_settings(env | {"ANA_EMBEDDER_DIR": str(missing)})).name == "wordllama"


def test_auto_takes_wordllama_where_minilm_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "a_package_that_is_not_installed")
    assert build_embedder(load_settings({"ANA_DATA_DIR": str(tmp_path / "data")})).name == "wordllama"


def test_an_unknown_name_is_refused_with_the_known_ones(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="No embedder is called 'bert'") as caught:
        build_embedder(settings, "bert")
    assert caught.value.hint == "Set ANA_EMBEDDINGS to auto or one of wordllama, minilm, openai, ollama."


def test_openai_without_its_key_names_the_setting(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is not set"):
        build_embedder(settings, "openai")


def test_importing_the_package_loads_no_runtime() -> None:
    script = (
        "import sys, ana.embedders\n"
        "heavy = ('safetensors', 'tokenizers', 'openai', 'langchain_openai', 'chromadb', 'wordllama')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("bad", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_a_vector_without_direction_becomes_the_first_axis(bad: list[float]) -> None:
    assert to_unit_vectors(np.array([bad, [3.0, 4.0]])) == [[1.0, 0.0], pytest.approx([0.6, 0.8])]


def test_large_numbers_are_scaled_not_lost() -> None:
    assert to_unit_vectors(np.array([[3e38, 3e38]], dtype=np.float32))[0] == pytest.approx([2**-0.5, 2**-0.5])


@pytest.mark.parametrize("text", ["", " ", "\ud800", "buy milk"])
def test_wordllama_vectors_have_length_one(text: str) -> None:
    assert np.linalg.norm(WordLlamaEmbeddings().embed_query(text)) == pytest.approx(1.0)
