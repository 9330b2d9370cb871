"""The language of a message: English unless its words say otherwise."""

import pytest

from ana.language import LANGUAGES, WORDINGS, Language, guess_language, pick_telling

SAID: list[tuple[str, Language]] = [
    ("remind me to buy milk tomorrow", "en"),
    ("What was the code of the door?", "en"),
    ("milk", "en"),
    ("Wi-Fi: 4471", "en"),
    ("Okafor hasn't paid November", "en"),
    ("Dentist doesn't answer", "en"),
    ("mark everything as done", "en"),
    ("meeting w/ tom mon 9am about budget", "en"),
    ("pay die casting invoice fri", "en"),
    ("et al. paper review fri 10am", "en"),
    ("lösche die Milch", "de"),
    ("", "en"),
    ("erinnere mich morgen an die Milch", "de"),
    ("Was steht heute an?", "de"),
    ("recuérdame comprar leche mañana", "es"),
    ("¿qué tengo hoy?", "es"),
    ("rappelle-moi d'acheter du lait demain", "fr"),
    ("Qu'est-ce que j'ai aujourd'hui ?", "fr"),
    ("明日は牛乳を買う", "ja"),
    ("何時？", "ja"),
]


@pytest.mark.parametrize(("text", "language"), SAID)
def test_a_message_is_known_by_its_commonest_words(text: str, language: Language) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize(
    ("said", "answer", "language"),
    [
        ("luz pagada", "La factura de la luz queda como pagada.", "es"),
        ("ne, doch Samstag lassen", "Okay, die Reifen bleiben am Samstag um 10 Uhr.", "de"),
        ("tire appointment: change it to Monday", "Die Reifen sind jetzt am Montag dran.", "en"),
        ("6k easy", "Logged: 6 km for today.", "en"),
        ("6k easy", "", "en"),
        ("Meera yes, Dr. Shah no (so no plus one)", "Noted: Meera is confirmed, they are off the list.", "en"),
        ("la robe: essayage décalé à samedi 11h", "C'est déplacé : l'essayage de la robe est samedi.", "fr"),
    ],
)
def test_where_a_message_is_too_short_the_answer_tells_the_language(said: str, answer: str, language: Language) -> None:
    assert guess_language(pick_telling(said, answer)) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_all_words(language: Language) -> None:
    wording = WORDINGS[language]
    assert (len(wording.weekdays), len(wording.months)) == (7, 12)
    assert all(vars(wording).values())
    assert wording.more.format(n=3) != wording.more
