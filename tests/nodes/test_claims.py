"""Which drafts claim a write that did not happen, and which only read like it."""

import pytest

from nodes.policies.check import first_violation
from nodes.policies.claims import claimed_write_needs_receipt
from nodes.policies.evidence import Evidence

STORE, CHANGE, DELETE, REMOVE = ("create_item",), ("update_item",), ("delete_item",), ("update_item",)
UNDO = ("undo",)
CLAIMS = [
    ("I've added the task.", STORE),
    ("I’ve added “Call Bob” for Tuesday.", STORE),
    ("Added to your list.", STORE),
    ("✅ Added 'Mum's birthday' to your list!", STORE),
    ("**Added** a note.", STORE),
    ("Done - saved it.", STORE),
    ("I created a task for Tuesday.", STORE),
    ("I have updated your preferences.", CHANGE),
    ("Deleted.", DELETE),
    ("I've marked it as done.", CHANGE),
    ("Marked as done.", CHANGE),
    ("I'll remember that.", STORE),
    ("Noted.", STORE),
    ("Okay, noted!", STORE),
    ("I've noted that you don't like fish.", STORE),
    ("I've removed the line.", REMOVE),
    ("I've undone that.", UNDO),
    ("Undone.", UNDO),
    ("I took it all back.", UNDO),
    ("I've taken that back.", UNDO),
    ("Your note has been restored.", UNDO),
    ("I've added it again.", UNDO),
    ("I've deleted it again.", UNDO),
    ("I've rescheduled it to Friday.", CHANGE),
    ("It's on your list now.", STORE),
    ("It's now on your shopping list.", STORE),
    ("Your task has been saved.", STORE),
    ("That's been deleted.", DELETE),
    ("Task created: call Bob.", STORE),
    ("I looked it up and deleted it.", DELETE),
    ("No problem, I've added it.", STORE),
    ("I've just erased the note.", DELETE),
    ("I have set a reminder for Monday.", STORE),
    ("I've saved it, anything else?", STORE),
    ("I couldn't find it, so I've added a new one.", STORE),
    ("I haven't deleted the old one, but I've added a new one.", STORE),
    ("Nothing was deleted. I've added a note.", STORE),
    ("You added one on Monday; I've updated it.", CHANGE),
    ("Shall I add a reminder too? I've saved the task.", STORE),
    ("> an older line\n\nI've added it.", STORE),
    ("1. I've added milk.\n2. Anything else?", STORE),
    ("We've added it.", STORE),
    ("Task 'milk' added.", STORE),
    ("All crossed out? I've crossed it off your list.", REMOVE),
]
NO_CLAIMS = [
    "I haven't saved anything.",
    "nothing was deleted",
    "Nothing has been added, changed or deleted.",
    "Nothing was added, deleted, or moved.",
    "I did not add it.",
    "It couldn't be updated.",
    "No task has been created yet.",
    "I changed nothing.",
    "It cannot be undone.",
    "Shall I take it back?",
    "Nothing was taken back.",
    "I can undo that.",
    "Shall I add it?",
    "I can save that.",
    "Would you like it deleted?",
    "should I mark it done?",
    "Do you want to see what I've added?",
    "If you like, I'll add it.",
    "If you like, I'll remember that.",
    "I'll remember that if you want me to.",
    "Once I've added it, you can find it by name.",
    "You added this on Monday.",
    "You've added three tasks this week.",
    "The task was created on Tuesday.",
    "I added this on Monday.",
    "I saved that yesterday.",
    "I already saved that.",
    "It is marked as done.",
    "Its updated_at is 2026-01-13.",
    "last updated yesterday",
    "Updated on Monday.",
    "It was noted in the report.",
    "Noted in the report: sales are up.",
    "You have two tasks that have been completed.",
    "It may have been deleted.",
    "Deleted items stay in the trash.",
    "Tasks added this week: 4",
    "- Created: 2026-01-12",
    "- Removed the old fence (done)",
    "1. Updated the résumé (done)\n2. Removed the old fence",
    "I've changed my mind about that.",
    "I've added them up: it is a lot.",
    "The meeting has been postponed by Bob.",
    "Your note says “I've added salt.”",
    "Your note says 'I've added salt'.",
    'The last line is "Deleted."',
    "```\nDeleted.\n```",
    "> I've added it",
    "Here's what I've noted about you: you like tea.",
    "I've created a short plan for the day: first the report.",
    "I've completed the calculation.",
    "Sorry, I forgot to do that.",
    "Put it in the oven and set the timer.",
    "You have 3 saved notes.",
    "Well done on the marathon!",
    "Ich habe nichts gespeichert, aber die Aufgabe steht am Dienstag an.",
    "La tarea está marcada como hecha.",
    "タスクは火曜日に作成されました。",
]


