"""Values of properties that several items have: whoever says one of them has named none of the items."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ana.memory.backend import Backend
from ana.memory.search.tokens import fold_tag
from ana.values import Properties, iter_texts
from nodes.autonomy.message import Message
from nodes.autonomy.writes import Write


def mark_shared(writes: Sequence[Write], said: Message, backend: Backend) -> list[Write]:
    """Return the writes of a batch with those values of their properties that the message has and other items have too.

    Items that the batch is about to make count as well, whether the model stores them before it destroys or after.
    """
    counts = _Counts(writes, backend)
    return [replace(write, shared=frozenset(counts.find_shared(write, said))) for write in writes]


class _Counts:
    """How many items have a value, of the store and of the batch; the store is asked only for what a message says.

    Args:
        writes: The batch.
        backend: The store.
    """

    def __init__(self, writes: Sequence[Write], backend: Backend) -> None:
        self._backend = backend
        made = (write for write in writes if write.name == "create_item")
        self._made = Counter(value for write in made for value in _fold_all(write.given))
        self._stored: dict[str, Counter[str]] = {}

    def find_shared(self, write: Write, said: Message) -> Iterator[str]:
        """Yield the values of a write that the message has and other items have too."""
        own = _fold_all(write.given if write.name == "create_item" else write.before)
        for key, text in (*_iter_values(write.given), *_iter_values(write.before)):
            if said.mentions(text) and self._count(key, fold_tag(text)) > ((key, fold_tag(text)) in own):
                yield text

    def _count(self, key: str, folded: str) -> int:
        return self._count_stored(key)[folded] + self._made[key, folded]

    def _count_stored(self, key: str) -> Counter[str]:
        if key not in self._stored:
            counted = Counter[str]()
            for value, count in self._backend.list_values(key):
                if isinstance(value, str):
                    counted[fold_tag(value)] += count
            self._stored[key] = counted
        return self._stored[key]


def _iter_values(properties: Properties) -> Iterator[tuple[str, str]]:
    for key, value in properties.items():
        yield from ((key, text) for text in iter_texts(value))


def _fold_all(properties: Properties) -> set[tuple[str, str]]:
    return {(key, fold_tag(text)) for key, text in _iter_values(properties)}
