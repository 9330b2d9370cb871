"""Order kept, empty text carried, long text shortened; whatever the server does ends in one sentence."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from ana.embedders import EMBEDDED
from ana.embedders.remote import OllamaEmbeddings, OpenAiEmbeddings
from ana.errors import ConfigError, ModelFailed
from ana.settings import load_settings
from tests.embedders.loopback import Answer, Request, loopback


def openai(url: str) -> OpenAiEmbeddings:
    return OpenAiEmbeddings(load_settings({"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": url + "/v1"}))


def ollama(url: str) -> OllamaEmbeddings:
    return OllamaEmbeddings(load_settings({"OLLAMA_HOST": url + "/"}))


def vector(text: str, dimension: int) -> list[float]:
    """A vector that says which text it is of: long, and turned by the text's length."""
    return [5.0 * np.cos(len(text)), 5.0 * np.sin(len(text)), *[0.0] * (dimension - 2)]


def embeds(dimension: int, most: int = 10**9) -> Callable[[Request], Answer]:
    """Answers as the real servers do: refuses an empty text and one longer than `most` characters."""

    def answer(request: Request) -> Answer:
        texts = json.loads(request.body)["input"]
        if not all(0 < len(text) <= most for text in texts):
            return Answer(b'{"error": {"message": "invalid input"}}', 400)
        data = [{"index": n, "embedding": vector(text, dimension)} for n, text in enumerate(texts)]
        return Answer(json.dumps({"object": "list", "model": "m", "data": data}).encode())

    return answer


def directions(vectors: list[list[float]]) -> list[float]:
    return [v[0] for v in vectors]


def test_openai_is_asked_for_its_model_with_the_key() -> None:
    with loopback(embeds(1536)) as server:
        assert len(openai(server.url).embed_query("milk")) == 1536
    asked = server.requests[0]
    assert (asked.path, asked.authorization) == ("/v1/embeddings", "Bearer sk-test")
    assert json.loads(asked.body) == {
        "model": "text-embedding-3-small",
        "input": ["milk"],
        "encoding_format": "float",
    }


def test_ollama_is_asked_for_its_model() -> None:
    with loopback(embeds(768)) as server:
        assert len(ollama(server.url).embed_query("milk")) == 768
    assert server.requests[0].path == "/v1/embeddings"
    assert json.loads(server.requests[0].body)["model"] == "nomic-embed-text"


def test_order_is_kept_over_several_requests() -> None:
    texts = ["x" * (1 + n * 37 % 101) for n in range(70)]
    with loopback(embeds(768)) as server:
        vectors = ollama(server.url).embed_documents(texts)
    assert directions(vectors) == pytest.approx([np.cos(len(text)) for text in texts], abs=1e-6)
    assert [len(json.loads(request.body)["input"]) for request in server.requests] == [32, 32, 6]


def test_vectors_have_length_one_also_of_empty_and_odd_text() -> None:
    with loopback(embeds(768)) as server:
        vectors = ollama(server.url).embed_documents(["milk", "", "\ud800"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0] * 3)


def test_nothing_asks_nothing() -> None:
    with loopback(embeds(768)) as server:
        assert ollama(server.url).embed_documents([]) == []
    assert server.requests == []


def test_a_text_is_cut_where_every_embedder_cuts_it() -> None:
    with loopback(embeds(768)) as server:
        ollama(server.url).embed_query("x" * (EMBEDDED + 5))
    assert len(json.loads(server.requests[0].body)["input"][0]) == EMBEDDED


def test_a_text_of_too_many_tokens_is_shortened_and_its_neighbours_are_not() -> None:
    texts = ["milk", "x" * 9000, "bread!"]
    with loopback(embeds(768, most=3000)) as server:
        vectors = ollama(server.url).embed_documents(texts)
    assert directions(vectors) == pytest.approx([np.cos(4), np.cos(2250), np.cos(6)], abs=1e-6)


@pytest.mark.parametrize(
    ("status", "says"),
    [(400, "answered with an error"), (401, "refused the key"), (404, "does not know the model nomic-embed-text")],
)
def test_a_refusal_is_one_sentence(status: int, says: str) -> None:
    with (
        loopback(lambda _: Answer(b'{"error": {"message": "no"}}', status)) as server,
        pytest.raises(ModelFailed) as caught,
    ):
        ollama(server.url).embed_query("milk")
    assert caught.value.message == f"The embeddings provider ollama {says} ({status})."
    assert "ollama pull nomic-embed-text" in caught.value.hint


def test_a_server_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(ModelFailed, match=r"^The embeddings provider openai could not be reached\. Check ") as caught:
        openai("http://127.0.0.1:9").embed_query("milk")
    assert caught.value.hint == "Check OPENAI_API_KEY, OPENAI_BASE_URL and the network, then try again."


@pytest.mark.parametrize(
    "reply",
    [
        Answer(b"<html>log in</html>", kind="text/html"),
        Answer(b"<html>log in</html>"),
        Answer(b"{}"),
        Answer(b"[]"),
        Answer(b"null"),
        Answer(b'{"data": []}'),
        Answer(b'{"data": [{"embedding": null}]}'),
        Answer(b'{"data": [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}]}'),
    ],
)
def test_a_reply_that_is_no_vectors_is_one_sentence(reply: Answer) -> None:
    with loopback(lambda _: reply) as server, pytest.raises(ModelFailed, match="sent a reply that could not be read"):
        openai(server.url).embed_query("milk")


def test_another_dimension_is_the_operators_to_mend() -> None:
    with loopback(embeds(768)) as server, pytest.raises(ConfigError) as caught:
        openai(server.url).embed_query("milk")
    assert caught.value.message == (
        "The embedding model text-embedding-3-small sent vectors of 768 dimensions, not 1536."
    )
