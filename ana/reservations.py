"""Money that calls which run now may cost: a file for each, which its holder has locked.

The system lets go of the lock with the process, however that ends, so that nothing is reserved by who is gone.
"""

import json
import math
import os
import secrets
from io import FileIO
from pathlib import Path

from filelock import lock_descriptor

from ana.files import open_own

PATTERN = "spending.*.reserved"


class Reservation:
    """An amount that is reserved until it is released. Make one only while nobody else looks what is reserved.

    Args:
        folder: Where it is seen.
        usd: The amount.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, folder: Path, usd: float) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path = folder / PATTERN.replace("*", secrets.token_hex(4))
        self._file = FileIO(open_own(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w")
        lock_descriptor(self._file.fileno())
        self._file.write(json.dumps(usd).encode())

    def release(self) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)


def list_reserved(folder: Path) -> list[float]:
    """Return the amounts that are reserved, and remove what was left by processes that ended."""
    found = [_read_amount(path) for path in folder.glob(PATTERN) if not path.is_symlink()]
    return [amount for amount in found if amount is not None]


def _read_amount(path: Path) -> float | None:
    """Return a reserved amount, infinite if it cannot be read; None if its holder is gone."""
    try:
        with path.open("rb") as file:
            if lock_descriptor(file.fileno(), blocking=False):
                path.unlink(missing_ok=True)
                return None
            return float(file.read(100))
    except FileNotFoundError:  # released meanwhile
        return None
    except (OSError, ValueError):
        return math.inf
