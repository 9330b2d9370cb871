"""A write that failed is told, and no more changes are claimed than there are receipts."""

import pytest

from nodes.policies.claims import changes_are_counted
from nodes.policies.evidence import Call
from nodes.policies.failures import failed_writes_are_told
from tests.nodes.policies import failed, found, make_turn, ran, wrote

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


NAMELESS = [
    "Both done. Don't forget milk.",
    "Both done. Nothing else is open.",
    "All done! Don't forget yoga on Monday.",
    "Everything is ticked off. Anything else?",
    "Gym and yoga: no problem, done.",
    "Beides erledigt. Vergiss nicht die Milch.",
    "Beides erledigt, kein Problem.",
    "Alles abgehakt. Sonst noch etwas?",
    "Los dos están hechos. No olvides la leche.",
    "Todo hecho, sin problema. ¿Algo más?",
    "Les deux sont cochés. N'oublie pas le lait.",
    "Tout est fait. Autre chose ?",
    "両方完了です。牛乳を忘れないでね。",
    "全部完了しました。他に何かありますか？",
]
"""Drafts with a word that denies, or a question, that is about something else."""


@pytest.mark.parametrize("draft", NAMELESS)
def test_a_denial_of_something_else_does_not_tell_a_failure(draft: str) -> None:
    assert failed_writes_are_told(make_turn(draft, "tick off gym and yoga", *ONE_OF_TWO))


def test_the_failed_thing_is_known_by_its_content() -> None:
    calls = (found("Gym", "Yoga"), wrote("Gym"), failed(id="abcd1fgh".replace("1", "r")))
    assert failed_writes_are_told(make_turn("All set, except for yoga.", "tick off both", *calls)) is None
    assert failed_writes_are_told(make_turn("Everything is set. Nothing to worry about.", "tick off both", *calls))


@pytest.mark.parametrize("draft", TOLD)
def test_a_failure_that_is_told_is_left_alone(draft: str) -> None:
    assert failed_writes_are_told(make_turn(draft, "tick off gym and yoga", *ONE_OF_TWO)) is None


@pytest.mark.parametrize("draft", UNTOLD)
def test_a_failure_that_is_not_told_goes_back(draft: str) -> None:
    violation = failed_writes_are_told(make_turn(draft, "tick off gym and yoga", *ONE_OF_TWO))
    assert violation
    assert "not done" in violation.reason


@pytest.mark.parametrize(
    "calls",
    [
        (failed(step=1), wrote("Gym", step=2)),
        (failed(step=1, id="abcdefgh"), wrote("Gym", step=1, id="abcdefgh")),
        (failed("delete_item", step=1), wrote("Gym", "delete_item", step=3)),
        (failed("query_items"), wrote("Gym")),
        (wrote("Gym"), ran("now", {})),
    ],
)
def test_a_failure_that_was_made_good_needs_no_word(calls: tuple[Call, ...]) -> None:
    assert failed_writes_are_told(make_turn("Done.", "tick it off", *calls)) is None


COUNTED = [
    "Both are done.",
    "I've added 2 tasks.",
    "The two tasks are stored.",
    "Added: 12 eggs and 6 apples.",
    "Moved both to 14 September.",
    "I've added it. You have 9 tasks now?",
    "Stored. It takes 45 minutes.",
    "I could not do all three.",
    "2 of the 3 are done.",
    "Beide sind gespeichert.",
    "Ich habe 2 Aufgaben angelegt.",
    "Zwei Aufgaben sind gespeichert.",
    "2 von 3 sind erledigt.",
    "Los dos están guardados.",
    "He guardado 2 tareas.",
    "Guardado para el 14 de septiembre.",
    "2 de las 3 están hechas.",
    "Les deux sont notés.",
    "J'ai noté 2 tâches.",
    "C'est noté pour le 14 sept. 2026.",
    "2 sur 3 sont faites.",
    "両方保存しました。",
    "2件保存しました。",
    "9月14日に変更しました。",
    "3件のうち2件を保存しました。",
]
OVERCOUNTED = [
    "All three are done.",
    "I've added 3 tasks.",
    "I deleted 5 done items.",
    "We've moved four tasks.",
    "All 3 are stored.",
    "The three tasks are stored.",
    "Alle drei sind gespeichert.",
    "Ich habe 4 Aufgaben angelegt.",
    "Die 5 Aufgaben sind gelöscht.",
    "Alle 3 sind erledigt.",
    "Ich habe fünf Einträge gelöscht.",
    "Los tres están guardados.",
    "He guardado 4 tareas.",
    "Las cinco tareas están borradas.",
    "Todas las 3 están hechas.",
    "He borrado cinco tareas.",
    "Les trois sont notés.",
    "J'ai noté 4 tâches.",
    "Les cinq tâches sont supprimées.",
    "Toutes les 3 sont faites.",
    "J'ai supprimé cinq tâches.",
    "3件保存しました。",
    "3件とも保存しました。",
    "三件とも削除しました。",
    "5件を削除しました。",
]
TWO = (found("a", "b", "c", "d", "e"), wrote("Buy 12 eggs and 6 apples", count=2))


@pytest.mark.parametrize("draft", COUNTED)
def test_as_many_changes_as_there_are_receipts_may_be_told(draft: str) -> None:
    assert changes_are_counted(make_turn(draft, "do it", *TWO)) is None


@pytest.mark.parametrize("draft", OVERCOUNTED)
def test_more_changes_than_there_are_receipts_go_back(draft: str) -> None:
    violation = changes_are_counted(make_turn(draft, "do it", *TWO))
    assert violation
    assert "receipts of 2" in violation.reason


def test_both_in_a_wish_behind_what_was_done_is_no_count() -> None:
    draft = "Updated: you and Mimi live in Dresden now, no longer Leipzig. I hope you've both settled in well!"
    assert changes_are_counted(make_turn(draft, "we moved to Dresden", wrote("Lives in Dresden with Mimi"))) is None


def test_both_is_too_much_for_one_receipt() -> None:
    for draft in (
        "Both added.",
        "Beide stehen drauf.",
        "Los dos, apuntados.",
        "Les deux sont notés.",
        "両方追加しました。",
    ):
        assert changes_are_counted(make_turn(draft, "add a and b", wrote("a")))
        assert changes_are_counted(make_turn(draft, "add a and b", wrote("a"), wrote("b"))) is None
