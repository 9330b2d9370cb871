"""A whole assistant in the small world of evals/data/sentences, the same at the beginning of every sentence."""

from collections.abc import Iterable
from datetime import datetime

from langchain_core.messages import HumanMessage

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import Embedder, WordLlamaEmbeddings
from ana.memory.backend import RecordKey
from ana.memory.item import Item
from ana.models.providers import build_model
from ana.settings import load_settings
from ana.time.clock import Clock
from app.replay.play import PlayContext, play
from app.throwaway import make_throwaway
from evals.sentences.data import STAMP, ZONE, Sentence, load_life, make_items
from evals.sentences.judge import Outcome, judge

MOST_CALLS = 40


class World:
    """The small world, in which every sentence is the first.

    Args:
        embedder: Turns text into vectors.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        life = load_life()
        records: dict[RecordKey, Item] = {("item", item.id): item for item in make_items(life)}
        self._contents = {item.id: item.content for item in records.values()}
        for number, line in enumerate(life["context"]):
            records["line", str(number)] = Item(str(number), line, {}, STAMP, STAMP)
        self._clock = Clock(ZONE, lambda: datetime.fromisoformat(life["now"]))
        self._settings = load_settings({"LLM_PROVIDER": "offline", "ANA_TIMEZONE": str(ZONE)})
        self._model = build_model(self._settings)
        self._beginning = InMemoryBackend(embedder or WordLlamaEmbeddings())
        self._beginning.fill(records, [], len(records))
        self._backend = self._beginning.copy()

    def put(self, sentence: Sentence) -> Outcome:
        """Say a sentence to the assistant and judge what came of it."""
        if self._backend.entries():
            self._backend = self._beginning.copy()
        handles = make_throwaway(self._settings, self._model, self._backend, self._clock)
        # what it understands is judged, not what it asks about
        context = PlayContext(id=sentence.id, autonomy="act", max_steps=MOST_CALLS, check="off", opened=handles)
        record = play(context, sentence.id, HumanMessage(sentence.text, id=f"{sentence.id}-said"))
        return judge(sentence, record["steps"], record["answer"], self._contents)


def put_all(sentences: Iterable[Sentence]) -> list[Outcome]:
    """Say sentences, each for itself, and judge what came of each."""
    world = World()
    return [world.put(sentence) for sentence in sentences]
