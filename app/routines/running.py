"""Running routines: each is asked at its times as a turn, and its answer is delivered.

A routine is asked in a conversation of its own, on the dial `advise`: it reads and proposes, and its writes wait there
for a yes. Its answer is delivered to the addresses of reminders, once to each, which the ledger records.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ana.errors import AnaError, NoSuchItem, StoreBusy, TurnStopped, UserError
from ana.handles import complete_handles
from ana.json_lines import Quoted
from ana.memory.routines import ROUTINE, is_routine
from ana.memory.sources import is_others
from ana.memory.status import CLOSED
from ana.output import shorten
from ana.reminders.ledger import RingKey
from ana.reminders.reading import tell_time
from ana.reminders.ringing import LATE, LONGEST, Target, deliver
from ana.reminders.routines import RETRIES, DueRoutine, find_due
from ana.reminders.sending import Message
from ana.translation import _, mark_text, speak
from app.due import summarize_due
from app.meanwhile import repeat_meanwhile
from app.messages import UserMessage
from app.routines.offers import OFFERS

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

    from ana.handles import DataHandles
    from ana.memory.item import Item
    from ana.values import Json
    from app.outcome import Waiting

MOST = 100
"""Routines of a person."""

LOOK_SECONDS = 20.0
"""How long nothing is looked at."""

MOST_CHARACTERS = 2_000
"""Of an answer in a message: what browsers and phones take."""

_KEEPER = Target("its conversation", "conversation", lambda _: "")
"""Takes every answer: where there is no address, a routine is asked all the same."""

QUIET = "nothing"
"""What a model answers to a routine that is `quiet` when there is nothing to tell."""

HOW = mark_text("To change or end it, say so to ana; `ana routines` lists them.")

_log = logging.getLogger(__name__)


class Routines:
    """Asks the routines of one person, and delivers their answers.

    Args:
        addresses: The addresses of reminders.
        targets: These addresses, and a screen for an answer that none of them accepted.
    """

    def __init__(self, handles: "DataHandles", addresses: Sequence[Target], targets: Sequence[Target]) -> None:
        self._handles = handles
        self._ledger = handles.workspace.open_ledger()
        self._addresses = addresses
        self._targets = [_KEEPER, *targets]

    def run_due(self) -> None:
        """Ask every routine whose time has come, and deliver its answer. Raises AnaError if they cannot be read."""
        clock = self._handles.clock
        speak(self._handles.settings.language)
        for item in list_routines(self._handles):
            due = find_due(item, clock.now(), clock.zone)
            if due and any(self._is_open(target, due.key) for target in self._targets):
                self._run(due)

    def run_now(self, item: "Item") -> str:
        """Run a routine once, apart from its times, and return its answer. Errors as of a turn."""
        moment = self._handles.clock.now()
        return self._compose(DueRoutine(item, RingKey(item.id, moment.isoformat()), moment))

    def _run(self, due: DueRoutine) -> None:
        try:
            message = self._make_message(due)
        except (StoreBusy, TurnStopped):  # another program answers it, or this one ends
            return
        if message is None:
            return
        with self._ledger.deliver_alone() as is_alone:
            for target in self._targets:
                current = self._handles.memory.record("item", due.item.id)
                if not is_alone() or current is None or current.updated_at != due.item.updated_at:
                    return
                if not self._is_open(target, due.key):
                    continue
                failing = self._ledger.get_failing(target.key)
                if not message.body:
                    self._ledger.note_delivered(target.key, due.key)
                elif failing is None or not failing.is_paused(self._handles.clock.now()):
                    deliver(self._ledger, target, due.key, message, self._handles.clock)

    def _is_open(self, target: Target, key: RingKey) -> bool:
        """Return whether an answer is still to go to a target; to a screen only if no address took it."""
        places = [target] if target in (_KEEPER, *self._addresses) else [target, *self._addresses]
        return all(self._ledger.list_open(place.key, [key]) for place in places)

    def _make_message(self, due: DueRoutine) -> Message | None:
        """Return the message to deliver, without a text if there is nothing to say; None if the routine is asked again
        later.
        """
        clock, place = self._handles.clock, f"{ROUTINE} {due.key.item} {due.key.moment}"
        failing = self._ledger.get_failing(place)
        if failing and clock.now() < failing.tried + RETRIES[min(failing.failures, len(RETRIES)) - 1]:
            return None
        try:
            text = self._compose(due)
        except (StoreBusy, TurnStopped):
            raise
        except AnaError as exc:
            self._ledger.note_failed(place, due.key, clock.now(), exc.message)
            _log.warning("a routine could not be answered: %s", Quoted(exc.message))
            if failing is None or failing.failures < len(RETRIES):
                return None
            text = _("It could not be answered: {reason}").format(reason=exc.sentence())
        self._ledger.note_delivered(place, due.key)
        lines = [cut_text(text), _(HOW)]
        if clock.now() - due.moment > LATE:
            when = tell_time(due.moment.astimezone(clock.zone))
            lines.insert(0, _("Late: this was to come {when}.").format(when=when))
        return Message(shorten(due.item.content, LONGEST), "\n\n".join(lines) if text else "", due.key.item)

    def _compose(self, due: DueRoutine) -> str:
        """Ask a routine; return the answer, empty if it is quiet and has nothing to tell.

        Raises:
            AnaError: The turn could not run, or failed.
        """
        from app.outcome import Waiting
        from nodes.receipt import hide_receipt

        is_quiet = due.item.properties.get("quiet") is True
        if self._handles.settings.provider == "offline":
            lines = summarize_due(self._handles)
            return "\n".join(lines) or ("" if is_quiet else "Nothing is due in the next seven days.")
        outcome = self._ask(due, is_quiet)
        if isinstance(outcome, Waiting):
            return "\n".join(_word_waiting(outcome))
        answer = hide_receipt(outcome).text
        if outcome.response_metadata.get("ana_error"):
            raise UserError(answer)
        return "" if is_quiet and answer.strip(" .*").lower() == QUIET else answer

    def _ask(self, due: DueRoutine, is_quiet: bool) -> "AIMessage | Waiting":
        from app.routines.asking import open_asker
        from prompts import decision_prompt

        item, data = due.item, self._handles
        message = UserMessage(item.content, (item.content,) if is_others(item.sources.content) else ())
        if is_quiet:
            text = f"{message.text}\n\nIf there is nothing to tell, answer with the one word {QUIET}."
            message = replace(message, text=text)
        handles = complete_handles(data, decision_prompt)
        thread = data.workspace.open_threads().remember(name_conversation(item))
        with open_asker(handles) as asker:
            return asker.ask_once(message, thread, f"{ROUTINE}-{due.key.item}-{due.key.moment}")


def list_routines(handles: "DataHandles") -> list["Item"]:
    """Return a person's routines that were not ended."""
    where: dict[str, Json] = {"type": ROUTINE, "status": {"$nin": [*CLOSED]}}
    matches = handles.memory.find(None, where, MOST)
    return [matches.stored.get(item.id, item) for item in matches.items]


