"""The mean over the mask, the same alone and in company; files that are missing or damaged are named."""

from pathlib import Path

import numpy as np
import pytest

from ana.embedders import minilm as minilm_module
from ana.embedders.minilm import LONGEST, MiniLmEmbeddings
from ana.errors import ConfigError
from tests.embedders.tiny_minilm import TABLE, WORDS, tokenizer, trust, write_model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return trust(write_model(tmp_path / "minilm"), monkeypatch)


@pytest.fixture
def minilm(folder: Path) -> MiniLmEmbeddings:
    return MiniLmEmbeddings(folder)


def expected(*words: str) -> list[float]:
    """The normalised mean of these words' rows and of the two tokens around them, by numpy."""
    mean = TABLE[[WORDS.index(word) for word in ("[CLS]", *words, "[SEP]")]].astype(np.float64).mean(axis=0)
    vector: list[float] = (mean / np.linalg.norm(mean)).tolist()
    return vector


def test_a_vector_is_the_masked_mean_of_length_one(minilm: MiniLmEmbeddings) -> None:
    vector = minilm.embed_query("milk bread dentist")
    assert vector == pytest.approx(expected("milk", "bread", "dentist"), abs=1e-6)
    assert np.linalg.norm(vector) == pytest.approx(1.0)


def test_many_texts_of_mixed_length_keep_their_order(minilm: MiniLmEmbeddings) -> None:
    texts = [" ".join(WORDS[4 + (n + k) % 5] for k in range(n * 7 % 11)) for n in range(75)]
    vectors = minilm.embed_documents(texts)
    for text, vector in zip(texts, vectors, strict=True):
        assert vector == pytest.approx(expected(*text.split()), abs=1e-6)


def test_nothing_gives_nothing(minilm: MiniLmEmbeddings) -> None:
    assert minilm.embed_documents([]) == []


@pytest.mark.parametrize("text", ["", "   ", "m", "\ud800", "\x00"])
def test_odd_texts_have_vectors_of_length_one(minilm: MiniLmEmbeddings, text: str) -> None:
    vector = minilm.embed_query(text)
    assert len(vector) == minilm.dimension
    assert np.linalg.norm(vector) == pytest.approx(1.0)


def test_a_text_without_direction_becomes_the_first_axis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minilm = MiniLmEmbeddings(trust(write_model(tmp_path, np.zeros_like(TABLE)), monkeypatch))
    assert minilm.embed_query("milk") == [1.0] + [0.0] * 383


def test_a_long_text_is_read_up_to_its_limit_of_tokens(minilm: MiniLmEmbeddings) -> None:
    kept = ["milk"] * 100 + ["river"] * (LONGEST - 2 - 100)
    vector = minilm.embed_query(" ".join(kept + ["dentist"] * 500))
    assert vector == pytest.approx(expected(*kept), abs=1e-6)


def test_files_that_are_not_there_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^The model all-MiniLM-L6-v2 is not in .*/nothing\. Run ") as caught:
        MiniLmEmbeddings(tmp_path / "nothing").embed_query("milk")
    assert caught.value.hint == (
        "Run `make chat`, which installs it; or embed everything again: ana reindex --embeddings wordllama"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_files_may_come_after_a_first_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minilm = MiniLmEmbeddings(tmp_path)
    with pytest.raises(ConfigError):
        minilm.embed_query("milk")
    trust(write_model(tmp_path), monkeypatch)
    assert minilm.embed_query("milk") == pytest.approx(expected("milk"), abs=1e-6)


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff\x00 not this", None])
def test_a_damaged_tokenizer_names_the_folder_to_delete(
    folder: Path, damage: bytes | None, capfd: pytest.CaptureFixture[str]
) -> None:
    file = folder / "tokenizer.json"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    with pytest.raises(ConfigError, match=r"tokenizer\.json cannot be used: it is damaged") as caught:
        MiniLmEmbeddings(folder).embed_query("milk")
    assert f"Delete the folder {folder}" in caught.value.hint
    assert capfd.readouterr() == ("", "")


def test_a_tokenizer_of_another_model_counts_as_damage(folder: Path) -> None:
    tokenizer([*WORDS, "another"]).save(str(folder / "tokenizer.json"))
    with pytest.raises(ConfigError, match="or another model's"):
        MiniLmEmbeddings(folder).embed_query("river")


def test_damaged_weights_of_the_package_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "holds_a_model"
    weights = write_model(package / "data/embeddings/sentence-transformers__all-MiniLM-L6-v2") / "model.safetensors"
    (package / "__init__.py").touch()
    monkeypatch.setattr(minilm_module, "PACKAGE", package.name)
    monkeypatch.syspath_prepend(tmp_path)
    assert len(MiniLmEmbeddings().embed_query("milk")) == 384
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(ConfigError, match=r"model\.safetensors cannot be used: it is damaged"):
        MiniLmEmbeddings().embed_query("milk")
