"""What a draft gives as the present time or date is what the clock showed."""

import pytest

from nodes.policies.check import first_violation
from nodes.policies.clock import clock_is_read
from nodes.policies.evidence import Call
from tests.nodes.policies import found, make_turn, ran

HERE = ran("now", {"iso": "2026-11-22T10:31:05+01:00", "weekday": "Sunday"})
TOKYO = ran("now", {"iso": "2026-11-22T18:31:05+09:00", "weekday": "Sunday"})
TRAIN = found("Train to Cologne", due_date="2026-11-22T11:15")

HONEST: list[tuple[str, str, tuple[Call, ...]]] = [
    ("what time is it?", "It's 10:31.", (HERE,)),
    ("what time is it?", "It's 10:31 am.", (HERE,)),
    ("what time is it?", "It is half past ten.", (HERE,)),
    ("what's the date?", "It's Sunday, 22 November.", (HERE,)),
    ("what time is it in Tokyo?", "6:31 pm.", (TOKYO,)),
    ("wie spät ist es?", "Es ist 10 Uhr 31.", (HERE,)),
    ("welches Datum ist heute?", "Heute ist der 22.11.2026.", (HERE,)),
    ("¿qué hora es?", "Son las 10:31 de la mañana.", (HERE,)),
    ("¿qué día es hoy?", "Es domingo 22 de noviembre.", (HERE,)),
    ("quelle heure est-il ?", "Il est 10 h 31.", (HERE,)),
    ("quel jour sommes-nous ?", "Nous sommes dimanche.", (HERE,)),
    ("今何時？", "午前10時31分です。", (HERE,)),
    ("東京は今何時？", "18時31分です。", (TOKYO,)),
    ("when is my train?", "It's 11:15.", (TRAIN,)),
    ("do I make the train?", "It's 10:30 now, so yes.", (TRAIN,)),
    ("schaffe ich den Zug?", "Es ist jetzt 10:30 Uhr, also ja.", (TRAIN,)),
    ("what time is my dentist appointment?", "At 9:30.", ()),
    ("¿a qué hora cierra el museo?", "A las 18:00.", ()),
    ("¿a qué hora es?", "A las 18:00.", ()),
    ("what time do I have to be there?", "At 9:30.", ()),
    ("à quelle heure ferme le musée ?", "À 18 h.", ()),
    ("何時に閉まる？", "18時です。", ()),
    ("when it's 3 pm here, what time is it in New York?", "When it's 3 pm in Berlin it's 9 am in New York.", ()),
    ("hello", "Hello! What can I do?", ()),
    ("what time is it?", "For which time zone?", ()),
    ("what time is it?", "I cannot read the clock at the moment.", ()),
    ("plan my day", "- 11:00 walk\n- 12:00 lunch\n- 13:00 read\n- 14:00 call Ann\n- 15:00 nap", ()),
    ("what's the time difference to New York?", "Six hours: when it's 15:00 here, it's 9:00 there.", ()),
    ("can I ring the bank?", "The bank is open until 16:30, so there's time.", ()),
    ("kann ich noch einkaufen?", "Der Laden hat jetzt bis 20:00 Uhr auf.", ()),
    ("puedo ir a la farmacia?", "La farmacia está abierta ahora hasta las 20:30.", ()),
    ("la boulangerie est ouverte ?", "Elle est ouverte maintenant jusqu'à 19 h.", ()),
    ("店は開いてる？", "今から予約すれば14時に入れます。", ()),
    ("会議は？", "もう14時からに変わりました。", ()),
    ("when should I call Ann in Tokyo?", "Best before 22:00 her time, that is 14:00 for you.", (TOKYO,)),
    ("is it late in Tokyo?", "It's 18:31 there and 10:31 here.", (TOKYO,)),
    ("remind me in 2 hours", "I can only note it; that would be 12:30.", ()),
    ("when is sunset?", "Usually around 16:05 at this time of the year.", ()),
    ("wann ist Anpfiff?", "Anpfiff ist schon 15:30, nicht 18:00.", ()),
    ("is Ann coming on Monday?", "No, she said Wednesday.", ()),
    ("wer ist am Montag da?", "Am Mittwoch ist Ann da.", ()),
    ("¿qué tengo el lunes?", "El miércoles tienes el mercado.", ()),
    ("c'est lundi la réunion ?", "Non, la réunion est mercredi.", ()),
    ("月曜は休み？", "火曜が休みです。", ()),
    ("Wann ist Ladenschluss?", "Meist um 20 Uhr.", ()),
]
FALSE: list[tuple[str, str, tuple[Call, ...]]] = [
    ("what time is it?", "It's 10:31.", ()),
    ("what time is it?", "It's 10:41.", (HERE,)),
    ("what time is it?", "It is half past eleven.", (HERE,)),
    ("what's the date?", "It's Monday, 23 November.", (HERE,)),
    ("what time is it in Tokyo?", "10:31.", (TOKYO,)),
    ("the time please", "10:30", ()),
    ("wie spät ist es?", "Es ist 11 Uhr 31.", (HERE,)),
    ("wie spät ist es gerade?", "Es ist 10:30 Uhr.", ()),
    ("welches Datum haben wir?", "Den 22. November.", ()),
    ("welcher Wochentag ist heute?", "Sonntag.", ()),
    ("¿qué hora es?", "Son las 11:31.", (HERE,)),
    ("¿qué hora es ahora?", "Las 10:30.", ()),
    ("¿qué fecha es hoy?", "El 22 de noviembre.", ()),
    ("quelle heure est-il ?", "Il est 11 h 31.", (HERE,)),
    ("quelle heure est-il maintenant ?", "10 h 30.", ()),
    ("quelle est la date d'aujourd'hui ?", "Le 22 novembre.", ()),
    ("今何時？", "11時31分です。", (HERE,)),
    ("今日は何曜日ですか？", "日曜日です。", ()),
    ("東京は今何時？", "10時31分です。", (TOKYO,)),
    ("do I make the train?", "It's already 11:20, so no.", (TRAIN,)),
    ("schaffe ich den Zug?", "Es ist schon 11:20 Uhr, leider.", (TRAIN,)),
    ("¿llego al tren?", "Ya son las 11:20, no.", (TRAIN,)),
    ("j'ai mon train ?", "Il est déjà 11 h 20.", (TRAIN,)),
    ("電車に間に合う？", "今は11時20分です。", (TRAIN,)),
    ("hello", "Good evening! It's 7:45 pm.", ()),
    ("can I ring the publisher in New York?", "Yes, over there it's 4:30 am.", ()),
    ("kann ich in New York anrufen", "Ja, dort ist es gerade 4:30 Uhr.", ()),
    ("can I ring Lisbon?", "Sure, in Lisbon is now 9:45.", ()),
    ("ハワイの友達に電話しても平気かな", "ハワイは今、前日の14時ごろなので大丈夫です。", ()),
    ("can I call Tokyo?", "Tokyo shows 17:31, so yes.", (TOKYO,)),
    ("was nun?", "Wir haben den 24. November, also packen.", ()),
]


