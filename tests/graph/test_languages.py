"""A turn in a person's language: what people read of it, and not what a model reads."""

import json

from ana.backends.in_memory import InMemoryBackend
from ana.handles import open_handles
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings
from ana.workspace import open_workspace
from app.outcome import Waiting, expect_done
from tests.conftest import EMBEDDER, MakeAssistant

TASK = {"content": "Zahnarzt", "properties": {"type": "task", "status": "active", "due_date": "2026-12-04"}}


def test_receipts_and_requests_are_in_the_language_and_results_in_english(
    settings: Settings, make_assistant: MakeAssistant
) -> None:
    script = [calls(("create_item", TASK)), "Gut.", calls(("history", {})), "Gut.", calls(("undo", {})), "Gut."]
    german = settings.model_copy(update={"ana_language": "de"})
    backend = InMemoryBackend(EMBEDDER)
    model = ScriptedModel(replies=script)
    assistant = make_assistant(handles=open_handles(open_workspace(german), model=model, backend=backend))
    done = expect_done(assistant.ask("Zahnarzt am Freitag", "a"))
    assert str(done.receipt).startswith("- Gespeichert: “Zahnarzt” (Aufgabe, offen, fällig Fr., 4. Dez.")
    assistant.ask("Was hast du getan?", "a")
    found = json.dumps(assistant.handles.traces.read("a")[-1]["steps"][0]["observation"], ensure_ascii=False)
    assert "(task, active, due Fri 4 Dec" in found
    assistant.autonomy = "advise"
    waiting = assistant.ask("Nimm das zurück", "a")
    assert isinstance(waiting, Waiting)
    asked = waiting.request["action_requests"][0]["description"]
    assert asked == "Nimmt Getanes zurück. Löscht “Zahnarzt”.\nDu willst vor jeder Änderung gefragt werden."
    assert assistant.drop("a") == "Nicht getan: niemand hat zugestimmt, und die Anfrage wurde verworfen."
    assert str(assistant.handles.traces.read("a")[-1]["error"]).startswith("Not done:"), "what programs compare"
