"""When a text means: "tomorrow", "next Friday", "the 13th" as calendar days, counted from the person's today.

How it reads:
- A week runs from Monday to Sunday. "this Friday" is in this week, "next Friday" in the next, "last Friday" the latest
  before today; a bare "Friday" (also "on Friday", "coming Friday") the first after today, on a Friday in seven days.
- "Friday week", "a week on Friday" and "a week from Friday" are seven days later.
- "this weekend" is this week's Saturday and Sunday; "end of the week" is Sunday, "beginning" Monday.
- "in 3 days" is one day; "in the next 3 days", "within 3 days" run from today to that day; "last 3 days" up to today.
- A day without a year is its next occurrence from today on; Friday the 13th the next that is a Friday. Elsewhere a
  weekday beside a date is not checked.
- 1/13 is month/day, 13.1. day.month. Where it could be a fraction (both parts up to 12) or a price, it needs "on", "by"
  or the like before it, a weekday, a year, or to stand alone.
- "in January" is the whole month, this one included; "next January" never this one; "this January" is this year's.
- What is no day (February 30, 13/45) and what recurs (every Friday, Mondays) is nothing.
"""

from ana.time.when.mentions import Mention, drop_mentions, resolve, spell_out, stretches
from ana.time.when.questions import due_question, named_days
from ana.time.when.times import TimeMention, hours_ahead, shift_of, times

__all__ = [
    "Mention",
    "TimeMention",
    "drop_mentions",
    "due_question",
    "hours_ahead",
    "named_days",
    "resolve",
    "shift_of",
    "spell_out",
    "stretches",
    "times",
]