@pytest.mark.parametrize(("question", "draft", "calls"), HONEST)
def test_a_time_that_is_right_or_not_the_present_is_left_alone(
    question: str, draft: str, calls: tuple[Call, ...]
) -> None:
    assert clock_is_read(make_turn(draft, question, *calls)) is None


@pytest.mark.parametrize(("question", "draft", "calls"), FALSE)
def test_a_present_that_nothing_showed_goes_back(question: str, draft: str, calls: tuple[Call, ...]) -> None:
    violation = clock_is_read(make_turn(draft, question, *calls))
    assert violation
    assert "Call now" in violation.reason


SPOKEN = [
    ("bin ich zu spät?", "Es ist halb zehn, alles gut.", "Es ist halb elf, alles gut."),
    ("¿llego a las 11?", "Son las diez menos nueve.", "Son las diez y media."),
    ("je suis en retard ?", "Il est sept heures moins le quart.", "Il est dix heures et demie."),
    ("am I late?", "It's quarter to nine.", "It's half past ten."),
    ("もう遅い？", "もう23時ですよ。", "もう10時半ですよ。"),
    ("ist heute Montag?", "Ja, heute ist Montag.", "Nein, heute ist Sonntag."),
    ("¿ya es lunes?", "Sí, ya es lunes.", "No, es domingo."),
    ("on est lundi ?", "Oui, on est lundi.", "Non, on est dimanche."),
]


@pytest.mark.parametrize(("question", "wrong", "right"), SPOKEN)
def test_a_present_that_is_given_in_words_is_read(question: str, wrong: str, right: str) -> None:
    assert first_violation(make_turn(wrong, question))
    assert first_violation(make_turn(right, question)) is None
