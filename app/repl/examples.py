"""Messages that /help shows."""

from ana.translation import mark_text

EXAMPLES = mark_text(
    (
        "Remind me to call Anna tomorrow at 10",
        "Note: the spare key is in the blue tin",
        "Dentist appointment on Friday at 14:30",
        "What's due tomorrow?",
        "Done: call Anna",
    )
)
"""What /help shows; the offline reader understands all of them, in this order."""
