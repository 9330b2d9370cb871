"""Embedders with the two methods of langchain's Embeddings. Models and libraries are loaded at the first text."""

from ana.embedders.base import EMBEDDED, Embedder
from ana.embedders.build import build_embedder
from ana.embedders.wordllama import WordLlamaEmbeddings

__all__ = ["EMBEDDED", "Embedder", "WordLlamaEmbeddings", "build_embedder"]
