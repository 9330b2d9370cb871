"""Places of files that no setting names: in the checkout, in the system's folders for a person, or in one folder."""

from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
"""The folder that the packages are in: the checkout, or that of everything that is installed."""


@dataclass(frozen=True)
class Places:
    """Places of files that no setting names."""

    base: Path
    """Where relative paths start."""
    env_file: Path
    data: Path
    log: Path


def is_checkout() -> bool:
    """Return whether the packages are in their checkout, whose pyproject.toml lies beside them."""
    file = PROJECT / "pyproject.toml"
    return file.is_file() and '\nname = "ana-assistant"\n' in file.read_text(encoding="utf-8")


_folder: Path | None = None


def move_places(folder: Path) -> None:
    """Make this process keep all files that no setting names in one folder, from now on."""
    global _folder
    _folder = folder


def find_places() -> Places:
    """Return the default places of files: in the checkout; of an installed ana, in the person's system folders."""
    if _folder:
        return Places(_folder, _folder / ".env", _folder / "data", _folder / "ana.log")
    if is_checkout():
        return Places(PROJECT, PROJECT / ".env", PROJECT / ".data", PROJECT / "logs" / "ana.log")
    from platformdirs import PlatformDirs

    base = (system := PlatformDirs("ana", appauthor=False)).user_data_path
    return Places(base, system.user_config_path / ".env", base / "data", system.user_log_path / "ana.log")
