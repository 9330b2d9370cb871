"""What a draft gives as the present time is what the clock showed."""

import pytest

from nodes.policies.clock import clock_is_read
from nodes.receipt import Call
from tests.nodes.policies import NOW, found, make_turn, ran

HERE = ran("now", {"iso": "2026-11-22T10:31:05+01:00", "weekday": "Sunday"})
TOKYO = ran("now", {"iso": "2026-11-22T18:31:05+09:00", "weekday": "Sunday"})
TRAIN = found("Train to Cologne", due_date="2026-11-22T11:15")

HONEST: list[tuple[str, str, tuple[Call, ...]]] = [
    ("what time is it?", "It's 10:31.", (HERE,)),
    ("what time is it?", "It's 10:30.", ()),
    ("what time is it?", "It is half past ten.", (HERE,)),
    ("what time is it in Tokyo?", "6:31 pm.", (TOKYO,)),
    ("wie spät ist es?", "Es ist 10 Uhr 31.", (HERE,)),
    ("quelle heure est-il ?", "Il est 10 h 31.", (HERE,)),
    ("今何時？", "午前10時31分です。", (HERE,)),
    ("東京は今何時？", "18時31分です。", (TOKYO,)),
    ("is it late in Tokyo?", "It's 18:31 there and 10:31 here.", (TOKYO,)),
    ("when is my train?", "It's 11:15.", (TRAIN,)),
    ("do I make the train?", "It's 10:30 now, so yes.", (TRAIN,)),
    ("what time do I have to be there?", "Better a bit early: be there at 9:30.", ()),
    ("à quelle heure ferme le musée ?", "À 18 h.", ()),
    ("when it's 3 pm here, what time is it in New York?", "When it's 3 pm in Berlin it's 9 am in New York.", ()),
    ("how long is the film?", "About 2 h.", ()),
    ("plan my day", "- 11:00 walk\n- 12:00 lunch\n- 13:40 read\n- 14:00 call Ann", ()),
    ("can I ring the bank?", "The bank is open until 16:30, so there's time.", ()),
    ("店は開いてる？", "今から予約すれば14時に入れます。", ()),
    ("when should I call Ann in Tokyo?", "Best before 22:00 her time, that is 14:00 for you.", (TOKYO,)),
    ("remind me in 2 hours", "I can only note it; that would be 12:31.", ()),
    ("when is sunset?", "Usually around 16:05 at this time of the year.", ()),
    ("wann ist Anpfiff?", "Anpfiff ist schon 15:30, nicht 18:00.", ()),
    ("21 km, 2:04:30. what pace is that?", "5:54 per km.", ()),
]
FALSE: list[tuple[str, str, tuple[Call, ...]]] = [
    ("what time is it?", "It is 14:30.", ()),
    ("time?", "14:05", ()),
    ("wie spät ist es?", "Es ist 14:20 Uhr.", ()),
    ("¿qué hora es?", "Son las 13:05.", ()),
    ("quelle heure est-il ?", "Il est 14 h 20.", ()),
    ("今何時？", "14時20分です。", ()),
    ("what time is it?", "It's 10:41.", (HERE,)),
    ("what time is it in Tokyo?", "It's 17:31 there, so she has just come home from work.", (TOKYO,)),
    ("wie spät ist es?", "Es ist 11 Uhr 31.", (HERE,)),
    ("¿qué hora es?", "Son las 11:31.", (HERE,)),
    ("今何時？", "11時31分です。", (HERE,)),
    ("can I call Tokyo?", "Tokyo shows 17:31, so yes.", (TOKYO,)),
]


@pytest.mark.parametrize(("question", "draft", "calls"), HONEST)
def test_a_time_that_is_right_or_not_the_present_is_left_alone(
    question: str, draft: str, calls: tuple[Call, ...]
) -> None:
    assert [*clock_is_read(make_turn(draft, question, *calls))] == []


@pytest.mark.parametrize(("question", "draft", "calls"), FALSE)
def test_a_present_that_nothing_showed_goes_back(question: str, draft: str, calls: tuple[Call, ...]) -> None:
    (wrong,) = clock_is_read(make_turn(draft, question, *calls))
    assert "neither now nor the calendar showed" in wrong


@pytest.mark.parametrize(("minute", "goes_back"), [(42, True), (40, True), (30, False)])
def test_a_reading_moved_by_whole_hours_is_another_place_worked_out_in_the_head(minute: int, goes_back: bool) -> None:
    at = NOW.replace(hour=19, minute=minute)
    draft = f"Yes, that fits well. Over there it is {13}:{minute}, so in the middle of the afternoon."
    turn = make_turn(draft, "can I ring the publisher in New York?", now=at, prompt=f"Sunday {at:%Y-%m-%d %H:%M}")
    assert bool([*clock_is_read(turn)]) is goes_back


def test_a_time_that_was_said_before_may_be_said_again() -> None:
    earlier = ("Doktor Weber: am 3. Dezember, um 10:50 Uhr. Notiert.",)
    assert not [*clock_is_read(make_turn("Um 10:50 Uhr.", "wann nochmal?", earlier=earlier))]
    assert [*clock_is_read(make_turn("Um 10:55 Uhr.", "wann nochmal?"))]
