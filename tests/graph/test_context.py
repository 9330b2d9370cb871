"""The options of a run: each is checked, each does what it says, and none outlasts its run."""

from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import TypeAdapter

from ana.errors import UserError
from ana.handles import Handles
from ana.models.scripted import calls
from graph.builder import builder
from graph.context import Context, LocalContext
from tests.openai_stub import OLLAMA, Said, Stub, openai_stub
from tests.opened import open_in

WRONG: list[tuple[str, Any]] = [
    ("model", 7),
    ("model", "x" * 201),
    ("temperature", -0.1),
    ("temperature", 2.1),
    ("temperature", "0.5"),
    ("temperature", float("nan")),
    ("temperature", True),
    ("max_steps", 0),
    ("max_steps", 101),
    ("max_steps", 2.5),
    ("max_steps", True),
    ("autonomy", "bold"),
    ("autonomy", ["act"]),
    ("check", "on"),
    ("check", True),
    ("timezone", "Mars/Base"),
    ("timezone", "../../etc/passwd"),
    ("timezone", 7),
    ("timezone", "x" * 100),
    ("stream_drafts", "yes"),
    ("stream_drafts", None),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_an_option_that_makes_no_sense_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(UserError, match=f"^{name} is ") as refused:
        Context(**{name: value})
    form = TypeAdapter(Context).json_schema()["properties"]
    assert refused.value.hint in (form[name]["description"], "Give an IANA zone such as Europe/Berlin.")
    assert len(refused.value.message) < 80


def test_the_form_tells_the_bounds_that_are_checked() -> None:
    form = TypeAdapter(Context).json_schema()["properties"]
    fields = [(name, form[name]) for name in ("temperature", "max_steps")]
    bounds = {name: (field["anyOf"][0]["minimum"], field["anyOf"][0]["maximum"]) for name, field in fields}
    assert bounds == {"temperature": (0, 2), "max_steps": (1, 100)}
    assert [Context(temperature=t).temperature for t in bounds["temperature"]] == [0, 2]
    assert [Context(max_steps=n).max_steps for n in bounds["max_steps"]] == [1, 100]
    assert form["check"]["anyOf"][0]["enum"] == ["off", "model"]
    assert "ANA_CHECK" in form["check"]["description"]


def test_empty_fields_mean_what_was_set_up() -> None:
    assert Context(model=" ", temperature=None, max_steps=None).model_options() == {}


def handles_for(folder: Path, stub: Stub) -> Handles:
    return open_in(folder, OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=stub.url, OPENAI_MODEL="one")


def ask(handles: Handles, **options: Any) -> dict[str, Any]:
    given: Any = {"messages": [HumanMessage("hello")]}
    context = LocalContext(opened=handles, **options)
    return dict(builder.compile().invoke(given, context=context, output_keys=["turn", "messages"]))


def test_another_model_answers_on_the_same_client_and_the_record_says_so(tmp_path: Path) -> None:
    with openai_stub(Said("Hello.")) as stub:
        handles = handles_for(tmp_path, stub)
        ask(handles, model=" two ", temperature=0.5)
        ask(handles)
        assert [(r["model"], r["temperature"]) for r in stub.requests] == [("two", 0.5), ("one", 0.0)]
    assert [record["model"] for record in handles.traces.read("none")] == ["two", "one"]


def test_a_model_without_tool_calls_does_not_speak_for_another(tmp_path: Path) -> None:
    def reply(request: dict[str, Any]) -> Said:
        if request["model"] == "two":
            return OLLAMA if "tools" in request else Said('{"final": "Hello."}')
        return Said("Hello.")

    with openai_stub(reply) as stub:
        handles = handles_for(tmp_path, stub)
        for model in ("two", "two", "one"):
            assert ask(handles, model=model)["turn"]["answer"] == "Hello."
        assert [(r["model"], "tools" in r) for r in stub.requests] == [
            ("two", True),
            ("two", False),
            ("two", False),
            ("one", True),
        ]


def test_the_offline_reader_has_no_other_model(tmp_path: Path) -> None:
    handles = open_in(tmp_path)
    with pytest.raises(UserError, match="no model 'two'"):
        ask(handles, model="two")
    assert ask(handles, temperature=0.5)["turn"]["error"] is None


@pytest.mark.parametrize(("shown", "ids"), [(True, {"1"}), (False, set[str]())])
def test_drafts_are_shown_to_listeners_unless_they_are_kept_back(tmp_path: Path, shown: bool, ids: set[str]) -> None:
    events: list[dict[str, Any]] = []
    with openai_stub(Said("Hello there.")) as stub:
        context = LocalContext(stream_drafts=shown, opened=handles_for(tmp_path, stub), on_event=events.append)
        given: Any = {"messages": [HumanMessage("hello", id="q")]}
        parts = list(builder.compile().stream(given, context=context, stream_mode="messages"))
    assert {event["id"].partition("-")[2] for event in events} == ids
    chunks = [message for message, _ in parts if isinstance(message, AIMessageChunk)]
    assert {str(chunk.id).partition("-")[2] for chunk in chunks} == ids


def test_the_zone_of_a_client_is_where_the_person_is_until_another_names_one(tmp_path: Path) -> None:
    asked = calls(("create_item", {"content": "Dentist", "properties": {"due_date": "2040-12-09T15:00"}}))
    handles = open_in(tmp_path, asked, "Kept.", "In Tokyo.", "Still there.", ANA_TIMEZONE="Europe/Berlin")
    graph, config = builder.compile(InMemorySaver()), {"configurable": {"thread_id": "a"}}

    def say(text: str, zone: str | None = None) -> str:
        graph.invoke(
            {"messages": [HumanMessage(text)]},
            cast(RunnableConfig, config),
            context=LocalContext(opened=handles, timezone=zone),
        )
        return handles.clock.zone_name

    assert say("dentist on 9 December 2040 at 3") == "Europe/Berlin"
    assert say("where am I?", "Asia/Tokyo") == "Asia/Tokyo"
    assert handles.workspace.make_clock().zone_name == "Asia/Tokyo", "by another program, too"
    (dentist,) = handles.memory.items()
    assert (dentist.zone, dentist.properties["due_date"]) == ("Europe/Berlin", "2040-12-09T15:00")
    assert say("and now?") == "Asia/Tokyo"
