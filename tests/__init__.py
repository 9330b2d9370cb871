from ana.backends.chroma.client import load_chromadb

load_chromadb()  # it cannot be imported without what this leaves out, and some tests import it themselves
