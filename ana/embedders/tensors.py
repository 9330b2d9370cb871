"""The tensors of a file in the format of safetensors, mapped: only what is used takes memory, shared by processes.

The library of this name copies all of them, which made `ana chat` 75 MB larger.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I64": np.dtype("<i8")}


def map_tensors(file: Path) -> dict[str, NDArray[Any]]:
    """Return the tensors of a file by name, read-only.

    Raises:
        OSError: It cannot be read.
        ValueError: It is damaged, or no file of this format.
    """
    whole = np.memmap(file, np.uint8, "r")
    begin = 8 + int.from_bytes(whole[:8].tobytes(), "little")
    header = json.loads(whole[8:begin].tobytes())
    try:
        return {name: _view(whole[begin:], each) for name, each in header.items() if name != "__metadata__"}
    except (AttributeError, KeyError, TypeError) as exc:
        raise ValueError(f"{file.name} has no header of safetensors") from exc


def _view(numbers: NDArray[np.uint8], described: dict[str, Any]) -> NDArray[Any]:
    first, last = described["data_offsets"]
    return np.asarray(numbers[first:last]).view(_TYPES[described["dtype"]]).reshape(described["shape"])
