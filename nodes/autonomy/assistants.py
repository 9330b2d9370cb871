"""Weigh calls that come without a message of the person's: another assistant makes them, and what it was told is not
known. So nothing is named, and what was read may speak through it.
"""

from collections.abc import Iterator

from graph.state import Reason
from nodes.autonomy.effects import Effect
from nodes.autonomy.reasons import tell_always, tell_deletes, tell_hurry, tell_others
from nodes.autonomy.weigh import Asking, Batch, list_effects
from nodes.autonomy.writes import Write

MOST_A_MINUTE = 10
"""Records that another assistant may write in a minute without asking."""

WITH_OTHERS: tuple[Effect, ...] = ("changes", "loses", "teaches")


def weigh_call(batch: Batch, written: int) -> list[Asking]:
    """Return the writes of a batch that wait for a person, each with its reasons.

    Args:
        batch: Its view is the texts of others that were returned to the client within the last hour.
        written: How many records the client has written within the last minute.
    """
    weighed = [Asking(write, tuple(_find_reasons(write, batch, written))) for write in batch.writes]
    return [asking for asking in weighed if asking.reasons]


def _find_reasons(write: Write, batch: Batch, written: int) -> Iterator[Reason]:
    effects = list_effects(write, batch)
    if batch.dial == "advise" and effects:
        yield tell_always()
    if "deletes" in effects:
        yield tell_deletes()
    if batch.view:
        yield from (tell_others(effect, batch.view) for effect in WITH_OTHERS if effect in effects)
    if (count := written + len({change.key for change in write.changes})) > MOST_A_MINUTE:
        yield tell_hurry(count)
