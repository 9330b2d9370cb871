"""Tensors are read as safetensors writes them, and a file that is none is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file

from ana.embedders.tensors import map_tensors


def test_tensors_are_those_that_were_saved(tmp_path: Path) -> None:
    saved: dict[str, NDArray[Any]] = {
        "table": np.arange(12, dtype=np.float32).reshape(3, 4),
        "halves": np.array([0.5, -2.0], np.float16),
        "numbers": np.array([[2**40]], np.int64),
    }
    save_file(saved, tmp_path / "weights", {"format": "np"})
    mapped = map_tensors(tmp_path / "weights")
    assert mapped.keys() == saved.keys()
    for name, tensor in saved.items():
        assert mapped[name].dtype == tensor.dtype
        assert mapped[name].tolist() == tensor.tolist()
        assert not mapped[name].flags.writeable


def write(header: object, numbers: bytes = b"\0" * 8) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + numbers


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\xff" * 20,
        write([]),
        write({"a": 1}),
        write({"a": {"dtype": "F32", "shape": [2]}}),
        write({"a": {"dtype": "Q4", "shape": [2], "data_offsets": [0, 8]}}),
        write({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"\0" * 7),
        write({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"\0" * 4),
    ],
)
def test_a_damaged_file_is_refused(damaged: bytes, tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(damaged)
    with pytest.raises(ValueError):  # noqa: PT011  numpy and json have their own words
        map_tensors(tmp_path / "weights")
