"""Conversations in the REPL: the one that is open, the list of them, and going to another."""

import sys
import uuid
from difflib import get_close_matches

from ana.errors import UserError
from ana.output import quote
from ana.threads.threads import Thread
from ana.translation import _, mark_text, ngettext, pgettext
from ana.workspace import Workspace
from app.show.tables import show_table
from app.show.text import say, shorten, show_moment

MOST_TURNS = 10_000
"""A larger number is no place in a conversation: it may be an item's id."""

OFFER = mark_text(
    "`ana routines start morning` brings your day at seven; `evening` and `sunday` look back. None is on by itself."
)


class Conversations:
    """Knows which conversation is open. In lists they have numbers, as most have no name.

    Args:
        name: The name or id of a conversation to begin with; None for the last one.
    """

    def __init__(self, workspace: Workspace, name: str | None) -> None:
        self._threads, self._traces = workspace.open_threads(), workspace.open_traces()
        self._clock = workspace.make_clock()
        self._listed: list[str] = []
        self.id = self._threads.open(name) if name else self._threads.store.last() or str(uuid.uuid4())

    def greet(self) -> None:
        """Say which conversation is open at the start, and quote its last message if it is from today."""
        about = self._threads.describe(self.id)
        if about.turns:
            is_of_today = self._clock.day(about.last) == self._clock.now().date()
            self._say_going_on(about, about.name or _("the last conversation"), quoted=is_of_today)
            say(_("/reset starts a new one, /help shows the commands."))
        else:
            begin = _("Say what is on your mind. /help shows the commands.")
            say(f"{_('A new conversation, {name}.').format(name=about.name)} {begin}" if about.name else begin)
            if sys.stdin.isatty() and self._threads.store.last() is None:
                say(_(OFFER))

    def remember(self) -> None:
        """Remember that the REPL opens this conversation next time."""
        self._threads.store.set_last(self.id)

    def find_turn(self, name: str) -> str:
        """Return the id of one of the last turns here: 2 is the last but one, no number the last one.

        Any other name is returned unchanged. Raises UserError if there are fewer turns.
        """
        if name and not (name.isdecimal() and 0 < int(name) <= MOST_TURNS):
            return name
        last = self._traces.page(self.id, int(name or 1))
        if len(last) < int(name or 1):
            raise UserError("There is no such message here.", "/transcript shows them.")
        return last[0]["id"]

    def list_names(self) -> list[str]:
        """Return the names of named conversations."""
        return sorted(self._threads.store.names().values())

    def show_all(self) -> None:
        """Print a table of all conversations, the one last used first."""
        threads = self._threads.all()
        self._listed = [thread.id for thread in threads]
        rows = [(str(number), *self._describe(thread)) for number, thread in enumerate(threads, start=1)]
        if rows:
            show_table(("", _("conversation"), _("turns"), pgettext("column", "last")), rows, fixed=("last",), first=1)
        several = _("/threads 2 goes to the second, /reset starts a new one.")
        say(several if len(rows) > 1 else _("/reset starts a new one."))

    def go_to(self, name: str) -> None:
        """Open another conversation, by its name, its id or its number in the list.

        Raises:
            UserError: There is none.
        """
        self.id = self._find(name)
        self.remember()
        about = self._threads.describe(self.id)
        self._say_going_on(about, about.name or quote(about.about, 40))

    def begin(self, name: str) -> None:
        """Begin a conversation; an empty name gives it none.

        Raises:
            UserError: There is one of this name.
        """
        if name in self.list_names():
            hint = _("/threads {name} goes there.").format(name=name)
            raise UserError(_("There is a conversation {name} already.").format(name=name), hint)
        self.id = self._threads.open(name) if name else str(uuid.uuid4())
        self.remember()
        begun = _("A new conversation, {name}.").format(name=name) if name else _("A new conversation.")
        say(f"{begun} {_('What I know about you and your items stay.')}")

    def list_waiting(self) -> list[str]:
        """Return a line for each other conversation that waits for a decision: for how long, and how to go there."""
        self._listed, lines = self._threads.store.ids(), []
        for id, age in self._threads.waiting().items():
            if id != self.id:
                name = self._threads.store.names().get(id, "")
                place = name or self._listed.index(id) + 1
                waits = _("{name} waits for your decision ({age}); /threads {place} goes there.")
                lines.append(waits.format(name=name or _("A conversation"), age=age, place=place))
        return lines

    def _say_going_on(self, about: Thread, name: str, *, quoted: bool = True) -> None:
        told = ngettext("Going on with {name} ({n} turn)", "Going on with {name} ({n} turns)", about.turns, name=name)
        if about.turns and quoted:
            told = _("{told}, last: {text}").format(told=told, text=shorten(about.latest))
        say(told)

    def _describe(self, thread: Thread) -> tuple[str, str, str]:
        called = ": ".join(filter(None, (thread.name, thread.about and quote(thread.about, 72))))
        here = f" {_('(here)')}" if thread.id == self.id else ""
        return f"{called}{here}", str(thread.turns), show_moment(thread.last, self._clock) if thread.last else ""

    def _find(self, name: str) -> str:
        names, ids = self._threads.store.names(), self._threads.store.ids()
        if (id := self._threads.resolve(name)) in {*names, *ids}:
            return id
        listed = self._listed or ids
        if name.isdecimal() and 0 < int(name) <= len(listed):
            return listed[int(name) - 1]
        near = get_close_matches(name, names.values(), 1)
        hint = _("Did you mean {name}?").format(name=near[0]) if near else _("/threads lists them.")
        begin = _("/reset {name} begins one.").format(name=name)
        raise UserError(_("There is no conversation {name}.").format(name=name), f"{hint} {begin}")
