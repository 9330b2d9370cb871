"""Results made of a person's words are kept with the person."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace

from ana.recent import Recent, keep_recent
from ana.settings import Settings
from ana.workspace import open_workspace


def test_each_person_has_results_of_their_own() -> None:
    made: list[str] = []

    @keep_recent(2)
    def shout(text: str) -> str:
        """Return a text in capitals."""
        made.append(text)
        return text.upper()

    mine, theirs = Recent(), Recent()
    for each in (mine, mine, theirs):
        with each.enter():
            assert shout("tea") == "TEA"
    assert made == ["tea", "tea"], "once for each"
    with mine.enter():
        for text in ("milk", "rice", "tea"):
            shout(text)
    assert made == ["tea", "tea", "milk", "rice", "tea"], "only the last two are kept"
    assert shout.__doc__ == "Return a text in capitals."


def test_they_are_kept_with_the_workspace_in_other_threads_too(settings: Settings) -> None:
    made: list[str] = []

    @keep_recent(8)
    def shout(text: str) -> str:
        made.append(text)
        return text.upper()

    workspace = open_workspace(settings)
    for each in (workspace, replace(workspace), workspace.change(ana_autonomy="act")):
        with each.recent.enter(), ThreadPoolExecutor(1) as pool:
            pool.submit(copy_context().run, shout, "tea").result()
    assert made == ["tea"]
    with open_workspace(settings, "eve").recent.enter():
        shout("tea")
    assert made == ["tea", "tea"]
