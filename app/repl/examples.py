"""Messages that /help shows."""

from ana.translation import mark_text

EXAMPLES = (
    mark_text("Remind me to call Anna tomorrow at 10"),
    mark_text("Note: the spare key is in the blue tin"),
    mark_text("Dentist appointment on Friday at 14:30"),
    mark_text("What's due tomorrow?"),
    mark_text("Done: call Anna"),
    mark_text("Move the dentist to Monday"),
    mark_text("I prefer deep work in the mornings"),
    mark_text("What is 19% of 240?"),
)
"""What /help shows; the offline reader understands all of them, in this order."""
