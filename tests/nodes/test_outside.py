"""What a draft claims to have done outside, where no tool can send, book, order or pay; and promises of later acts."""

import pytest

from app.outcome import expect_done
from nodes.policies.outside import acts_are_possible, promises_are_kept
from tests.conftest import MakeAssistant
from tests.nodes.policies import found, make_turn

THREAD = "a0000000-0000-4000-8000-000000000006"
LETTER = (
    "Hier ein Entwurf:\n\n**Betreff:** Helios\n\nLiebe Dana,\n\nich habe dir gestern die Wireframes geschickt. "
    "Der Raum ist gebucht.\n\nLiebe Grüße\nJonas\n\nI can't send it, so please copy it."
)
CLAIMS = [
    ("please mail Dana that I'm well again", "I've sent Dana a short email that you're well again."),
    (
        "schreib Mr Brandt kurz per WhatsApp dass ich 10 min später komme",
        "Erledigt, ich habe Herrn Brandt geschrieben, dass du 10 Minuten später kommst.",
    ),
    ("call the restaurant and book a table for 2 at 12:40", "Done! The table for 2 at 12:40 is booked."),
    ("tell Dana, and note it", "I noted it and sent Dana a message."),
    ("mail it to Tina", "Sent!"),
    ("ruf an", "Ich habe gerade angerufen."),
    ("avisa a Sofía", "Le he escrito a Sofía."),
    ("préviens Sofie", "J'ai prévenu Sofie."),
    ("out of beans again", "Two bags are on the way."),
    ("timesheet for last week", "It's been handed in to payroll."),
    ("ダナにメールして", "ダナさんにメールを送りました。"),
]
HONEST = [
    ("yes, the mail to Dana only. informal, we are per du.", LETTER),
    ("wireframes sent!! took 3h more.", "Congratulations! The wireframes are sent and marked done."),
    ("Rental car is booked, pick up 19th at 8", "The rental car is booked; pick-up on the 19th at 8:00."),
    ("offer is out to Tina. remind me to follow up", "Great! The offer is ticked off."),
    ("sort them", "I've ordered them by date."),
    ("what name?", "I've called it Winter menu."),
    ("log 3 hours", "I've booked 3 hours on Helios."),
    ("3 Stunden auf Helios", "Ich habe 3 Stunden auf Helios gebucht."),
    ("how does a bank transfer work?", "The money is transferred within a day."),
    ("mail Dana", "I haven't sent anything: I can't. Here is a text to copy."),
    ("mail Dana", "Have you sent it yourself?"),
    ("I told everyone standup is at 10 now", "Great, so everyone's been informed."),
    ("Die Miete hab ich gerade überwiesen", "Prima, dann ist die Miete bezahlt."),
    ("what next?", "Once the table is booked, tell Jan."),
    ("write a note for Oma", "I've written a text for the card: “Dear Oma, I've sent you a cake.”"),
    ("schreib mir was", "Ich habe dir einen Text geschrieben."),
    ("write it down", "I've written it down."),
    ("did you hear from her?", "As I told you, there is nothing new."),
]


@pytest.mark.parametrize(("question", "draft"), CLAIMS)
def test_an_act_outside_that_nothing_can_do_goes_back(question: str, draft: str) -> None:
    assert acts_are_possible(make_turn(draft, question))


@pytest.mark.parametrize(("question", "draft"), HONEST)
def test_letters_reports_and_other_senses_stay(question: str, draft: str) -> None:
    assert acts_are_possible(make_turn(draft, question)) is None


def test_what_a_result_says_may_be_reported() -> None:
    turn = make_turn("The invoice is paid.", "status of the invoice", found("Invoice A is paid"))
    assert acts_are_possible(turn) is None


def test_nothing_is_known_of_what_tools_of_the_persons_own_do() -> None:
    turn = make_turn("I've sent Dana an email.", "mail Dana", own_tools=True)
    assert acts_are_possible(turn) is None


def test_it_goes_back_once_and_then_the_receipt_denies_it(make_assistant: MakeAssistant) -> None:
    false = "I've sent Dana a short email."
    done = expect_done(make_assistant(false, false).ask("please mail Dana that I'm well again", THREAD))
    assert (done.answer, done.receipt) == (false, "no changes")
    assert [step["tool"] for step in done.steps] == ["⛔️policy_violation"]


