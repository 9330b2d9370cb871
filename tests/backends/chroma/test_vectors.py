"""Many texts are embedded in batches; a run that was killed leaves its vectors, and the next makes only the rest."""

from pathlib import Path

import pytest

from ana.embedders.known import BATCH, NAME, embed_many
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.time.clock import Clock
from ana.transfer.bundle import Bundle
from ana.transfer.importer import import_bundle
from tests.backends.chroma.care.test_reindex import Letters
from tests.chroma import chroma_of, open_memory, upkeep_of
from tests.conftest import EMBEDDER
from tests.forks import start_forked

STAMP = "2026-01-07T08:00:00.000000+00:00"
ITEMS = [Item(f"many{n:04}", f"thing number {n}", {}, STAMP, STAMP) for n in range(2 * BATCH + 50)]


class Counting(Letters):
    """Keeps what it embedded."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.seen += texts
        return super().embed_documents(texts)


def ignore(*_: int) -> None:
    pass


RUN = """
    import sys
    from pathlib import Path
    from ana.time.clock import Clock, local_zone
    from ana.transfer.bundle import Bundle
    from ana.transfer.importer import import_bundle
    from tests.backends.chroma.test_vectors import BATCH, ITEMS, Counting
    from tests.chroma import chroma_of, open_memory, upkeep_of

    def show(done, total):
        if done == 2 * BATCH:
            print(done, flush=True)
            sys.stdin.read()

    memory = open_memory(Path(sys.argv[1]), Counting(), Clock(local_zone("UTC")))
    chroma_of(memory).progress = show
    if sys.argv[2] == "import":
        import_bundle(memory, Bundle(items=ITEMS))
    else:
        upkeep_of(memory).reindex(show)
"""


def run_and_kill(path: Path, doing: str) -> None:
    """Import or embed again, and kill -9 when two batches are made."""
    with start_forked("-c", RUN, str(path), doing) as (_, _, told):
        assert told.readline() == f"{2 * BATCH}\n"


def texts_of(memory: Memory) -> list[str]:
    return sorted(item.content for item in memory.items())


def test_an_import_that_was_killed_goes_on_with_the_rest(tmp_path: Path, clock: Clock) -> None:
    run_and_kill(tmp_path, "import")
    embedder = Counting()
    memory = open_memory(tmp_path, embedder, clock)
    assert texts_of(memory) == [], "all of it or nothing"
    assert import_bundle(memory, Bundle(items=ITEMS)).new == len(ITEMS)
    assert len(embedder.seen) == len(ITEMS) - 2 * BATCH
    assert import_bundle(memory, Bundle(items=ITEMS)).unchanged == len(ITEMS)
    assert texts_of(memory) == sorted(item.content for item in ITEMS)
    memory.close()
    assert not (tmp_path / NAME).exists()


def test_embedding_again_that_was_killed_goes_on_with_the_rest(tmp_path: Path, clock: Clock) -> None:
    old = open_memory(tmp_path, EMBEDDER, clock)
    chroma_of(old).fill(ITEMS)
    old.close()
    run_and_kill(tmp_path, "reindex")
    embedder = Counting()
    memory = open_memory(tmp_path, embedder, clock)
    assert upkeep_of(memory).reindex(ignore) == len(ITEMS)
    assert len(embedder.seen) == len(ITEMS) - 2 * BATCH
    assert texts_of(memory) == sorted(item.content for item in ITEMS)
    memory.close()
    assert not (tmp_path / NAME).exists()


def test_another_embedder_uses_none_of_what_is_kept(tmp_path: Path) -> None:
    embed_many(tmp_path, EMBEDDER, ["milk"], ignore)
    assert len(embed_many(tmp_path, Counting(), ["milk"], ignore)["milk"]) == Letters.dimension


def test_a_purge_forgets_what_is_kept_and_no_text_is_in_it(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    id = memory.create("the secret recipe").id
    memory.delete(id)
    embed_many(tmp_path, EMBEDDER, ["the secret recipe"], ignore)
    assert b"secret" not in (tmp_path / NAME).read_bytes()
    memory.backend.erase([("item", id)])
    memory.close()
    assert not (tmp_path / NAME).exists()


def test_a_damaged_file_of_kept_vectors_is_made_again(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"not a database, and long enough to be seen as one" * 100)
    assert embed_many(tmp_path, EMBEDDER, ["milk"], ignore).keys() == {"milk"}


def test_the_progress_is_told_batch_by_batch(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    embed_many(tmp_path, Letters(), [item.content for item in ITEMS], lambda *each: told.append(each))
    assert told == [(BATCH, 250), (2 * BATCH, 250), (250, 250)]


@pytest.mark.parametrize("text", ["", "\ud800"])
def test_any_text_can_be_kept(tmp_path: Path, text: str) -> None:
    for _ in range(2):
        assert embed_many(tmp_path, EMBEDDER, [text], ignore)[text].shape == (256,)
