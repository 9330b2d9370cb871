"""The spec of the list of people, written once, as checks that run on every implementation.

A check takes a function that opens the list, as one more process would.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from ana.people.people import People
from ana.people.roster import Entry, Roster
from ana.settings import Settings

OpenRoster = Callable[[], Roster]
ANN, BOB = Entry(("one", "two"), "code", 1.5), Entry()


def another_process_reads_what_was_kept(open_roster: OpenRoster, _: Settings) -> None:
    assert open_roster().load() == {}
    with open_roster().change() as listed:
        listed |= {"ann": ANN, "bob": BOB}
    assert open_roster().load() == {"ann": ANN, "bob": BOB}
    with open_roster().change() as listed:
        assert listed.pop("bob") == BOB
        listed["ann"] = BOB
    assert open_roster().load() == {"ann": BOB}


def after_an_error_the_list_is_as_before(open_roster: OpenRoster, _: Settings) -> None:
    with open_roster().change() as listed:
        listed["ann"] = ANN
    with suppress(KeyError), open_roster().change() as listed:
        listed["bob"] = BOB
        del listed["nobody"]
    assert open_roster().load() == {"ann": ANN}


def changes_at_once_are_all_kept(open_roster: OpenRoster, _: Settings) -> None:
    def add(name: str) -> None:
        with open_roster().change() as listed:
            listed[name] = ANN

    names = [f"p{n}" for n in range(20)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, names))
    assert open_roster().load() == dict.fromkeys(names, ANN)


def people_sign_in_by_it(open_roster: OpenRoster, settings: Settings) -> None:
    def open_people() -> People:
        return People(settings, roster=open_roster())

    token = open_people().add("anna")
    assert open_people().find(token) == "anna"
    signed_in = open_people().exchange(code := open_people().make_code("anna"))
    assert signed_in
    assert open_people().exchange(code) is None, "it is used once"
    assert [open_people().find(each) for each in (token, signed_in[1])] == ["anna", "anna"]
    of_bob, renewed = open_people().add("bob"), open_people().renew("anna")
    assert [open_people().find(each) for each in (token, signed_in[1], renewed)] == [None, None, "anna"]
    assert open_people().find(of_bob) == "bob"


ROSTER = (
    another_process_reads_what_was_kept,
    after_an_error_the_list_is_as_before,
    changes_at_once_are_all_kept,
    people_sign_in_by_it,
)
