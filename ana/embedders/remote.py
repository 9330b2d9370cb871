"""Embedders behind OpenAI's protocol: the texts leave the machine, or go to Ollama."""

import threading
from typing import TYPE_CHECKING

import numpy as np
from pydantic import SecretStr

from ana.embedders.base import prepare_text, to_unit_vectors
from ana.errors import ConfigError, ModelFailed
from ana.network import find_client, wait_for
from ana.settings import OPENAI_URL, Settings
from ana.translation import _, mark_text

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings

RETRIES = 2
BATCH = 32
"""Texts in one request: OpenAI takes 300,000 tokens, that is 36 texts of the longest kind."""

SHORTEST = 1000
"""A refused text of more characters is halved and sent again."""

_ERROR = mark_text("The embeddings provider {name} answered with an error")
_BY_STATUS = mark_text(
    {
        401: "The embeddings provider {name} refused the key",
        404: "The embeddings provider {name} does not know the model {model}",
        429: "The embeddings provider {name} is busy or the quota is used up",
    }
)


class RemoteEmbeddings:
    """Embeddings of one model at one server; every vector has length 1, also of an empty text.

    The URL ends with /v1; the timeout is for one request, in seconds.
    """

    name: str
    dimension: int
    model: str
    hint: str
    """The person's next step when the server fails."""

    def __init__(self, url: str, key: SecretStr, timeout: float) -> None:
        self.url = url
        self._key = key
        self._timeout = timeout
        self._client: OpenAIEmbeddings | None = None
        self._loading = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One unit vector a text, in the order of the texts.

        Raises ModelFailed if the server cannot be reached, refuses, or sends an unreadable answer, ConfigError if the
        model's vectors have another dimension.
        """
        clean = [prepare_text(text) or " " for text in texts]  # the API refuses empty text
        batches = (clean[start : start + BATCH] for start in range(0, len(clean), BATCH))
        return [vector for batch in batches for vector in self._embed_batch(batch)]

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of one text; errors as of `embed_documents`."""
        return self.embed_documents([text])[0]

    def _embed_batch(self, texts: list[str]) -> list[list[float]]:
        from openai import OpenAIError

        try:
            rows = np.array(self._request(texts), dtype=np.float64)
            if rows.ndim != 2 or len(rows) != len(texts):
                raise ValueError(f"{len(texts)} texts, vectors of shape {rows.shape}")
        except (OpenAIError, TimeoutError, ValueError, TypeError, AttributeError, LookupError) as exc:
            raise ModelFailed(self._describe_error(exc), _(self.hint)) from exc
        if rows.shape[1] != self.dimension:
            raise ConfigError(
                f"The embedding model {self.model} sent vectors of {rows.shape[1]} dimensions, not {self.dimension}.",
                "Set ANA_EMBEDDINGS to another embedder, or name a server that has this model.",
            )
        return to_unit_vectors(rows)

    def _request(self, texts: list[str]) -> list[list[float]]:
        """The server's vectors. Tokens cannot be counted here, so a text with too many is found by its refusal;
        it is then shortened alone, so that its vector does not depend on its neighbours."""
        from openai import BadRequestError

        try:
            model = self._get_model()
            return wait_for(lambda: model.aembed_documents(texts))
        except BadRequestError:
            if len(texts) > 1:
                return [self._request([text])[0] for text in texts]
            if len(texts[0]) <= SHORTEST:
                raise
            return self._request([texts[0][: len(texts[0]) // 2]])

    def _describe_error(self, exc: Exception) -> str:
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        if isinstance(exc, APIStatusError):
            reason = _(_BY_STATUS.get(exc.status_code, _ERROR)).format(name=self.name, model=self.model)
            return f"{reason} ({exc.status_code})."
        if isinstance(exc, APITimeoutError | TimeoutError):
            says = _("The embeddings provider {name} did not answer in time.")
        elif isinstance(exc, APIConnectionError):
            says = _("The embeddings provider {name} could not be reached.")
        else:
            says = _("The embeddings provider {name} sent a reply that could not be read ({error}).")
        return says.format(name=self.name, error=type(exc).__name__)

    def _get_model(self) -> "OpenAIEmbeddings":
        with self._loading:
            if self._client is None:
                from langchain_openai import OpenAIEmbeddings

                self._client = OpenAIEmbeddings(
                    model=self.model,
                    api_key=self._key,
                    base_url=self.url,
                    timeout=self._timeout,
                    max_retries=RETRIES,
                    # counting tokens would download their table
                    check_embedding_ctx_length=False,
                    # base64, the default, is not known to every compatible server
                    model_kwargs={"encoding_format": "float"},
                    http_async_client=find_client(),
                )
            return self._client


class OpenAiEmbeddings(RemoteEmbeddings):
    """OpenAI's text-embedding-3-small, 1536 dimensions, at OPENAI_BASE_URL; ConfigError without OPENAI_API_KEY."""

    name = "openai"
    dimension = 1536
    model = "text-embedding-3-small"
    hint = mark_text("Check OPENAI_API_KEY, OPENAI_BASE_URL and the network, then try again.")

    def __init__(self, settings: Settings) -> None:
        if settings.openai_api_key is None:
            raise ConfigError(
                "The embeddings are openai, but OPENAI_API_KEY is not set.",
                "Set OPENAI_API_KEY in .env, or set ANA_EMBEDDINGS=wordllama and run `ana reindex`.",
            )
        super().__init__(settings.openai_base_url or OPENAI_URL, settings.openai_api_key, settings.ana_turn_seconds)


class OllamaEmbeddings(RemoteEmbeddings):
    """nomic-embed-text, 768 dimensions, at OLLAMA_HOST."""

    name = "ollama"
    dimension = 768
    model = "nomic-embed-text"
    hint = mark_text("Start Ollama, check OLLAMA_HOST, run `ollama pull nomic-embed-text` once, then try again.")

    def __init__(self, settings: Settings) -> None:
        # Ollama asks for no key, the client for one that is not empty
        super().__init__(settings.ollama_host.rstrip("/") + "/v1", SecretStr("ollama"), settings.ana_turn_seconds)
