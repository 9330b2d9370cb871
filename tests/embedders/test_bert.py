"""The encoder in numpy says what sentence-transformers says; another model's weights are refused."""

import sys
from math import erf
from pathlib import Path

import numpy as np
import pytest

from ana.embedders.bert import gelu, softmax
from ana.embedders.minilm import PACKAGE, WEIGHTS, MiniLmEmbeddings, find_minilm
from ana.errors import ConfigError
from tests.embedders.tiny_minilm import write_model

INSTALLED = find_minilm()
PUBLISHED = [
    ("The new movie is awesome", "The new movie is so great", 0.8939),
    ("The cat sits outside", "The dog plays in the garden", 0.2838),
    ("A man is playing guitar", "A woman watches TV", -0.0327),
]
"""Pairs with their cosine, from the page "Semantic Textual Similarity" of sentence-transformers' documentation."""

with_weights = pytest.mark.skipif(INSTALLED is None, reason="the encoder's package could not be installed")


@pytest.fixture(scope="module")
def minilm() -> MiniLmEmbeddings:
    return MiniLmEmbeddings()


@with_weights
@pytest.mark.parametrize(("a", "b", "cosine"), PUBLISHED)
def test_similarities_are_those_that_were_published(minilm: MiniLmEmbeddings, a: str, b: str, cosine: float) -> None:
    assert np.dot(minilm.embed_query(a), minilm.embed_query(b)) == pytest.approx(cosine, abs=5e-5)


@with_weights
def test_a_text_has_one_vector_in_any_company(minilm: MiniLmEmbeddings) -> None:
    texts = ["milk", "a much longer text about the garden, the river and the dentist " * 9, "", "\ud800 odd \x00"]
    for text, vector in zip(texts, minilm.embed_documents(texts), strict=True):
        assert vector == pytest.approx(minilm.embed_query(text), abs=1e-5)


@with_weights
def test_the_package_is_read_and_never_imported(minilm: MiniLmEmbeddings) -> None:
    minilm.embed_query("milk")
    assert PACKAGE not in sys.modules


def test_gelu_is_what_it_is_defined_as() -> None:
    x = np.linspace(-6, 6, 1001, dtype=np.float32)
    exact = [v / 2 * (1 + erf(v / 2**0.5)) for v in x.tolist()]
    assert gelu(x) == pytest.approx(exact, abs=1e-6)
    assert gelu(x).dtype == np.float32


def test_softmax_of_large_numbers_is_finite() -> None:
    assert softmax(np.array([1e4, 1e4, -1e9], np.float32)).tolist() == [0.5, 0.5, 0.0]


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    write_model(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"another model")
    with pytest.raises(ConfigError, match="is not all-MiniLM-L6-v2: its SHA-256 begins with"):
        MiniLmEmbeddings(tmp_path).embed_query("milk")


def test_a_folder_that_is_named_is_the_only_one(tmp_path: Path) -> None:
    assert find_minilm(tmp_path / "nothing") is None
    assert find_minilm(write_model(tmp_path / "own")) == tmp_path / "own"
    assert find_minilm() == INSTALLED
