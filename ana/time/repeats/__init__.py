"""Repetition: rules, their occurrences, and how an item moves on from one to the next. Pure: no clock, no store.

- `repeats` is an RRULE, or words with one reading; due_date, or start_date and end_date, is the next occurrence, which
  always counts, even if the rule does not name it. The rule continues from there.
- Times are meant in the zone that `zone` names, else in the person's; occurrences are told in the person's.
- A day that a month does not have is its last: monthly on the 31st, yearly on 29 February. A time that the clock skips
  moves forward by the skipped time; of a time that the clock repeats, the first counts.
- `also` has dates beside those of the rule, or all dates if there is no rule; `except` removes dates, and takes
  precedence over `also`.
- `repeat_from: done` counts from the day on which the item was done; until then only one date is known.
- A task waits until it is done; an event passes by itself (see `waits`).
"""

from ana.time.repeats.advancing import (
    advance,
    count_remaining,
    find_done_occurrence,
    find_on,
    find_passed_over,
    list_missed,
    write_until,
)
from ana.time.repeats.occurring import (
    Occurrence,
    bring_to_first,
    find_next_after,
    find_present,
    iter_between,
    iter_occurrences,
    iter_places,
    look_ahead,
    make_occurrence,
)
from ana.time.repeats.reading import RULE_FORM, Understood, refuse_other_begin, understand_rule
from ana.time.repeats.repeat import (
    ALSO,
    MOST_ALSO,
    REPEATING,
    RULE_KEYS,
    TO_DO,
    Repeat,
    may_repeat,
    read_day_or_moment,
    read_local,
    read_repeat,
    waits,
)
from ana.time.repeats.rules import is_named
from ana.time.repeats.words import find_rule, tell_rule, tell_unread, word_rule
from ana.time.travel import DATE_KEYS

__all__ = [
    "ALSO",
    "DATE_KEYS",
    "MOST_ALSO",
    "REPEATING",
    "RULE_FORM",
    "RULE_KEYS",
    "TO_DO",
    "Occurrence",
    "Repeat",
    "Understood",
    "advance",
    "bring_to_first",
    "count_remaining",
    "find_done_occurrence",
    "find_next_after",
    "find_on",
    "find_passed_over",
    "find_present",
    "find_rule",
    "is_named",
    "iter_between",
    "iter_occurrences",
    "iter_places",
    "list_missed",
    "look_ahead",
    "make_occurrence",
    "may_repeat",
    "read_day_or_moment",
    "read_local",
    "read_repeat",
    "refuse_other_begin",
    "tell_rule",
    "tell_unread",
    "understand_rule",
    "waits",
    "word_rule",
    "write_until",
]
