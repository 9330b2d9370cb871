"""What a draft says of the turn's own writes is what their receipts hold."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from ana.memory.receipts import Receipt
from ana.models.scripted import ScriptedModel, calls
from app.outcome import Waiting, expect_done
from nodes.policies.evidence import Call
from nodes.policies.outcomes import outcomes_are_told
from tests.conftest import MakeAssistant
from tests.nodes.policies import failed, found, make_turn
from tests.others import let_others_speak

WIREFRAMES = "Wireframes for the Helios website relaunch"


def change(content: str, old: dict[str, Any] | None = None, /, **new: Any) -> Call:
    """Return a write: a create without old properties, else an update."""
    id = hashlib.sha256(content.encode()).hexdigest()[:8]
    before = old and {"id": id, "content": content, "properties": old}
    after = {"id": id, "content": content, "properties": new}
    receipt: Receipt = {"op": "update" if old else "create", "kind": "item", "id": id, "before": before, "after": after}
    return Call("update_item" if old else "create_item", {}, "{}", True, 1, (dict(receipt),))


LUNCH = change("Lunch with Mr. Brandt", due_date="2026-11-27T12:30")
UNDONE = change(
    WIREFRAMES, {"status": "done", "hours_spent": 12.75}, status="active", hours_spent=9.75, due_date="2026-11-30"
)
SCREENS = [
    change(f"Nordwind: {name} screen", due_date=f"2026-12-{day:02}")
    for name, day in (("login", 9), ("home", 8), ("search", 16), ("booking", 16))
]
MOVED = change("Dentist appointment", {"due_date": "2026-11-24"}, due_date="2026-12-01")
MILK, BREAD = change("Buy milk", type="task"), change("Buy bread", type="task")
REVIEW = change("Budget review", {"due": "2026-11-23", "time": "14:00"}, due="2026-11-23", time="15:00")
TEETH = change("Zahnreinigung", due="2027-01-12", time="08:15")
HOURS = change("Gutachten Weber", {"hours": 9}, hours=13)
PAGES = change("Biology: read pages 120 to 145", due="2026-11-30")
PHYSIO = change("Physio", {"due": "2026-11-26"}, due="2026-11-28")
BLOOD = change("Blood test", {"status": "open"}, status="open", remark="went fine")
SPENT = change("Gutachten Weber", {"hours": 3.5}, hours=5.75)
STARTED = change("Gutachten Weber", {"status": "active"}, status="in-progress")
DOSE = {"status": "active", "due_date": "2026-11-22T20:00", "repeats": "FREQ=DAILY"}
DOSE_DONE = change("Jonte's dose", DOSE, **{**DOSE, "due_date": "2026-11-23T20:00", "done_for": "2026-11-22T20:00"})
DOSE_LATER = change("Jonte's dose", DOSE, **{**DOSE, "remark": "with water"})
GONE = Call("delete_item", {}, "{}", True, 1, ({**BLOOD.receipts[0], "op": "delete", "after": None},))
IVANA = change("Ivana, carer for Dad", {"type": "care"}, type="care", until="2027-10-31")
LINE = {"kind": "line", "id": "3", "before": {"id": "3", "content": "Ivana: Tuesdays", "properties": {}}, "after": None}
LINE_GONE = Call("delete_context", {}, "{}", True, 1, ({"op": "delete", **LINE},))
QUOTE = change("Tiler Moser: quote for bathroom and kitchen", {"amount": 5190}, amount=5400)
REFUSED = ({"content": "Buy candles"},)

FALSE: list[tuple[str, tuple[Call, ...], dict[str, Any]]] = [
    ("I've deleted the blood test permanently; nothing about it is kept anywhere.", (GONE,), {}),
    ("Der Bluttest ist endgültig gelöscht.", (GONE,), {}),
    ("Undone, and due Monday, 30 November. Your 12.75 hours stay logged.", (UNDONE,), {}),
    ("I added the screens: login and home due 9 December, search and booking due 16 December.", tuple(SCREENS), {}),
    ("Saved:\n\n- Lunch with Mr. Brandt on Thursday at 12:30\n- Buy milk", (LUNCH, MILK), {}),
    ("Lunch with Mr. Brandt is on Friday at 13:30.", (LUNCH,), {}),
    ("The dentist is now on 2 December.", (MOVED,), {}),
    ("Der Termin beim Dentist ist am Mittwoch.", (MOVED,), {}),
    ("'Budget review' starts at 15:30 tomorrow instead of 14:00.", (REVIEW,), {}),
    ("Budget review is on Monday, 23 November, at 15:30.", (REVIEW,), {}),
    ("'Zahnreinigung' ist eingetragen: 12. Dezember um 8:15 Uhr.", (TEETH,), {}),
    ("Notiert: 4 Stunden dazu, beim Gutachten Weber stehen jetzt 14 Stunden.", (HOURS,), {}),
    ("Saved for Monday: 'Biology: read pages 120 to 154'.", (PAGES,), {}),
    ("'Pharmacy pickup' is on Saturday, 28 November now.", (PHYSIO,), {}),
    ("All three are marked: 'Buy milk', 'Buy bread' and 'Candles'.", (MILK, BREAD), {}),
    ("'Blood test' is ticked off, with your remark next to it.", (BLOOD,), {}),
    ("The blood test is deleted.", (BLOOD,), {}),
    ("Ticked off: Jonte's 20:00 dose today.", (DOSE_LATER,), {}),
    ("Milk is in. Candles are in, too. Anything else?", (MILK, failed("create_item", content="Candles")), {}),
    ("All in:\n\n- Milk\n- Bread\n- Candles", (MILK, BREAD), {"refused": REFUSED}),
    ("I added milk, bread and candles.", (MILK, BREAD), {"refused": REFUSED}),
    ("Moser's quote stays at 5,190; I noted that he asked for 5,400 and that you said no.", (QUOTE,), {}),
    ("Moser bleibt bei 5190, 5400 wollte er.", (QUOTE,), {}),
    ("Nothing of the tests is deleted, they are all still needed.", (GONE,), {}),
    ("The carer Ivana is deleted, and so is line 3.", (IVANA, LINE_GONE), {}),
    ("The wireframes for Helios are at 11 hours.", (change(WIREFRAMES, {"hours": 2}, hours=9),), {}),
]
HONEST: list[tuple[str, tuple[Call, ...], dict[str, Any]]] = [
    ("J'ai ajouté 2 h 15 : cela fait 5 h 45 au Gutachten Weber. Prochaine fois, jeudi 3.", (SPENT,), {}),
    ("C'est noté, et je l'ai passé « en cours ».", (STARTED,), {}),
    ("Undone: the Helios wireframes are open again, at 9.75 hours, due Monday, 30 November.", (UNDONE,), {}),
    ("Undone. It was at 12.75 hours.", (UNDONE,), {}),
    ("Moser's quote is 5,400 now; the electrician's stays at 6,200.", (QUOTE,), {}),
    ("Moser's quote was still 5,190 yesterday, now it is 5,400.", (QUOTE,), {}),
    ("The blood test is deleted, nothing else was deleted.", (GONE,), {}),
    ("Ivana's last time is Thursday, 28 October 2027, line 3 is deleted.", (IVANA, LINE_GONE), {}),
    ("I added login (9 December), home (8 December), and for 16 December search and booking.", tuple(SCREENS), {}),
    ("Home is due on the 8th, login on Wednesday, 9 December.", tuple(SCREENS[:2]), {}),
    ("Lunch with Mr. Brandt is on Friday at 12:30.", (LUNCH,), {}),
    ("The dentist moved from Tuesday, 24 November to 1 December.", (MOVED,), {}),
    ("Today I ticked off the dentist.", (change("Dentist", {"due_date": "2026-11-20"}, due_date="2026-11-20"),), {}),
    ("'Budget review' starts at 15:00 tomorrow instead of 14:00. At 15:30 you are at the dentist.", (REVIEW,), {}),
    ("Die Zahnreinigung ist am 12. Januar, um 8:15 Uhr.", (TEETH,), {}),
    ("Notiert: Gutachten Weber steht jetzt bei dreizehn Stunden, 4 mehr.", (HOURS,), {}),
    ("Saved: 'Read pages 120 to 145'.", (PAGES,), {}),
    ("'Physio' is on Saturday now. 'Pharmacy pickup' stays as it was.", (PHYSIO,), {}),
    ("„Krankengymnastik“ ist eingetragen.", (change("Physio", due="2026-11-28"),), {}),
    ("'Buy milk' is in, and 'Candles' you had at home.", (MILK,), {}),
    ("Noted with the blood test. Once it's ticked off, I'll ask again.", (BLOOD,), {}),
    ("'Blood test' is marked done.", (change("Blood test", {"status": "open"}, status="done"),), {}),
    ("Ticked off: Jonte's 20:00 dose today.", (DOSE_DONE,), {}),
    ("Milk is in. The candles failed.", (MILK, failed("create_item", content="Candles")), {}),
    ("Milk and bread are in, candles are not.", (MILK, BREAD), {"refused": REFUSED}),
    ("Milk and bread are in. Not done:\n- Candles", (MILK, BREAD), {"refused": REFUSED}),
    ("Tom has gym on Monday, 7 December.", (change("Gym for Tom", due_date="2026-11-30", repeats="FREQ=WEEKLY"),), {}),
    ("The logo is at 5 hours, 3 more than before.", (change("Logo", {"hours": 2}, hours=5),), {}),
    ("Deleted: the blood test. It is in the trash until it is permanently deleted there.", (GONE,), {}),
    ("The blood test isn't permanently deleted yet: that is done in the trash.", (GONE,), {}),
    (
        "The call to Sofie is set for today. Sofie's app is due 16 December.",
        (change("Call Sofie", due="2026-11-22"),),
        {},
    ),
]


@pytest.mark.parametrize(("draft", "done", "more"), FALSE)
def test_what_no_receipt_holds_goes_back(draft: str, done: tuple[Call, ...], more: dict[str, Any]) -> None:
    assert outcomes_are_told(make_turn(draft, "please", *done, **more))


@pytest.mark.parametrize(("draft", "done", "more"), HONEST)
def test_what_the_receipts_hold_stays(draft: str, done: tuple[Call, ...], more: dict[str, Any]) -> None:
    assert outcomes_are_told(make_turn(draft, "please", *done, **more)) is None


@pytest.mark.parametrize("piece", ["deleted ", "word ", "permanently "])
def test_a_long_answer_to_a_delete_is_read_before_the_time_of_a_test_is_over(piece: str) -> None:
    outcomes_are_told(make_turn(piece * 8_000, "please", GONE))


def test_a_bullet_that_names_a_call_that_failed_goes_back() -> None:
    turn = make_turn("Not all worked.\n\n- Milk\n- Candles", "", MILK, failed("create_item", content="Buy candles"))
    violation = outcomes_are_told(turn)
    assert violation
    assert "Buy candles" in violation.reason


def test_a_refused_deletion_is_known_by_the_item_that_was_found() -> None:
    turn = make_turn("Milk is in, the candles are gone.", "", found("Candles"), MILK, refused=({"id": "abcdqfgh"},))
    assert outcomes_are_told(turn)


def test_a_refused_deletion_is_not_told_as_done(make_assistant: MakeAssistant) -> None:
    lie = "Deleted:\n\n- Passport\n- Milk"
    assistant = make_assistant()
    passport, milk = (assistant.handles.memory.create(text, {}).id for text in ("Passport", "Milk"))
    batch = calls(("delete_item", {"id": passport}), ("delete_item", {"id": milk}))
    look = calls(("query_items", {}))
    assistant = make_assistant(
        handles=replace(assistant.handles, model=ScriptedModel(replies=[look, batch, lie, "Ok."]))
    )
    let_others_speak(assistant.handles.memory)
    asked = assistant.ask("tidy up", THREAD)
    assert isinstance(asked, Waiting)
    reply = {"decisions": [{"type": "approve"}, {"type": "reject"}]}
    done = expect_done(assistant.resume(THREAD, reply, asked.request_id))
    assert done.answer == "Ok."
    assert 'the call that would do "Milk" did not run' in done.steps[-1]["observation"]


def test_it_goes_back_once_and_the_second_draft_may_stand(make_assistant: MakeAssistant) -> None:
    call = ("create_item", {"content": "Lunch with Brandt", "properties": {"due_date": "2026-01-09"}})
    wrong = "Lunch with Brandt is on Thursday."
    done = expect_done(make_assistant(calls(call), wrong, wrong).ask("lunch with Brandt", THREAD))
    assert [step["tool"] for step in done.steps] == ["create_item", "⛔️policy_violation"]
    assert done.answer == wrong
    assert "2026-01-09" in done.steps[1]["observation"]


THREAD = "a0000000-0000-4000-8000-000000000012"
