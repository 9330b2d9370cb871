"""Which drafts are sent back for what they say of writes: those that claim what no call did, or hide a failure."""

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.handles import open_handles
from ana.language import WORDINGS
from ana.models.offline.reader import OfflineReader
from ana.models.scripted import calls
from ana.settings import Settings
from ana.workspace import open_workspace
from app.outcome import expect_done
from app.turn import Assistant
from nodes.policies.check import first_violation
from nodes.policies.evidence import Call
from nodes.policies.writes import CLAIMED, FAILED, writes_are_told
from tests.conftest import EMBEDDER, MakeAssistant
from tests.nodes.policies import failed, found, make_turn, ran, wrote

CLAIMS = [
    ("add milk", "Got it, milk is on the list."),
    ("and remind me to call the bank", "Will do! I'll nudge you on Tuesday."),
    ("delete the gym habit", "Gone! The gym habit is off your list now."),
    ("cancel the gym", "Gym cancelled."),
    ("I'm allergic to nuts btw", "Good to know – I'll keep that in mind."),
    ("tick off milk", "✅ Milk"),
    ("please mail Dana that I'm well", "I've sent Dana a short email."),
    ("lösch das Passwort", "Erledigt, es ist gelöscht."),
    ("trag den Zahnarzt am Freitag ein", "Ist eingetragen."),
    ("borra la nota", "Listo, borrada."),
    ("por favor, añade pan", "Hecho, el pan está en la lista."),
    ("supprime la note", "C'est fait."),
    ("note que je suis gaucher", "C'est noté !"),
    ("メモを消して", "消しました。"),
    ("牛乳を追加して", "追加しました。"),
]
HONEST = [
    ("delete the gym habit", "There is no gym habit."),
    ("delete the gym habit", "Which one do you mean?"),
    ("add milk", "Milk is already on your list."),
    ("what's due?", "Milk is due today."),
    ("did you save it?", "Yes, I saved it on Monday."),
    ("thanks", "You're welcome!"),
    ("write a poem about rain", "Rain on the window."),
    ("lösch den Eintrag", "Den Eintrag gibt es nicht."),
    ("was steht an?", "Heute steht der Zahnarzt an."),
    ("borra la nota", "No encuentro esa nota."),
    ("supprime la note", "Quelle note ?"),
    ("メモを消して", "そのメモはありません。"),
]
ONE_OF_TWO = (wrote("Gym"), failed())
TOLD = [
    "The gym is done. I couldn't find yoga.",
    "Gym: done. Yoga: not found.",
    "Don't worry, all is well; yoga isn't on your list.",
    "Only the gym is marked; the update of yoga failed.",
    "The gym is done, but yoga gave an error.",
    "The gym is marked done. Which yoga class do you mean?",
    "Yoga was already done, the gym is now too.",
    "Der Sport ist erledigt. Yoga habe ich nicht gefunden.",
    "Sport ist abgehakt, Yoga leider nicht.",
    "Nur der Sport ist abgehakt.",
    "Sport ist erledigt, beim Yoga gab es einen Fehler.",
    "Sport ist abgehakt. Welches Yoga meinst du?",
    "El gimnasio está hecho; el yoga no lo encuentro.",
    "Solo el gimnasio está hecho.",
    "El gimnasio está hecho, pero el yoga falló.",
    "Hecho el gimnasio. ¿Qué yoga?",
    "Le sport est coché, je n'ai pas trouvé le yoga.",
    "N'ayant pas trouvé le yoga, j'ai coché le sport.",
    "Seulement le sport est coché.",
    "Le sport est coché, mais une erreur pour le yoga.",
    "Le sport est coché. Quel yoga ?",
    "ジムは完了、ヨガは見つかりませんでした。",
    "ジムだけ完了にしました。",
    "ジムは完了ですが、ヨガはエラーでした。",
    "ジムは完了です。どのヨガですか？",
]
UNTOLD = [
    "Both are done.",
    "Done! Gym and yoga are ticked off.",
    "I've marked gym and yoga as done. ✅",
    "Gym ✅ Yoga ✅",
    "All set: gym and yoga.",
    "Great, everything is up to date.",
    "The gym and yoga are finished. Well done!",
    "ok",
    "Beides erledigt.",
    "Sport und Yoga sind abgehakt.",
    "Ich habe Sport und Yoga abgehakt. ✅",
    "Alles klar, erledigt!",
    "Sport ✅ Yoga ✅",
    "Los dos están hechos.",
    "He marcado el gimnasio y el yoga.",
    "¡Listo! Gimnasio y yoga, hechos.",
    "Todo al día.",
    "Les deux sont cochés.",
    "J'ai coché le sport et le yoga.",
    "C'est fait : sport et yoga.",
    "Tout est à jour.",
    "両方完了にしました。",
    "ジムとヨガを完了にしました。",
    "完了です！",
    "ジム✅ ヨガ✅",
]


@pytest.mark.parametrize(("question", "draft"), CLAIMS)
def test_a_write_that_no_call_made_is_not_claimed(question: str, draft: str) -> None:
    violation = writes_are_told(make_turn(draft, question))
    assert violation
    assert violation.policy == CLAIMED


@pytest.mark.parametrize(("question", "draft"), HONEST)
def test_honest_drafts_are_left_alone(question: str, draft: str) -> None:
    assert writes_are_told(make_turn(draft, question)) is None


