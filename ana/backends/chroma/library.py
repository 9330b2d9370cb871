"""Chroma's library, imported without what it would read in the current folder."""

import sys
import threading
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

_loading = threading.Lock()


def load_chromadb() -> None:
    """Import chromadb; to be called before anything of it is imported.

    Its settings are also read from a file .env in the current folder, already when it is imported: the names of classes
    to run, and of a server to send everything to. ana's own settings say what it is told, so its class of settings,
    which can be imported alone, is told to read no file before the rest of it is.
    """
    with _loading:
        if "chromadb" in sys.modules:
            return
        spec, alone = find_spec("chromadb"), ModuleType("chromadb")
        assert spec is not None
        alone.__path__ = list(spec.submodule_search_locations or ())
        sys.modules["chromadb"] = alone
        try:
            config = import_module("chromadb.config")
            config.Settings.model_config["env_file"] = None
        finally:
            del sys.modules["chromadb"]
        vars(import_module("chromadb"))["config"] = config  # as if it had imported that itself