def find_routine(handles: "DataHandles", id: str) -> "Item":
    """Return a routine. Raises NoSuchItem if none has this id."""
    item = handles.memory.record("item", id)
    if item is None or not is_routine(item):
        raise NoSuchItem(id)
    return item


def find_brief(handles: "DataHandles", addresses: Sequence[Target]) -> datetime | None:
    """Return the time at which today's brief, the suggested morning routine, reached an address; None if it did not."""
    clock, ledger = handles.clock, handles.workspace.open_ledger()
    for item in list_routines(handles) if addresses else ():
        due = find_due(item, clock.now(), clock.zone) if item.content == OFFERS["morning"][0] else None
        if due and (at := due.moment.astimezone(clock.zone)).date() == clock.now().date():
            return at if not all(ledger.list_open(each.key, [due.key]) for each in addresses) else None
    return None


def name_conversation(item: "Item") -> str:
    """Return the name of the conversation in which a routine is asked."""
    return f"{ROUTINE}-{item.id}"


def answer_meanwhile(
    handles: "DataHandles", addresses: Sequence[Target], targets: Sequence[Target]
) -> AbstractContextManager[None]:
    """Answer routines in a thread of its own while the context is open. Arguments as of `Routines`."""
    return repeat_meanwhile("routines", Routines(handles, addresses, targets).run_due, LOOK_SECONDS)


def cut_text(text: str) -> str:
    """Return an answer, cut to the length of a message."""
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS].rstrip()}…\n\nThe rest is in its conversation."


def _word_waiting(waiting: "Waiting") -> Iterator[str]:
    """Yield the changes that a routine proposes, which wait for a yes."""
    from app.show.requests import word_actions

    yield "It proposes, and waits for your yes (`ana approve`, or the page):"
    for first, lines in word_actions(waiting.request):
        yield from (f"- {first}", *(f"  {line}" for line in lines))
