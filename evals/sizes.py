"""`make sizes`: how large the environments of running, testing and serving are, written into docs/figures.md."""

import subprocess
import tempfile
import time
from pathlib import Path

from ana.settings import PROJECT
from evals.pages import replace_parts

PAGE = PROJECT / "docs" / "figures.md"
ENVIRONMENTS = {
    "make chat": (".ready", ".encoder"),
    "make dev": (".server", ".encoder"),
    "make test": (".develop", ".encoder"),
}
"""Each command with the stamps of what it installs."""


def measure_environment(stamps: tuple[str, ...], folder: Path) -> tuple[int, float]:
    """Install an environment as the Makefile does; return its megabytes, and the seconds that it took.

    Args:
        stamps: The stamps that the Makefile is asked for.
        folder: Where the environment is made.
    """
    begun = time.monotonic()
    targets = [str(folder / stamp) for stamp in stamps]
    subprocess.run(["make", "--silent", f"VENV={folder}", *targets], cwd=PROJECT, check=True)
    seconds = time.monotonic() - begun
    files = (path.lstat() for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return round(sum(file.st_size for file in files) / 1e6), seconds


def render_sizes() -> str:
    """Return a table of the environments."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for number, (command, stamps) in enumerate(ENVIRONMENTS.items()):
            size, seconds = measure_environment(stamps, Path(name) / str(number))
            rows.append(f"| `{command}` | {size} MB | {seconds:.0f} s |")
    return "\n".join(["| environment | size | installed in |", "| --- | --- | --- |", *rows])


def main() -> None:
    PAGE.write_text(replace_parts(PAGE, {"sizes": render_sizes()}), encoding="utf-8")


if __name__ == "__main__":
    main()
