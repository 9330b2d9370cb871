"""`make sizes`: how large the environments of running, testing and serving are, written into docs/figures.md."""

import re
import subprocess
import tempfile
import time
from importlib.metadata import Distribution, distributions
from pathlib import Path

from ana.settings import PROJECT
from evals.pages import draw_table, replace_parts

PAGE = PROJECT / "docs" / "figures.md"
CHAT = "make chat"
ENVIRONMENTS = {
    CHAT: (".ready", ".encoder"),
    "make dev": (".server", ".encoder"),
    "make test": (".develop", ".encoder"),
}
"""Each command with the stamps of what it installs."""
LARGEST = 10
"""How many packages are listed."""
NAMED = 4
"""How many importers of a package are named."""


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


def render_largest(folder: Path) -> str:
    """Return a table of an environment's largest packages, and of the packages whose code imports each."""
    [site_packages] = folder.glob("lib/python*/site-packages")
    sizes = {package.name: (_measure_package(package), package) for package in distributions(path=[str(site_packages)])}
    largest = sorted(sizes.items(), key=lambda item: item[1][0], reverse=True)[:LARGEST]
    rows = []
    for name, (size, package) in largest:
        importers = sorted(_find_importers(package, site_packages) - {name})
        more = f" and {len(importers) - NAMED} more" if len(importers) > NAMED else ""
        rows.append((f"`{name}`", f"{size:.0f} MB", ", ".join(importers[:NAMED]) + more or "nobody"))
    return draw_table(("package", "size", "imported by"), rows)


def _measure_package(package: Distribution) -> float:
    """Return how large the files of a package are, in MB, with what Python has compiled of them."""
    files = [Path(str(package.locate_file(file))) for file in package.files or ()]
    compiled = {file for path in files for file in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc")}
    return sum(file.stat().st_size for file in compiled.union(files) if file.is_file()) / 1e6


def _find_importers(package: Distribution, site_packages: Path) -> set[str]:
    """Return the names of the packages, and of ours, whose code has an import of a package."""
    modules = {file.parts[0] for file in package.files or () if file.suffix == ".py" and len(file.parts) > 1}
    importing = re.compile(rf"^\s*(?:import|from) (?:{'|'.join(map(re.escape, modules))})\b", re.MULTILINE)
    roots = [*site_packages.iterdir(), *(PROJECT / name for name in ("ana", "app", "tools"))]
    others = [root for root in roots if root.is_dir() and root.name not in modules]
    return {root.name for root in others if any(importing.search(_read(file)) for file in root.rglob("*.py"))}


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def render_sizes() -> dict[str, str]:
    """Return the parts of the page: a table of the environments, and one of the largest packages."""
    rows, parts = [], {}
    with tempfile.TemporaryDirectory() as name:
        for number, (command, stamps) in enumerate(ENVIRONMENTS.items()):
            folder = Path(name) / str(number)
            seconds = install(stamps, folder)
            size, download = measure_folder(folder), measure_download(folder)
            rows.append((f"`{command}`", f"{size:.0f} MB", f"{download:.0f} MB", f"{seconds:.0f} s"))
            if command == CHAT:
                parts["largest"] = render_largest(folder)
    return parts | {"sizes": draw_table(("environment", "size", "download", "installed in"), rows)}


def main() -> None:
    PAGE.write_text(replace_parts(PAGE, render_sizes()), encoding="utf-8")


if __name__ == "__main__":
    main()