@pytest.mark.parametrize(("draft", "tools"), CLAIMS)
def test_a_claimed_write_needs_a_receipt(draft: str, tools: tuple[str, ...]) -> None:
    violation = first_violation(Evidence("And the other thing?", draft, ("query_items",)))
    assert violation
    assert violation.policy == "claimed_write"
    assert claimed_write_needs_receipt(Evidence("And the other thing?", draft, tools)) is None


@pytest.mark.parametrize("question", ["What about the milk?", "Add milk", "I finished the report"])
@pytest.mark.parametrize("draft", NO_CLAIMS)
def test_a_draft_that_claims_no_write_needs_no_receipt(draft: str, question: str) -> None:
    assert first_violation(Evidence(question, draft, ())) is None


@pytest.mark.parametrize(
    ("draft", "tools", "breaks"),
    [
        ("I've deleted it.", ("create_item", "update_item"), True),
        ("I've added it.", ("delete_item",), True),
        ("I've added one and deleted the other.", ("create_item",), True),
        ("I've added one and deleted the other.", ("create_item", "delete_item"), False),
        ("I've removed the date.", ("update_item",), False),
        ("I've removed the line.", ("delete_context",), False),
        ("I've removed it.", ("create_item",), True),
        ("I've updated it.", ("append_context",), False),
    ],
)
def test_the_receipt_must_be_of_the_claimed_kind(draft: str, tools: tuple[str, ...], breaks: bool) -> None:
    assert bool(claimed_write_needs_receipt(Evidence("", draft, tools))) is breaks


@pytest.mark.parametrize(
    ("question", "draft", "tools", "breaks"),
    [
        ("Delete the milk task", "Done.", (), True),
        ("Delete the milk task", "It is deleted.", (), True),
        ("can you delete the milk task?", "Okay, all done!", ("query_items",), True),
        ("Buy milk tomorrow", "Done!", (), True),
        ("Delete the milk task", "Done.", ("delete_item",), False),
        ("What happened to the milk task?", "It was deleted.", ("query_items",), False),
        ("Show my tasks", "Done. Here they are.", ("query_items",), False),
        ("How many are done?", "Done: 3, open: 4.", (), False),
    ],
)
def test_a_bare_done_claims_a_write_after_an_order(
    question: str, draft: str, tools: tuple[str, ...], breaks: bool
) -> None:
    assert bool(claimed_write_needs_receipt(Evidence(question, draft, tools))) is breaks


def test_a_reason_quotes_the_claim_and_names_the_tools() -> None:
    violation = claimed_write_needs_receipt(Evidence("Delete it", "Sure! I've deleted it.", ()))
    assert violation
    assert "I've deleted it" in violation.reason
    assert "delete_item" in violation.reason


@pytest.mark.parametrize("draft", [draft for draft, _ in CLAIMS])
def test_the_fallback_claims_nothing(draft: str) -> None:
    violation = first_violation(Evidence("Hm", draft, ()))
    assert violation
    assert first_violation(Evidence("Hm", violation.fallback, ())) is None


def test_a_letter_in_an_answer_claims_nothing() -> None:
    letter = "**Subject: U9**\n\nHi all,\n\nI've moved Tuesday's training.\n\nCheers,\nTom\n\n---\nShall I save it?"
    assert first_violation(Evidence("write to the parents that training has moved", letter, ())) is None
    around = f"I've added the task.\n\n{letter}"
    assert first_violation(Evidence("write to the parents and add a task", around, ()))
