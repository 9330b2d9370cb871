"""Changes of a repeating item: its rule is checked, `done` moves it to the next date, a left-out date is skipped."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from itertools import islice, pairwise

from ana.errors import ToolError
from ana.memory.single_dates import SINGLE, drop_nulls, drop_past, end_added, list_days, list_values, merge_moved
from ana.memory.status import DONE, has_status
from ana.time.dates import add_weekday, day_of, read_moment, weekday
from ana.time.repeats import (
    ALSO,
    DATE_KEYS,
    REPEATING,
    RULE_FORM,
    Occurrence,
    Repeat,
    advance,
    bring_to_first,
    find_done_occurrence,
    find_on,
    find_present,
    is_named,
    iter_occurrences,
    look_ahead,
    read_day_or_moment,
    read_local,
    read_repeat,
    refuse_other_begin,
    tell_rule,
    understand_rule,
    write_until,
)
from ana.time.repeats.occurring import to_local
from ana.time.repeats.rules import NO_RULE
from ana.time.repeats.words import read_words
from ana.values import Json, Properties

_DATES_FORM = (
    'Write {"except": {"$add": ["2026-12-04"]}}, {"moved": {"2026-12-01": "2026-12-02T15:00"}} '
    '{"also": {"$add": ["2026-12-05T15:00"]}} or {"until": "2027-06-30"}.'
)
_CHOICES = {"repeat_from": ("due", "done"), "missed": ("waits", "passes")}


@dataclass(frozen=True)
class Revision:
    """The circumstances of a change of properties: the old properties (none for a new item), the changed names, the
    moment.
    """

    old: Properties
    changes: Collection[str]
    now: datetime
    zone: tzinfo

    def apply(self, new: Properties) -> Properties:
        """Return the properties to store, given those that would result from the change alone.

        Raises ToolError, with the right form as its hint, if a rule or a date cannot be read, or they do not fit.
        """
        if new.get("repeats") is None and "repeats" in self.changes and has_status(new, DONE):
            return {key: value for key, value in new.items() if key not in REPEATING}  # finished for good
        if new.get("repeats") is None and read_repeat(new, self.zone) is None:
            return new
        self._check_values(new)
        new = merge_moved(self.old, new)
        if new.get("repeats") is not None and ("repeats" in self.changes or not self.old):
            new = self._settle_rule(new)
        elif any(key in self.changes for key in DATE_KEYS):
            new = self._settle_dates(new)
        if "until" in self.changes and ALSO not in self.changes:
            new = end_added(new)
        if "status" in self.changes and has_status(new, DONE) and not has_status(self.old, DONE) and self.old:
            return self._finish(new)
        return self._pass_over(new)

    def _check_values(self, new: Properties) -> None:
        for name, choices in _CHOICES.items():
            if name in self.changes and new.get(name) not in (*choices, None):
                raise ToolError(f"{name} is {' or '.join(choices)}, not {str(new[name])[:60]!r}.", RULE_FORM)
        dates = [new.get("until")]
        for value in map(new.get, SINGLE):
            dates += list_values(value)
        wrong = next((each for each in dates if each is not None and not day_of(each)), None)
        if wrong is not None and {*SINGLE, "until"} & {*self.changes}:
            raise ToolError(f"{str(wrong)[:60]!r} is not a date.", _DATES_FORM)

    # ---- the rule and its dates

    def _settle_rule(self, new: Properties) -> Properties:
        written, lead = new["repeats"], find_lead(new)
        if not isinstance(written, str):
            raise ToolError("repeats is a text.", RULE_FORM)
        if lead is None and not _has_times(new):
            refuse_other_begin({name: new.get(name) for name in self.changes})
        first = self._find_begin(new, lead)
        key, from_done = lead or "due_date", new.get("repeat_from") == "done"
        is_day = lead is None or read_moment(new[key]) is None
        understood = understand_rule(written, first, self.zone, from_done=from_done, is_day=is_day)
        begin = understood.first
        if lead in self.changes and (begin.date() != first.date() or (begin != first and not is_day)):
            raise ToolError(
                f"{first.date()} is a {weekday(first.date())}, but {understood.words} begins {_tell(begin)}.",
                f'Give {key} "{_write(begin, is_day=is_day)}", or a rule that names {first.date()}.',
            )
        text = _write(begin, is_day=is_day and "BYHOUR" not in understood.rule)
        if (
            lead is None
            or read_local(text, self.zone) != read_local(str(new[key]), self.zone)
            or len(text) > len(str(new[key]))
        ):
            new = self._shift(new | {key: text}, key)
        new = new | {"repeats": understood.rule}
        if understood.until:
            new["until"] = write_until(understood.until, is_day=read_moment(text) is None)
        new.pop("recurrence", None)
        self._check_length(new)
        return new

    def _find_begin(self, new: Properties, lead: str | None) -> datetime:
        """Return the moment from which the first date is searched: a day that is not over, or the given date."""
        now = self.now.replace(tzinfo=None)
        today = datetime.combine(now, time())
        if lead is None:
            return now if _has_times(new) else today
        first = read_local(str(new[lead]), self.zone)
        is_day = read_moment(new[lead]) is None
        if lead not in self.changes and self.old:
            return max(first, today if is_day else datetime.combine(now, first.time()))
        if is_day and first == today and _has_times(new):
            return max(first, now.replace(second=0, microsecond=0))
        return first

    def _settle_dates(self, new: Properties) -> Properties:
        """Return the properties after a change of dates without the rule: the dates must fit the rule, and move
        together.
        """
        lead, before = find_lead(new), read_repeat(self.old, self.zone)
        if lead is None or before is None:
            return new
        if new.get(lead) == self.old.get(lead):  # a query shows another occurrence's dates
            changed = [name for name in DATE_KEYS if name in self.changes and new.get(name) != self.old.get(name)]
            others = [name for name in changed if day_of(new.get(name))]
            return new | {name: bring_to_first(before, str(new[name])) for name in others}
        first = read_local(str(new[lead]), self.zone)
        if not (before.from_done or is_named(before.rule, first) or (before.rule is NO_RULE and ALSO in self.changes)):
            day, source = _write(before.first, is_day=True), before.source[0] if before.source[1] else ALSO
            raise ToolError(
                f"{_tell(first)} is not one of its dates: it repeats {before.source[1] or tell_rule(before.rule)}.",
                f'For this one: {{"moved": {{"{day}": "{new[lead]}"}}}}. From now on: give {source} with {lead}.',
            )
        return self._shift(new, lead)

    def _shift(self, new: Properties, lead: str) -> Properties:
        """Return the properties with the other dates at the same distance from the first as before."""
        before = read_repeat(self.old | {"repeats": "FREQ=DAILY"}, self.zone)
        first, shifted = read_local(str(new[lead]), self.zone), dict(new)
        for key in before.keys[1:] if before and before.keys[0].name == lead else ():
            if key.name not in self.changes:
                local = first + key.distance
                shifted[key.name] = _write(local, is_day=key.form == "day")
        return shifted

    def _check_length(self, new: Properties) -> None:
        repeat = self._read({key: value for key, value in new.items() if key != ALSO})
        if repeat is None or repeat.from_done:
            return
        few = islice(iter_occurrences(repeat, repeat.first, look_ahead(repeat, repeat.first)), 3)
        if any(one.until > two.at for one, two in pairwise(few)):
            raise ToolError(
                "It lasts longer than until it comes again.", "Let the rule name the days on which it begins."
            )

    # ---- done, left out, added, moved

    def _finish(self, new: Properties) -> Properties:
        """Return the properties of an item after one date is done: it moves on, unless that was its last date."""
        repeat = self._read({**new, "done_for": self.old.get("done_for")})
        if repeat is None:
            return new
        done = self._find_done(new, repeat)
        if done is None:
            return dict(self.old)
        status = {"status": self.old.get("status")}
        day = done.dates[repeat.keys[0].name]
        present = find_present(repeat, self.now)
        if present and present.at < done.at and done.at > self.now.replace(tzinfo=None):  # done before one that waits
            is_day = repeat.is_day or (len(repeat.rule.times) < 2 and done.at not in repeat.also)
            exceptions: list[Json] = [*list_days(new.get("except")), _write(done.at, is_day=is_day)]
            return drop_nulls(new | status | {"done_for": day, "except": exceptions})
        on = self._find_day_done(new)
        moved = advance(repeat, done.at, on)
        day = str(on) if repeat.from_done else day
        if moved is None:
            return new | {"done_for": day}
        return drop_nulls(drop_past(new, repeat.first.date()) | {"done_for": day} | status | moved)

    def _find_done(self, new: Properties, repeat: Repeat) -> Occurrence | None:
        day = new.get("done_for") if "done_for" in self.changes else None
        if repeat.from_done:
            is_second = self.old.get("done_for") == str(self._find_day_done(new))
            return None if is_second else find_present(repeat, self.now)
        if day is None:
            return find_done_occurrence(repeat, self.now)
        match = find_on(repeat, read_day_or_moment(str(day), repeat.zone)) if day_of(day) else None
        if match is None and str(day)[:10] < str(repeat.first)[:10] and not repeat.moved and self.old.get("done_for"):
            raise ToolError(
                f"{str(day)[:60]!r} is before its next date, {repeat.first.date()}: it has moved on.",
                "Keep what was done then as an item of its own, with that date; or undo what was done later first.",
            )
        if match is None and str(day)[:10] != str(self.old.get("done_for"))[:10]:
            raise ToolError(
                f"It has no date on {str(day)[:60]!r} that is not done.",
                f"The next are {list_next(repeat, self.now)}.",
            )
        return match

    def _find_day_done(self, new: Properties) -> date:
        done_for = new.get("done_for") if "done_for" in self.changes else None
        return day_of(done_for) or self.now.date()

    def _pass_over(self, new: Properties) -> Properties:
        """Return the properties moved to the next date that is not left out."""
        repeat = self._read(new)
        if repeat is None:
            return new
        self._check_hits(new, repeat)
        self._check_added(new, repeat)
        is_out = repeat.first in repeat.exceptions or repeat.first.date() in repeat.exceptions
        if not is_out or not {"except", "repeats"} & {*self.changes}:
            return new
        moved = advance(repeat, repeat.first, is_skipped=True)
        return drop_nulls(drop_past(new, repeat.first.date()) | moved) if moved else new

    def _check_hits(self, new: Properties, repeat: Repeat) -> None:
        bare = self._read({key: value for key, value in new.items() if key not in ("except", "moved")})
        for name in ("except", "moved"):
            fresh = self._find_fresh(name, new)
            if fresh and bare and not bare.from_done and not any(find_on(bare, day) for day in fresh.values()):
                text = next(iter(fresh))
                raise ToolError(f"{text} is not one of its dates.", f"The next are {list_next(repeat, self.now)}.")

    def _check_added(self, new: Properties, repeat: Repeat) -> None:
        """Refuse to add a date that is left out, and to leave out a day on which one was added at another time."""
        for name, other in ((ALSO, "except"), ("except", ALSO)):
            for text, day in self._find_fresh(name, new).items():
                added = [at for at in repeat.also if day in (at, at.date())]
                if any(repeat.is_exception(at) is (name == ALSO) for at in added):
                    raise ToolError(
                        f"{text} is in {other}.", f'Take it out there: {{"{other}": {{"$remove": [DATE]}}}}.'
                    )

    def _find_fresh(self, name: str, new: Properties) -> dict[str, date]:
        """Return the single dates that a change newly gives a property."""
        before = list_days(self.old.get(name))
        fresh = [each for each in list_days(new.get(name)) if each not in before] if name in self.changes else []
        return {each: read_day_or_moment(each, self.zone) for each in fresh}

    def _read(self, properties: Mapping[str, Json]) -> Repeat | None:
        return read_repeat(properties, self.zone)


def find_lead(properties: Mapping[str, Json]) -> str | None:
    """Return the date from which a rule counts."""
    return next((key for key in DATE_KEYS[:-1] if day_of(properties.get(key))), None)


def list_next(repeat: Repeat, now: datetime) -> str:
    """Return the next dates of a repetition, with weekdays and ends, beginning with an open occurrence."""
    present = find_present(repeat, now)
    if present is None:
        return "none: it has ended"
    since = min(present.at, to_local(repeat, present.start))  # it may be moved to an earlier day
    coming = islice(iter_occurrences(repeat, since, look_ahead(repeat, present.at)), 3)
    return ", ".join(tell_dates(repeat, each) for each in coming)


def tell_dates(repeat: Repeat, occurrence: Occurrence) -> str:
    """Return the time of an occurrence: 2026-12-11T16:00 (Friday) to 17:30."""
    start, end = occurrence.dates[repeat.keys[0].name], occurrence.dates.get("end_date")
    if end is None or end in (start, start[:10]):
        return str(add_weekday(start))
    is_same_day = end[:10] == start[:10]
    return f"{add_weekday(start)} to {end[11:] if is_same_day else add_weekday(end)}"


def _has_times(properties: Properties) -> bool:
    text = str(properties["repeats"])
    words = read_words(text, date.min)
    return "BYHOUR" in (words.rule if words else text.upper())


def _tell(moment: datetime) -> str:
    return str(add_weekday(_write(moment, is_day=moment.time() == time())))


def _write(moment: datetime, *, is_day: bool) -> str:
    return str(moment.date()) if is_day else moment.isoformat(timespec="minutes")
