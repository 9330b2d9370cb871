"""Writing settings into .env."""

import os
from collections.abc import Mapping
from pathlib import Path


def write_env_file(path: Path, values: Mapping[str, str]) -> None:
    """Set variables in a .env file that only its owner may read; every other line stays as it is.

    Args:
        path: The file; created if it is missing.
        values: Text by name. An empty text is written too, and counts as not set.
    """
    from dotenv import set_key

    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    path.chmod(0o600)  # it may be older than the first key in it
    for name, value in values.items():
        set_key(path, name, value, follow_symlinks=True)
