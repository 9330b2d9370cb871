"""A whole assistant with the offline reader."""

from collections.abc import Callable, Iterator

import pytest

from ana.handles import open_handles
from ana.models.offline.reader import OfflineReader
from ana.settings import Settings
from ana.workspace import open_workspace
from app.outcome import Done, expect_done
from app.turn import open_assistant

Ask = Callable[[str], Done]
THREAD = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def ask(settings: Settings) -> Iterator[Ask]:
    """Says something to the offline reader, in one conversation on an empty store."""
    with open_assistant(open_handles(open_workspace(settings), model=OfflineReader())) as assistant:
        yield lambda text: expect_done(assistant.ask(text, THREAD))
