"""The days and times that a text names: "tomorrow", "next Friday", "the 13th", counted from the person's today.

How it reads:
- A week runs from Monday to Sunday. "this Friday" is in this week, "next Friday" in the next, "last Friday" the latest
  before today; a bare "Friday" (also "on Friday", "coming Friday") the first after today, on a Friday in seven days.
- Others mean the other one of two by "next Friday": the first after today, or the one a week later; by "this Friday",
  if that is over, the next one; by "the end of the week", which is Sunday, Friday. Both are told.
- "Friday week", "a week on Friday" and "a week from Friday" are seven days later.
- "this weekend" is this week's Saturday and Sunday.
- "in 3 days" is one day; "in the next 3 days", "within 3 days" run from today to that day; "last 3 days" up to today.
- A day without a year is its next occurrence from today on; Friday the 13th the next that is a Friday.
- 1/13 is month/day, 13.1. day.month; or the other order if only that is a date. If it could be a fraction (both
  parts up to 12) or a price, it needs "on", "by" or the like before it, a weekday, a year, or to stand alone.
- "in January" is the whole month, this one included; "next January" never this one; "this January" is this year's.
  In a search a month may also stand by itself ("December things").
- "at 3" and "at 3:15" are after noon; "tonight at 12" is the midnight that ends today.
- Nothing is read from days that do not exist (February 30, 13/45) and days that recur (every Friday, Mondays). A text
  that looks like a day but is none is reported (`tell_doubts`), and a time beside it does not belong to another day.

A phrase that is a date is read whole or refused (`read_phrase`). In a longer text the same grammar reads the parts
that are a date; a word that may be another one (sun, mon, 3/4) needs something beside it (`grammar.Level`).
"""

from ana.time.when.days import When
from ana.time.when.phrase import NotRead, read_phrase
from ana.time.when.questions import find_named_days, has_only_fillers, read_due_question, tell_doubts
from ana.time.when.reader import resolve
from ana.time.when.single import find_single, is_only_when

__all__ = [
    "NotRead",
    "When",
    "find_named_days",
    "find_single",
    "has_only_fillers",
    "is_only_when",
    "read_due_question",
    "read_phrase",
    "resolve",
    "tell_doubts",
]