@pytest.mark.parametrize(("question", "draft"), CLAIMS)
def test_what_stands_above_a_receipt_is_left_to_the_receipt(question: str, draft: str) -> None:
    assert writes_are_told(make_turn(draft, question, wrote("Milk"))) is None


def test_a_persons_own_tool_may_have_done_it() -> None:
    assert writes_are_told(make_turn("Sent.", "mail bob", ran("send_mail", "sent"))) is None


def test_after_a_call_that_the_person_declined_nothing_is_claimed() -> None:
    assert writes_are_told(make_turn("Still there.", "tidy up the list", refused=({},))) is None


def test_an_answer_from_what_was_looked_up_is_no_claim() -> None:
    assert writes_are_told(make_turn("Your rate: 72 $ an hour.", "recall my hourly rate", found("Rate: 72 $"))) is None


@pytest.mark.parametrize(
    "draft",
    ["Ticked off everything but the felt: 3 rolls are still on the list.", "Alles außer dem Filz ist abgehakt."],
)
def test_an_exception_denies_no_failure_where_nothing_was_done(draft: str) -> None:
    asked = "bought everything but the felt"
    violation = writes_are_told(make_turn(draft, asked, failed()))
    assert violation
    assert violation.policy == FAILED
    assert writes_are_told(make_turn(draft, asked, wrote("List"), failed())) is None


@pytest.mark.parametrize("draft", TOLD)
def test_a_failure_that_is_told_is_left_alone(draft: str) -> None:
    assert writes_are_told(make_turn(draft, "tick off gym and yoga", *ONE_OF_TWO)) is None


@pytest.mark.parametrize("draft", UNTOLD)
def test_a_failure_that_is_not_told_goes_back(draft: str) -> None:
    violation = writes_are_told(make_turn(draft, "tick off gym and yoga", *ONE_OF_TWO))
    assert violation
    assert violation.policy == FAILED
    assert "not done" in violation.reason
    assert '"error"' not in violation.reason


@pytest.mark.parametrize(
    "made",
    [
        (failed(step=1), wrote("Gym", step=2)),
        (failed(step=1, id="abcdefgh"), wrote("Gym", step=1, id="abcdefgh")),
        (failed("delete_item", step=1), wrote("Gym", "delete_item", step=3)),
        (failed("query_items"), wrote("Gym")),
        (wrote("Gym"), ran("now", {})),
    ],
)
def test_a_failure_that_was_made_good_needs_no_word(made: tuple[Call, ...]) -> None:
    assert writes_are_told(make_turn("Done.", "tick it off", *made)) is None


def test_a_draft_goes_back_once() -> None:
    e = make_turn("Deleted.", "delete the note")
    assert first_violation(e)
    assert first_violation(e, [CLAIMED]) is None
    assert first_violation(make_turn("Gone.", "delete the note", failed("delete_item")), [CLAIMED])


THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"


def test_what_a_model_claims_twice_stands_above_a_receipt_that_denies_it(make_assistant: MakeAssistant) -> None:
    done = expect_done(make_assistant("Gym cancelled.", "Gym cancelled.").ask("cancel the gym", THREAD))
    assert [step["tool"] for step in done.steps] == ["⛔️policy_violation"]
    assert (done.answer, done.receipt) == ("Gym cancelled.", WORDINGS["en"].nothing)


MILK, NO_SUCH = ("create_item", {"content": "Buy milk"}), ("delete_item", {"id": "abcd2345"})


def test_a_turn_with_one_done_and_one_failed_says_both(make_assistant: MakeAssistant) -> None:
    done = expect_done(make_assistant(calls(MILK, NO_SUCH), "Milk is kept; rent is not there.").ask("both", THREAD))
    assert done.receipt.splitlines() == ["- Stored: “Buy milk”", "- Not done: There is no item 'abcd2345'."]
    assert (done.error, done.fruitless) == (None, False)


def test_what_was_there_already_is_named(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(calls(MILK), "Kept.", calls(MILK), "I have kept it.")
    assistant.ask("add milk", THREAD)
    done = expect_done(assistant.ask("add milk, please", THREAD))
    assert (done.receipt, done.changes) == ("- Already there: “Buy milk”", [])


def open_offline(make_assistant: MakeAssistant, settings: Settings) -> Assistant:
    backend = InMemoryBackend(EMBEDDER)
    return make_assistant(handles=open_handles(open_workspace(settings), model=OfflineReader(), backend=backend))


@pytest.mark.parametrize(
    "said", ["dentist for both kids dec 10 at 8:15", "note: both keys are under the mat", "remind me to wash both cars"]
)
def test_both_is_no_count(said: str, make_assistant: MakeAssistant, settings: Settings) -> None:
    done = expect_done(open_offline(make_assistant, settings).ask(said, THREAD))
    assert (done.error, done.fruitless) == (None, False)
    assert [change["op"] for change in done.changes] == ["create"]
    assert done.receipt.startswith("- Stored: ")


def test_a_delete_of_both_is_not_denied(make_assistant: MakeAssistant, settings: Settings) -> None:
    offline = open_offline(make_assistant, settings)
    offline.ask("note: dentist for both kids", THREAD)
    done = expect_done(offline.ask("delete the note dentist for both kids", THREAD))
    assert [change["op"] for change in done.changes] == ["delete"]
    assert (done.error, done.fruitless) == (None, False)
