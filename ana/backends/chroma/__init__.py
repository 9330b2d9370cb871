"""The Chroma backend: the one package that imports chromadb."""
