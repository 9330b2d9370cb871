"""A download is complete or leaves nothing that loads."""

import hashlib
from pathlib import Path

import pytest
from chromadb.utils.embedding_functions.onnx_mini_lm_l6_v2 import ONNXMiniLM_L6_V2

from ana.backends.chroma.minilm_files import fetch_minilm
from ana.embedders.minilm import MiniLmEmbeddings
from ana.embedders.minilm_folder import has_minilm
from ana.errors import ConfigError
from tests.embedders.loopback import Answer, loopback
from tests.embedders.tiny_onnx import archive, write_model


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """An archive of the tiny model that Chroma takes for the real one."""
    made = archive(write_model(tmp_path / "source"))
    monkeypatch.setattr(ONNXMiniLM_L6_V2, "_MODEL_SHA256", hashlib.sha256(made).hexdigest())
    monkeypatch.setattr("time.sleep", lambda _: None)
    return made


def serve_from(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(ONNXMiniLM_L6_V2, "MODEL_DOWNLOAD_URL", url)


def test_an_unreachable_server_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serve_from(monkeypatch, "http://127.0.0.1:9/onnx.tar.gz")
    target = tmp_path / "cache" / "onnx"
    with pytest.raises(ConfigError, match=r"could not be put into .* \(ConnectError") as caught:
        fetch_minilm(target)
    assert caught.value.hint == "Check the network and the disk and try again, or set ANA_EMBEDDINGS=wordllama."
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_is_fetched_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bytes) -> None:
    target = tmp_path / "cache" / "onnx"
    with loopback(lambda _: Answer(packed, kind="application/gzip")) as server:
        serve_from(monkeypatch, server.url)
        assert fetch_minilm(target) == target
        assert fetch_minilm(target) == target
    assert len(server.requests) == 1
    assert list((tmp_path / "cache").iterdir()) == [target]
    assert len(MiniLmEmbeddings(target).embed_query("milk")) == 384


def test_half_a_folder_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bytes) -> None:
    target = write_model(tmp_path / "cache" / "onnx")
    (target / "tokenizer.json").unlink()
    (target / "model.onnx").write_bytes(b"half")
    with loopback(lambda _: Answer(packed)) as server:
        serve_from(monkeypatch, server.url)
        fetch_minilm(target)
    assert len(MiniLmEmbeddings(target).embed_query("milk")) == 384


@pytest.mark.usefixtures("packed")
def test_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "cache" / "onnx"
    with loopback(lambda _: Answer(b"<html>log in first</html>")) as server:
        serve_from(monkeypatch, server.url)
        with pytest.raises(ConfigError, match="what the server sent is not the model"):
            fetch_minilm(target)
    assert not has_minilm(target)
    assert files(tmp_path / "cache") == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(ConfigError, match="could not be put into"):
        fetch_minilm(tmp_path / "cache" / "onnx")
