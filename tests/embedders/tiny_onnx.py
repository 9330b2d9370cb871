"""A model small enough to compute by hand: each token's vector is its row in a table.

The file is ONNX, which is protobuf: fields of (number, wire type), so a few lines write it without the onnx package.
"""

import io
import tarfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

DIMENSION = 384
WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "milk", "bread", "dentist", "garden", "river"]
TABLE = np.random.default_rng(7).normal(size=(len(WORDS), DIMENSION)).astype(np.float32)
TABLE[0] = 1000.0
"""A padding token that is not masked spoils every mean."""

FLOAT, INT64 = 1, 7


def varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def field(number: int, value: int | str | bytes) -> bytes:
    """One protobuf field: an integer as varint, text and messages with their length before them."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def declared(name: str, kind: int, *shape: str | int) -> bytes:
    """A ValueInfoProto: a tensor's name, element type and shape."""
    dims = b"".join(field(1, field(1, d) if isinstance(d, int) else field(2, d)) for d in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims)))


def model_bytes(table: NDArray[np.float32] = TABLE) -> bytes:
    """last_hidden_state = table[input_ids]; attention_mask and token_type_ids are taken and not used."""
    dims = b"".join(field(1, size) for size in table.shape)
    tensor = dims + field(2, FLOAT) + field(8, "table") + field(9, table.tobytes())
    gather = field(1, "table") + field(1, "input_ids") + field(2, "last_hidden_state") + field(4, "Gather")
    graph = field(1, gather) + field(2, "tiny") + field(5, tensor)
    for name in ("input_ids", "attention_mask", "token_type_ids"):
        graph += field(11, declared(name, INT64, "batch", "length"))
    graph += field(12, declared("last_hidden_state", FLOAT, "batch", "length", table.shape[1]))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def tokenizer() -> Tokenizer:
    """Words at spaces, with [CLS] before and [SEP] after, as the real one has them."""
    made = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    return made


def write_model(folder: Path, table: NDArray[np.float32] = TABLE) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model_bytes(table))
    tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def archive(folder: Path) -> bytes:
    """The folder as Chroma's download has it: onnx.tar.gz with everything under onnx/."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        tar.add(folder, arcname="onnx")
    return packed.getvalue()
