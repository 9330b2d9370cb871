"""What a prompt was rendered from is handed to our own models only; providers are sent the text."""

import json
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from ana.models.base import PROMPT_DATA
from ana.models.offline.reader import reply
from app.turn import open_assistant
from nodes.reason import make_system_message
from tests.conftest import THREAD
from tests.openai_stub import DIALECTS, Dialect, Said, openai_stub
from tests.opened import open_in


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("mode", ["0", "1"])
def test_no_provider_is_sent_it(tmp_path: Path, dialect: Dialect, mode: str) -> None:
    with (
        openai_stub(Said('{"final": {"answer": "Hello."}}'), dialect=dialect) as server,
        open_assistant(open_in(tmp_path, **server.env, USE_TOOL_CALLS=mode)) as assistant,
    ):
        assistant.handles.memory.append_line("Works in Berlin")
        assistant.ask("hello", THREAD)
    (request,) = server.requests
    assert PROMPT_DATA not in json.dumps(request)
    assert request["messages"][0].keys() == {"role", "content"}
    assert json.dumps(request).count("Works in Berlin") == 1


def test_the_offline_reader_reads_it_and_not_the_text() -> None:
    message = make_system_message({"now": "Wednesday 2026-01-07 09:00, Europe/Berlin", "vocabulary": "", "lines": {}})
    message.content = "Any text at all.\nThursday 2026-02-05 09:00"
    question = HumanMessage("buy milk tomorrow")
    (call,) = reply([message, question]).tool_calls
    assert call["args"]["properties"]["due_date"] == "2026-01-08"
    assert reply([SystemMessage("## Now\nWednesday 2026-01-07 09:00"), question]).text.startswith("I was")
