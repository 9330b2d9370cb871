"""Which drafts the policies send back, and which they leave alone."""

import pytest

from nodes.policies.check import first_violation
from nodes.policies.clock import clock_is_read
from nodes.policies.evidence import Call, Evidence
from nodes.policies.numbers import numbers_are_traced
from nodes.policies.texts import split_lines

SUMS = [
    "What's 9! / (3!*3!*3!)? Just the integer.",
    "Compute 7//2",
    "compute 7/2 please",
    "If I spend $12.50 daily for 9 days, what's the total?",
    "I spend $12.50 daily for 9 days. What's the total?",
    "split 84.60 between 3 people",
    "Can you split the bill of 84.60 between 3 people?",
    "15% of 240",
    "What is 15 percent of 240?",
    "how much is 12 times 8",
    "How much is 1,250.50 + 3?",
    "12 * 8 = ?",
    "What’s 2^10?",
    "What is 17 % 5?",
    "what's the square root of 144?",
    "Add up 12, 8 and 30",
    "what is the sum of 4, 5 and 6?",
    "How much do 3 tickets at $12.50 cost?",
    "If I read 20 pages a day, how many pages is that in 9 days?",
    "Add a task to call Bob. What's 12*8?",
    "Ich habe eine Frage. 12*8?",
]
NO_SUMS = [
    "What's on 2026-01-13?",
    "What's due 3/4?",
    "What do I have on 1/13?",
    "1/13",
    "2-3",
    "What happens at 14:30?",
    "What is 14:30 - 15:00 about?",
    "Whose number is +49 170 1234567?",
    "What's 555-123-4567?",
    "What's new in 3.11.2?",
    "Is 3.11.2 newer than 3.10.4?",
    "remind me to buy 2 x 4 screws",
    "Remind me to buy 2*4 screws, please",
    "add task: pay 12.50 to Bob",
    "Add 2 tasks: pay 12.50 each to Bob and 8 to Ann",
    "call room 4-12",
    "what do I have in 3 days?",
    "how many tasks do I have?",
    "How many tasks do I have each week in the next 3 weeks for 2 projects?",
    "I should read 2-3 pages",
    "What is 24/7 support?",
    "What's in room 4-12?",
    "Note: I spent $12.50 daily for 9 days",
    "How much did I pay in 2025 for 2 trips?",
    "Wow, 2026! What's next?",
    "Ich habe um 14:30 einen Termin in Zimmer 4-12, was ist das?",
    "¿Qué tengo el 13/1 a las 14:30?",
    "明日の14:30の予定は何ですか？ 3件ありますか？",
]
CLOCK = [
    "What time is it right now? Use UTC.",
    "What time is it?",
    "what time is it in Tokyo?",
    "what's today's date?",
    "What’s the date today?",
    "what day is it?",
    "which day of the week is it today",
    "what day of the week is it?",
    "What day is today?",
    "time?",
    "current time please",
    "Can you tell me the time?",
    "Do you know what time it is?",
    "What's the date and time right now?",
    "Hi. What is the current time in UTC?",
    "what year is it",
]
NO_CLOCK = [
    "Any update?",
    "Who is the candidate?",
    "What is the due date?",
    "what time is my dentist appointment",
    "what time is it due?",
    "What time is it starting?",
    "what's due today",
    "what should I focus on today?",
    "date of the meeting?",
    "what day is the meeting",
    "What's the date of the meeting?",
    "What's the time of the call today?",
    "What's today looking like?",
    "Is there time today?",
    "time flies",
    "What is the time complexity of quicksort?",
    "Add a task: ask Bob what time is it",
    "Wie wird das Wetter heute?",
    "Date prisa, ¿qué hora tiene la cita?",
    "今日の予定は？",
]


@pytest.mark.parametrize("question", SUMS)
def test_a_computed_number_needs_the_calculator(question: str) -> None:
    violation = first_violation(Evidence(question, "That is 42.", (Call("query_items", {}, "{}"),)))
    assert violation
    assert violation.policy == "arithmetic"
    call = Call("calculator", {}, '{"result": 42}')
    assert first_violation(Evidence(question, "That is 42.", (call,))) is None


@pytest.mark.parametrize("question", [*NO_SUMS, *CLOCK, *NO_CLOCK])
def test_a_number_that_is_not_a_result_needs_no_calculator(question: str) -> None:
    assert numbers_are_traced(Evidence(question, "That is 42.", ())) is None


@pytest.mark.parametrize(
    "draft",
    [
        "What do you mean by that?",
        "Do you mean 12 or 13 people?",
        "I can't work out 9! without the calculator.",
        "I would rather not guess.",
    ],
)
def test_asking_back_or_declining_needs_no_calculator(draft: str) -> None:
    assert first_violation(Evidence(SUMS[0], draft, ())) is None


def test_a_number_in_code_is_a_number() -> None:
    assert numbers_are_traced(Evidence("Compute 7//2", "It is `3`.", ()))


def test_a_number_in_words_is_a_number() -> None:
    assert numbers_are_traced(Evidence("Compute 7//2", "The answer is three.", ()))


@pytest.mark.parametrize("question", CLOCK)
@pytest.mark.parametrize("draft", ["It is 14:30.", "Today is Tuesday."])
def test_the_present_moment_needs_the_clock(question: str, draft: str) -> None:
    violation = first_violation(Evidence(question, draft, (Call("query_items", {}, "{}"),)))
    assert violation
    assert violation.policy == "clock"
    assert first_violation(Evidence(question, draft, (Call("now", {}, "{}"),))) is None


@pytest.mark.parametrize("question", [*NO_CLOCK, *NO_SUMS, *SUMS])
def test_other_times_and_dates_need_no_clock(question: str) -> None:
    assert clock_is_read(Evidence(question, "On Tuesday at 14:30.", ())) is None


@pytest.mark.parametrize("draft", ["For which time zone?", "I cannot read the clock at the moment."])
def test_asking_back_or_declining_needs_no_clock(draft: str) -> None:
    assert first_violation(Evidence("What time is it?", draft, ())) is None


@pytest.mark.parametrize(("question", "draft"), [(SUMS[0], "42"), (CLOCK[0], "14:30")])
def test_a_fallback_breaks_no_policy(question: str, draft: str) -> None:
    violation = first_violation(Evidence(question, draft, ()))
    assert violation
    assert first_violation(Evidence(question, violation.fallback, ())) is None


@pytest.mark.parametrize(
    "piece",
    [
        "I ",
        "I've added ",
        "what is ",
        "1+",
        "((((",
        "1,",
        "- ",
        "'",
        '"',
        "> ",
        "okay, ",
        "time and ",
        "14:30 ",
        "27 Nov ",
        "今は",
        "1. ",
        "lunes ",
    ],
)
def test_long_texts_are_read_before_the_time_of_a_test_is_over(piece: str) -> None:
    text = piece * 20_000
    first_violation(Evidence(text, text, ()))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("The rent is paid to Dr. Novak. Well done!", ["The rent is paid to Dr. Novak.", "Well done!"]),
        ("Am 12. Januar kommt Fr. Ott.", ["Am 12. Januar kommt Fr. Ott."]),
        ("Mme. Roux a payé. Prof. Li aussi.", ["Mme. Roux a payé.", "Prof. Li aussi."]),
    ],
)
def test_neither_a_title_nor_a_german_date_ends_a_sentence(text: str, sentences: list[str]) -> None:
    assert split_lines(text) == sentences
