"""`make sizes`: how large the environments of running, testing and serving are, written into docs/figures.md."""

import subprocess
import tempfile
import time
from pathlib import Path

from ana.settings import PROJECT
from evals.pages import draw_table, replace_parts

PAGE = PROJECT / "docs" / "figures.md"
ENVIRONMENTS = {
    "make chat": (".ready", ".encoder"),
    "make dev": (".server", ".encoder"),
    "make test": (".develop", ".encoder"),
}
"""Each command with the stamps of what it installs."""


def install(stamps: tuple[str, ...], folder: Path) -> float:
    """Install an environment as the Makefile does; return the seconds that it took.

    Args:
        stamps: The stamps that the Makefile is asked for.
        folder: Where the environment is made.
    """
    begun = time.monotonic()
    targets = [str(folder / stamp) for stamp in stamps]
    subprocess.run(["make", "--silent", f"VENV={folder}", *targets], cwd=PROJECT, check=True)
    return time.monotonic() - begun


def measure_folder(folder: Path) -> float:
    """Return how large the files in a folder are, in MB."""
    files = (path.lstat() for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(file.st_size for file in files) / 1e6


def measure_download(folder: Path) -> float:
    """Fetch once more what an environment was installed from; return how large that is, in MB.

    Args:
        folder: The environment.
    """
    pip = [str(folder / "bin" / "pip"), "--disable-pip-version-check"]
    frozen = subprocess.run([*pip, "freeze", "--exclude-editable"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as name:
        pins, files = Path(name) / "pins.txt", Path(name) / "files"
        pins.write_text(frozen, encoding="utf-8")
        subprocess.run([*pip, "download", "--quiet", "--no-deps", "-d", str(files), "-r", str(pins)], check=True)
        return measure_folder(files)


def render_sizes() -> str:
    """Return a table of the environments."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for number, (command, stamps) in enumerate(ENVIRONMENTS.items()):
            folder = Path(name) / str(number)
            seconds = install(stamps, folder)
            size, download = measure_folder(folder), measure_download(folder)
            rows.append((f"`{command}`", f"{size:.0f} MB", f"{download:.0f} MB", f"{seconds:.0f} s"))
    return draw_table(("environment", "size", "download", "installed in"), rows)


def main() -> None:
    PAGE.write_text(replace_parts(PAGE, {"sizes": render_sizes()}), encoding="utf-8")


if __name__ == "__main__":
    main()