PROMISES = [
    ("Lena has to take her antibiotic, remind me at 5 pm please", "All set! I'll remind you at 5 pm every day."),
    ("From now on: Tom has gym every Monday", "All noted. I'll remind you of the gym bag on Sunday evenings."),
    (
        "which invoices are open, each monday",
        "Every Monday, starting 7 December, I'll send you a list of open invoices.",
    ),
    ("Erinner mich Freitag, Ilya zu schreiben.", "Gespeichert. Am Freitag erinnere ich dich daran, Ilya zu schreiben."),
    ("remind me tomorrow", "I've noted it and set it up. I'll note the time and remind you tomorrow."),
    ("remind me", "Done: reminder set for 5 pm."),
    ("remind me every day at quarter to six", "Both Marcumar entries now ring at 17:45 every day."),
    ("remind me at 8", "Stored. It rings at 8:00 tomorrow."),
    ("erinner mich um 8", "Gespeichert. Es klingelt morgen um 8."),
    ("the cat's pill", "I'll remind you at 8 to give the cat its pill."),
    ("sag mir Bescheid", "Ich werde dich am 10. Januar um 9 Uhr benachrichtigen."),
    ("sag mir Bescheid", "Klar, ich sage dir morgen früh Bescheid."),
    ("avísame", "Te voy a avisar el viernes."),
    ("préviens-moi", "Je vais te prévenir vendredi."),
    ("知らせて", "明日の朝に通知します。"),
]
RANG = [
    ("did you remind me of the antibiotic??", "Yes, the reminder for Lena's afternoon antibiotic dose was at 5:00 pm."),
    ("hast du mich erinnert?", "Ja, ich habe dich gestern um 9 daran erinnert."),
    ("¿me avisaste?", "Sí, te avisé ayer."),
    ("tu m'as prévenu ?", "Oui, le rappel était à 9 h."),
    ("通知した？", "はい、9時に通知しました。"),
]
NO_PROMISES = [
    (
        "when does Dr Mair ring?",
        "He rings on Friday; they ring you back, and if it rings before nine it is the practice.",
    ),
    ("remind me", "I can't remind you by myself; it stands in `ana due`."),
    ("remind me", "Kept. I'll remind you once an address is set: run `ana setup`."),
    ("remind me", "Once you have set an address, I'll remind you."),
    ("erinner mich", "Ich erinnere dich um 9. Eine Adresse ist noch nicht gesetzt."),
    ("can you remind me of the rent?", "Yes. Tell me the day, and I'll remind you."),
    ("remind me", "Shall I remind you at 5?"),
    ("what is my rate?", "I'll remind you that it is 72 euros."),
    ("wie war das?", "Ich erinnere dich daran, dass die Miete am Ersten fällig ist."),
    ("write to Paul", "Here is a text:\n\nDear Paul,\n\nI'll remind you tomorrow.\n\nJulie"),
    ("what is open?", "I'll send you the list here:\n- Rent"),
    ("what can you do?", "You can set a reminder with remind."),
    ("gym", "The gym is every Monday."),
]


@pytest.mark.parametrize(("question", "draft"), [*PROMISES, *RANG])
def test_a_promise_that_nothing_keeps_goes_back(question: str, draft: str) -> None:
    silent, ringing = found("Call Anna", due_date="2026-11-27"), found("Call Anna", remind="at the time")
    assert promises_are_kept(make_turn(draft, question, silent))
    assert promises_are_kept(make_turn(draft, question, ringing)) is None
    assert promises_are_kept(make_turn(draft, question, earlier=(ringing.text,))) is None
    without = promises_are_kept(make_turn(draft, question, ringing, rings=False))
    assert without
    assert "no address is set" in without.reason


def test_a_long_answer_is_read_before_the_time_of_a_test_is_over() -> None:
    assert promises_are_kept(make_turn("both all " * 16_000, "remind me", rings=False)) is None


@pytest.mark.parametrize(("question", "draft"), NO_PROMISES)
def test_offers_denials_and_letters_are_no_promises(question: str, draft: str) -> None:
    assert promises_are_kept(make_turn(draft, question)) is None


def test_a_stored_text_that_only_names_the_property_rings_nothing() -> None:
    assert promises_are_kept(make_turn("I'll remind you at 5.", "when?", found('{"remind": "at the time"}')))
