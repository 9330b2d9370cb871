"""The receipt under an answer: what was written, or that nothing was; every door shows it, the model never sees it."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from ana.language import LANGUAGES, WORDINGS, Language
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings
from ana.tracing.files import TraceFiles
from app.outcome import expect_done
from nodes.policies.evidence import Call
from nodes.policies.writes import may_expect_write
from nodes.receipt import MOST_LINES, add_receipt, hide_receipt, render_receipt, strip_receipt
from nodes.reflect import NOTHING_CHANGED
from tests.conftest import MakeAssistant
from tests.nodes.policies import failed, found, make_turn, ran
from tools.artifacts import Receipt

THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"
MILK = ("create_item", {"content": "Buy milk\n- Deleted: “everything”", "properties": {"type": "task"}})
STORED = "- Stored: “Buy milk” (task)"

EXPECTED = [
    ("Sag Frau Köhler, dass ich morgen später komme", "Erledigt, Frau Köhler weiß Bescheid."),
    ("dis à Sofie que j'arrive", "Sofie est au courant."),
    ("Ben is going to the shop, he needs my list", "Ben now has the list on his phone."),
    ("add milk", "Got it, milk is on the list."),
    ("and cheese", "ok"),
    ("I'm allergic to nuts btw", "Good to know."),
    ("tick off milk", "✅ Milk"),
    ("push dentist to 10", "No problem, it's at 10 now."),
    ("cancel the gym", "I could not find it."),
    ("can you put milk on the list?", "Sure, done."),
    ("could you remind me tomorrow?", "Will do!"),
    ("did you save it?", "Yes, I've saved it."),
    ("thanks, and add cheese", "Added!"),
    ("tell Cian's mum that it's at 4", "Logged: 3 hours on Thursday."),
    ("lösch das Passwort", "Erledigt."),
    ("und noch Käse", "Ist drauf."),
    ("ich bin Linkshänder", "Gut zu wissen."),
    ("kannst du Milch auf die Liste setzen?", "Klar."),
    ("hast du es gespeichert?", "Ja, ich habe es gespeichert."),
    ("borra la nota", "Listo."),
    ("soy zurdo", "Lo recordaré."),
    ("¿puedes apuntar leche?", "Claro que sí."),
    ("¿lo guardaste?", "Sí, lo he guardado."),
    ("supprime la note", "C'est fait."),
    ("je suis gaucher", "Je m'en souviendrai."),
    ("peux-tu noter du lait ?", "Bien sûr."),
    ("tu l'as noté ?", "Oui, je viens de le noter."),
    ("メモを消して", "消しました。"),
    ("左利きです", "覚えておきます。"),
    ("牛乳を追加してくれる？", "もちろん。"),
]
NOT_EXPECTED = [
    ("thanks", "You're welcome!"),
    ("ok thanks", "Any time."),
    ("haha you're funny", "Thank you!"),
    ("good morning", "Good morning!"),
    ("👍", "🙂"),
    ("what's due?", "Nothing today."),
    ("roughly how long is a marathon", "42 km."),
    ("show me my tasks", "You have none."),
    ("write a haiku about rain", "Rain on the window"),
    ("can you tell me what's due?", "Nothing today."),
    ("can you send mails?", "No, I can't."),
    ("danke dir", "Gern!"),
    ("was steht an?", "Nichts."),
    ("zeig mir die Liste", "Sie ist leer."),
    ("kannst du mir sagen, was ansteht?", "Heute ist frei."),
    ("gracias", "¡De nada!"),
    ("¿qué tengo hoy?", "Nada."),
    ("dime qué tengo", "Nada."),
    ("tell Dana that I'm late", "I can't. Here is a text to copy."),
    ("sag mir, was ansteht", "Heute ist frei."),
    ("escríbeme un poema", "La lluvia cae"),
    ("merci beaucoup", "De rien !"),
    ("qu'est-ce que j'ai demain ?", "Rien."),
    ("montre-moi la liste", "Elle est vide."),
    ("peux-tu m'expliquer ça ?", "Bien sûr : c'est simple."),
    ("ありがとう", "どういたしまして。"),
    ("明日の予定は？", "ありません。"),
    ("一覧を見せて", "空です。"),
]


@pytest.mark.parametrize(("question", "draft"), EXPECTED)
def test_where_a_write_may_be_expected_it_is_said_that_none_was_made(question: str, draft: str) -> None:
    assert may_expect_write(make_turn(draft, question))


@pytest.mark.parametrize(("question", "draft"), NOT_EXPECTED)
def test_honest_answers_to_questions_and_talk_have_nothing_under_them(question: str, draft: str) -> None:
    assert not may_expect_write(make_turn(draft, question))


def test_it_is_not_said_where_a_persons_own_tool_ran() -> None:
    assert may_expect_write(make_turn("Not there.", "mail bob", found("Bob"), failed()))
    assert not may_expect_write(make_turn("Sent.", "mail bob", ran("send_mail", "sent")))


def test_a_receipt_stands_under_the_answer_in_the_record_and_in_json(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    assistant = make_assistant(calls(MILK), "Saved.", "You have milk to buy.", "A fine colour.")
    done = expect_done(assistant.ask("I need milk", THREAD))
    assert (done.answer, done.receipt) == ("Saved.", STORED)
    assert done.to_json()["changes"] == done.changes
    assert done.to_json()["receipt"] == STORED
    (record,) = TraceFiles(settings.traces_dir).read(THREAD)
    assert (record["receipt"], record["changes"]) == (done.receipt, done.changes)
    assert expect_done(assistant.ask("what do I need?", THREAD)).receipt == ""
    assert expect_done(assistant.ask("my door is red", THREAD)).receipt == WORDINGS["en"].nothing


def test_the_model_is_sent_answers_without_their_receipts(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(calls(MILK), "Saved.", "You have milk to buy.")
    assistant.ask("I need milk", THREAD)
    assistant.ask("what do I need?", THREAD)
    model = assistant.handles.model
    assert isinstance(model, ScriptedModel)
    spoken = [message.text for message in model.seen[-1] if isinstance(message, AIMessage) and message.text]
    assert spoken == ["Saved."]


def test_a_receipt_that_a_model_made_up_is_taken_away(make_assistant: MakeAssistant) -> None:
    made_up = add_receipt("Here is your list.", "- Stored: “Buy milk”\n- Deleted: “rent”")
    assert expect_done(make_assistant(made_up).ask("what do I have?", THREAD)).answer == "Here is your list."


def test_an_answer_that_stays_false_is_composed_from_the_receipts(make_assistant: MakeAssistant) -> None:
    lie = "That is in item `abcd2e4f`."
    assert expect_done(make_assistant(lie, lie, lie).ask("hm", THREAD)).answer.endswith(NOTHING_CHANGED)
    assistant = make_assistant(calls(MILK), lie, lie, lie)
    done = expect_done(assistant.ask("add milk", THREAD.replace("0", "1")))
    assert [step["tool"] for step in done.steps] == ["create_item", "⛔️policy_violation", "⛔️policy_violation"]
    assert "abcd2e4f" not in done.answer
    assert done.receipt == STORED


def _change(op: str, kind: str = "item", id: object = 1) -> dict[str, Any]:
    record = {"id": str(id), "content": "Tea", "properties": {}, "updated_at": "2026-01-07T08:00:00Z"}
    before = None if op == "create" else record | {"properties": {"old": 1}} if op == "update" else record
    return {"op": op, "kind": kind, "id": str(id), "before": before, "after": None if op == "delete" else record}


def render(changes: list[Receipt]) -> str:
    return render_receipt([Call("undo", {}, "{}", receipts=tuple(changes))], "")


def test_what_was_there_already_and_what_failed_are_told_apart_from_the_answer_too() -> None:
    receipt = render_receipt([Call("create_item", {}, "{}", existing="Tea"), failed()], "")
    assert receipt == "- Already there: “Tea”\n- Not done: There is no item 'abcd2345'."
    assert strip_receipt(add_receipt("Done.", receipt)) == "Done."


def test_receipts_are_worded_for_markdown_and_told_apart_from_the_answer() -> None:
    kinds = [(op, kind) for kind in ("item", "line") for op in ("create", "update", "delete")]
    changes = [_change(op, kind, n) for n, (op, kind) in enumerate(kinds)]
    receipt = render([*changes])
    words = [
        "Stored: “Tea”",
        "Changed: “Tea” (no old)",
        "Deleted: “Tea”",
        "Learned: “Tea”",
        "Now known: “Tea” (no old)",
        "Forgotten: “Tea”",
    ]
    assert receipt.splitlines() == [f"- {word}" for word in words]
    long = render([_change("create", id=n) for n in range(MOST_LINES + 12)])
    for answer in ("Done.", "A\n\n---\nB", "---", ""):
        former = "Nothing was stored or changed."
        for under in (receipt, *(each.nothing for each in WORDINGS.values()), former, long):
            assert strip_receipt(add_receipt(answer, under)) == answer
            assert hide_receipt(AIMessage(add_receipt(answer, under), id="1")).text == answer
    assert strip_receipt("A\n\n---\n- Stored: “Tea”\n\nand more") == "A\n\n---\n- Stored: “Tea”\n\nand more"


def test_a_long_receipt_is_cut() -> None:
    lines = render([_change("create", id=n) for n in range(MOST_LINES + 12)]).splitlines()
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == "- and 12 more"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_receipt_in_any_language_is_taken_off_the_answer(language: Language) -> None:
    said = {
        "en": "I need tea",
        "de": "ich habe keinen Tee",
        "es": "no tengo té",
        "fr": "je n'ai pas de thé",
        "ja": "お茶を買う",
    }
    calls = [
        Call("undo", {}, "{}", receipts=(_change("create"),)),
        Call("create_item", {}, "{}", existing="Milk"),
        failed(),
    ]
    receipt = render_receipt(calls, said[language], ["Deletes “Bread”."])
    wording = WORDINGS[language]
    assert receipt.splitlines() == [
        f"- {wording.stored}: “Tea”",
        f"- {wording.existing}: “Milk”",
        f"- {wording.failed}: There is no item 'abcd2345'.",
        f"- {wording.declined}: Deletes “Bread”.",
    ]
    assert strip_receipt(add_receipt("Done.", receipt)) == "Done."
