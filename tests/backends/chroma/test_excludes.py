"""Nothing of what excludes.txt leaves out of the environment is missed."""

import subprocess
import sys
from pathlib import Path

from ana.settings import PROJECT

MODULES = {
    "kubernetes": "kubernetes",
    "onnxruntime": "onnxruntime",
    "grpcio": "grpc",
    "opentelemetry-exporter-otlp-proto-grpc": "opentelemetry.exporter",
    "uvloop": "uvloop",
    "httptools": "httptools",
    "watchfiles": "watchfiles",
    "zstandard": "zstandard",
    "huggingface-hub": "huggingface_hub",
    "safetensors": "safetensors",
}
"""What each package that is left out is imported as."""

SCRIPT = """
import sys
from pathlib import Path

for name in sys.argv[2:]:
    sys.modules[name] = None  # an import of it fails, also where it is installed

from importlib import import_module

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.upkeep import Upkeep
from ana.embedders import WordLlamaEmbeddings
from ana.errors import DuplicateItem
from ana.memory.memory import Memory
from ana.time.clock import Clock
from zoneinfo import ZoneInfo

memory = Memory(ChromaBackend(Path(sys.argv[1]), WordLlamaEmbeddings()), Clock(ZoneInfo("UTC")))
key = memory.create("the spare key is in the blue tin").after
memory.create("water the ferns", {"due_date": "2026-01-13"})
memory.update(key.id, properties={"place": "cellar"})
Upkeep(memory.backend).reindex(lambda *_: None)
memory.backend.folder.in_doubt = True  # as after a crash: Chroma's files are checked, and rebuilt
(Path(sys.argv[1]) / "chroma" / "chroma.sqlite3").write_bytes(b"no database")

for name in ("app.server.app", "app.cli.serve", "app.mcp.server", "langsmith.client", "langchain_openai"):
    import_module(name)
print([item.id == key.id for item in memory.find("where is the key?").items], memory.count())
"""


def test_the_store_needs_nothing_that_is_left_out(tmp_path: Path) -> None:
    lines = (PROJECT / "excludes.txt").read_text().splitlines()
    left_out = {line for line in lines if line and not line.startswith("#")}
    assert left_out == set(MODULES)
    command = [sys.executable, "-P", "-W", "ignore", "-c", SCRIPT, str(tmp_path), *MODULES.values()]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[True, False] 2\n"), done.stderr
