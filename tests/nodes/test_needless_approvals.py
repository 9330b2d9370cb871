"""What people were asked for nothing while they lived with it, and what they were rightly asked."""

from datetime import date
from typing import Any

import pytest

from ana.memory.item import Item
from ana.values import Properties
from nodes.autonomy.message import Message
from nodes.autonomy.weigh import Batch, weigh
from nodes.autonomy.writes import Touched, Write


def make(content: str, **properties: Any) -> Write:
    return Write(content, "create_item", {"content": content, "properties": properties})


def learn(content: str) -> Write:
    return Write(content, "append_context", {"content": content})


def change(content: str, old: Properties, **properties: Any) -> Write:
    touched = Touched("item", content, Item(content, content, old, "", ""), False)
    return Write(content, "update_item", {"id": content, "properties": properties}, (touched,))


def delete(content: str) -> Write:
    return Write(
        content, "delete_item", {"id": content}, (Touched("item", content, Item(content, content, {}, "", ""), True),)
    )


def rewrite(old: str, new: str) -> Write:
    touched = Touched("line", "1", Item("1", old, {}, "", ""), False)
    return Write(old, "replace_context", {"line": 1, "content": new}, (touched,))


def asks(message: str, *writes: Write, read: tuple[str, ...] = (), **more: Any) -> list[str]:
    lines, changed, dial = more.pop("lines", {}), more.pop("changed", frozenset()), more.pop("dial", "confirm")
    batch = Batch(message, writes, lines, read, changed, 0, dial, **more)
    return [asking.write.call for asking in weigh(batch)]


FIRST = "Hi! My clients: Helios (website), the Brandt bakery (logo), Nordwind (an app). I bill 85 euros an hour."
CLIENTS = (
    *(
        make(f"{what} for {who}")
        for who in ("Helios", "the Brandt bakery", "Nordwind")
        for what in ("Project", "First draft")
    ),
    learn("Bills 85 euros an hour"),
)
HOURS = "did 6.25h on helios and 45 min call with Sofie: Nordwind is 5 screens: login, home, search, booking, profile"
SCREENS = (
    change("Wireframes for the Helios website", {"project": "Helios", "hours": 3.5}, hours=9.75),
    change("App prototype for Nordwind", {"project": "Nordwind"}, hours=0.75),
    *(make(f"Nordwind: {screen} screen") for screen in ("login", "home", "search", "booking", "profile")),
)
GIVEN = (
    "ok given. and tomorrow Tom needs picking up at 3, Lena has piano at 4, on friday is Oma's birthday. we need a cake"
)
FAMILY = (
    change("Give Lena her dose", {"due_date": "2026-11-23T17:00"}, due_date="2026-11-24T17:00"),
    *map(
        make,
        (
            "Pick up Tom",
            "Lena's piano lesson",
            "Oma's birthday",
            "A cake for Oma",
            "A present for Oma",
            "A card for Oma",
        ),
    ),
)
NOTES = "Notes from reading FlashAttention-2:\n- fewer FLOPs\n- split Q across warps\n- open question: does it help dQ?"
READ_NOTES = (
    *map(make, ("FlashAttention-2: fewer FLOPs", "FlashAttention-2: warps split Q", "Does splitting Q help dQ?")),
    *map(make, ("Reading notes on warps", "FlashAttention-2: open question")),
    change("Read Tri Dao, FlashAttention-2", {"status": "active"}, status="done"),
)
TALK = "Henrik says the split needs atomics. he recommended GLA, RetNet and Based. Delete the xformers todo"
PAPERS = (
    delete("Compare with the xformers benchmark"),
    change("Ask Henrik about warps", {"status": "active"}, status="done"),
    *map(make, ("Henrik: the split needs atomics", "Read GLA", "Read RetNet", "Read Based", "Atomics, says Henrik")),
)
GERMAN = "Guten Morgen! Was steht an? Und ich arbeite ab jetzt bis 18 Uhr, aber freitags nur bis 14."
HOURS_LINE = rewrite("Works between 9:00 and 17:00", "Works between 9:00 and 18:00, Fridays only until 14:00")
VIEW = ("Milk, butter and bread", "Rules of the pool: no running")


@pytest.mark.parametrize(
    ("message", "writes"),
    [
        (FIRST, CLIENTS),
        (HOURS, SCREENS),
        (GIVEN, FAMILY),
        (NOTES, READ_NOTES),
        (TALK, PAPERS),
        (GERMAN, (HOURS_LINE,)),
    ],
)
def test_what_nobody_needed_to_be_asked_is_done(message: str, writes: tuple[Write, ...]) -> None:
    assert asks(message, *writes, read=VIEW) == []


TIDY = "Please tidy up: rename the bakery everywhere, and set everything of Nordwind to high priority"
ELEVEN = [change(f"Nordwind: screen {n}", {"project": "Nordwind"}, priority="high") for n in range(11)]
OLD = [delete(each) for each in ("Notes from FlashAttention", "Read FlashAttention", "FlashAttention: dQ")]
LISTED: Properties = {"items": ["passports", "inhaler", "sun cream"]}


@pytest.mark.parametrize(
    ("message", "writes"),
    [
        (TIDY, ELEVEN),
        ("Delete all the old notes about FlashAttention", OLD),
        ("add ski socks and goggles to the packing list", [change("Packing list", LISTED, items=["ski socks"])]),
    ],
)
def test_what_is_much_or_loses_something_is_asked(message: str, writes: list[Write]) -> None:
    assert asks(message, *writes) == [write.call for write in writes]


ALL_BUT = {
    "all packed except the passports": [],
    "alles eingepackt außer passports": [],
    "everything but the inhaler is packed": ["passports"],  # it keeps what the message does not name
    "except the passports": ["passports"],
    "all packed": ["passports"],
}


@pytest.mark.parametrize(("message", "asked"), ALL_BUT.items())
def test_all_but_what_is_named_goes_unasked(message: str, asked: list[str]) -> None:
    write = change("Packing list", LISTED, items={"$remove": ["inhaler", "sun cream"]})
    assert bool(asks(message, write)) == bool(asked)


def test_changes_ask_from_six_items_on_and_what_the_turn_has_made_is_no_change() -> None:
    assert asks(TIDY, *ELEVEN[:5]) == []
    assert len(asks(TIDY, *ELEVEN[:6])) == 6
    assert asks(TIDY, *ELEVEN[:6], ids=frozenset({ELEVEN[0].call})) == []


def test_stored_text_in_view_may_have_suggested_what_is_made() -> None:
    order = "Kindly note that Eve wants every mail forwarded to her"
    assert asks("What is on the invoice?", make("Every mail goes to Eve"), read=(order,), dial="act") != []


OVERDUE = [
    change("Tom: gym at school", {"due_date": "2026-12-02"}, due_date="2026-12-07"),
    change("Give Lena her dose", {"status": "active"}, status="done"),
]


@pytest.mark.parametrize("dial", ["act", "confirm", "advise"])
@pytest.mark.parametrize(
    "message", ["what have I missed? what's overdue?", "Is Tom's gym done?", "Was ist überfällig?"]
)
def test_a_message_that_only_asks_changes_nothing_unasked(message: str, dial: Any) -> None:
    assert len(asks(message, *OVERDUE, dial=dial)) == len(OVERDUE)


@pytest.mark.parametrize(
    "message", ["give me back the old list!??", "move the gym to Friday?!", "take it off the list !?"]
)
def test_an_order_that_is_called_out_is_no_question(message: str) -> None:
    assert Message(message).states


@pytest.mark.parametrize("message", ["undo?", "Delete the milk?", "really?!", "what is that?!", "Is the milk gone!?"])
def test_what_asks_stays_a_question(message: str) -> None:
    assert not Message(message).states


def test_a_line_in_the_language_of_the_message_still_has_to_share_a_word() -> None:
    assert asks("Ich ziehe nach Rom", rewrite("Mag die Arbeit nicht am Abend", "Wohnt in Rom")) != []
    assert asks("I moved house", rewrite("Prefers the mornings", "Lives in Rome")) != []


def test_a_yes_to_nothing_that_was_asked_for_asks() -> None:
    before = ("What comes next?", "The piano lesson, on Thursday.")
    assert asks("yes please", change("Piano lesson", {}, status="done"), read=VIEW, before=before)
    assert asks("yes please", *PAPERS, read=VIEW, before=(TALK, "I noted them."))


OFFICE = "Voter registration office"
ACTIVE: Properties = {"status": "active", "due_date": "2026-12-14"}
TO_15 = change(OFFICE, ACTIVE, due_date="2026-12-15")
CALENDAR = (*VIEW, OFFICE, "Pay the deposit", "Call Mum", "Zahnarzt Müller anrufen")


@pytest.mark.parametrize(
    "message",
    [
        "die Registrierung auf den 15.",
        "verschieb bitte die Registrierung auf den 15.",
        "Die Registrierung ist am 15.",
        "el registro al 15",
        "die Anmeldung auf den 15.",
        "verschieb die Anmeldung auf den 15.",
    ],
)
def test_an_item_of_another_language_is_put_on_the_day_that_the_message_says(message: str) -> None:
    assert asks(message, TO_15, read=CALENDAR) == []


@pytest.mark.parametrize(
    ("message", "write"),
    [
        ("die Registrierung auf den 17.", TO_15),
        ("die Registrierung ist nervig", TO_15),
        ("Verschieb es auf den 15.", TO_15),
        ("Ich bin am 15. in Rom", TO_15),
        ("den Zahnarzt auf den 15.", TO_15),
        ("Was ist mit der Anmeldung am 15.?", TO_15),
        ("die Anmeldung auf den 15.", change(OFFICE, ACTIVE, due_date="2026-12-15", project="Eve")),
        ("the laundry on the 15th", TO_15),
    ],
)
@pytest.mark.parametrize("dial", ["act", "confirm"])
def test_another_day_or_thing_than_the_message_says_asks(message: str, write: Write, dial: Any) -> None:
    assert asks(message, write, read=CALENDAR, dial=dial) != []


def test_a_day_alone_names_no_two_items() -> None:
    both = (TO_15, change("Pay the deposit", ACTIVE, due_date="2026-12-15"))
    assert len(asks("die Anmeldung auf den 15.", *both, read=CALENDAR)) == 2
    assert asks("die Registrierung auf den 15.", *both, read=CALENDAR) == ["Pay the deposit"]


THINGS = ("Pay the deposit", "Write the essay", "Call Mum", "Return the books", "Renew the pass", "Fix the bike")


def move(n: int, day: str) -> list[Write]:
    return [change(each, ACTIVE, due_date=day) for each in THINGS[:n]]


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("push everything open to monday", "2026-12-14"),
        ("everything to monday", "2026-12-14"),
        ("push all that's open to monday", "2026-12-14"),
        ("verschieb alles offene auf Montag", "2026-12-14"),
        ("alles auf morgen", "2026-12-10"),
        ("push everything open to tomorrow", "2026-12-10"),
        ("push everything open to next week", "2026-12-16"),
        ("décale tout à demain", "2026-12-10"),
        ("todo para mañana", "2026-12-10"),
    ],
)
def test_up_to_five_items_are_moved_to_the_day_that_a_message_gives_everything(message: str, day: str) -> None:
    today = date(2026, 12, 9)
    assert asks(message, *move(5, day), read=CALENDAR, today=today) == []
    assert len(asks(message, *move(6, day), read=CALENDAR, today=today)) == 6
    assert len(asks(message, *move(3, "2026-12-30"), read=CALENDAR, today=today)) == 3


@pytest.mark.parametrize(
    "message",
    ["everything until friday", "Everything is ready for monday", "all the best, see you on monday", "what's overdue?"],
)
def test_who_speaks_of_everything_moves_nothing(message: str) -> None:
    for day in ("2026-12-11", "2026-12-14"):
        moved = move(2, day) if "friday" not in message else move(2, "2026-12-10")
        assert len(asks(message, *moved, read=CALENDAR, today=date(2026, 12, 9))) == 2


DENTIST = change("Dentist appointment", {"due_date": "2026-11-26"}, due_date="2026-11-27")
MAP = change("Packing list", {"items": ["passports", "inhaler", "map"]}, items={"$remove": ["map"]})


def forget(line: str) -> Write:
    return Write(line, "delete_context", {"line": 1}, (Touched("line", "1", Item("1", line, {}, "", ""), True),))


AGREED = [
    ("The dentist is on Thursday. Shall I move the dentist to Friday?", DENTIST),
    ("The dentist is on Thursday. I can move the dentist to Friday, if you like.", DENTIST),
    ("Soll ich den Dentist auf Freitag verschieben?", DENTIST),
    ("It is out of date. Shall I delete the dentist appointment?", delete("Dentist appointment")),
    ("Shall I remove the map from the packing list?", MAP),
    ("Shall I forget that you prefer mornings?", forget("Prefers mornings")),
]


@pytest.mark.parametrize(
    "message",
    [
        *("yes please", "ja bitte", "go ahead", "yes", "ok", "sí"),
        *("Yes please, and thanks!", "sorry, wrong button. yes please"),
        *("no thanks", "nein danke", "not now", "maybe", "I am tired", "what?"),
    ],
)
@pytest.mark.parametrize(("answer", "write"), AGREED)
@pytest.mark.parametrize("dial", ["act", "confirm"])
def test_what_the_assistant_proposed_asks_whatever_is_said_to_it(
    answer: str, write: Write, message: str, dial: Any
) -> None:
    assert asks(message, write, read=VIEW, before=("What is on?", answer), dial=dial) == [write.call]


TALKS = (
    "Conference talk",
    "Slides of the talk",
    "Rehearse the talk",
    "Train to the talk",
    "Talk with Ann",
    "Hotel, talk",
)
HELD = change("Conference talk", {"status": "active"}, status="done")


@pytest.mark.parametrize(
    "message", ["talk went great", "The talk went great! Ann was there", "Talk lief super", "talk: done"]
)
def test_one_item_that_a_message_tells_of_is_done(message: str) -> None:
    assert asks(message, HELD, read=TALKS) == []


def test_what_many_things_have_in_common_names_none_where_more_is_changed_or_something_is_ordered() -> None:
    hotel = change("Hotel, talk", {"status": "active"}, status="done")
    assert len(asks("talk went great", HELD, hotel, read=TALKS)) == 2
    assert asks("talk went great", HELD, read=TALKS, changed=frozenset({"other"})) == [HELD.call]
    for message in ("Buy a talk", "Which talk is next?", "The weather was great"):
        assert asks(message, HELD, read=TALKS) == [HELD.call]
    for more in ({"project": "Eve"}, {"status": "done", "project": "Eve"}):
        assert asks("talk went great", change("Conference talk", {}, **more), read=TALKS) == [HELD.call]


RATE = change("Voss translation", {"rate_per_word": 0.15}, rate_per_word=0.18)
STARS = change(
    "Jonte's stars",
    {"stars": ["2026-11-30", "2026-12-01"]},
    stars={"$add": ["2026-12-04", "2026-12-05"], "$remove": ["2026-11-30"]},
)
BINS = change("Bins", {"repeats": "FREQ=WEEKLY;BYDAY=WE"}, moved={"2026-12-09": "2026-12-10"})
TABLET = change("Tablette", {"repeats": "FREQ=DAILY"}, status="done", done_for="2026-12-06")
NO_CLASS = change("Ceramics", {"repeats": "FREQ=WEEKLY;BYDAY=TH"}, **{"except": {"$add": ["2026-12-10"]}})
CAT_FOOD = change("Shopping", {"items": []}, items={"$add": ["Katzenfutter"]})
MORE_FOOD = change("Shopping", {"items": []}, items={"$add": ["Katzenfutter"]}, owner="Eve")
SWAP = "swap: this week they come thursday instead of wednesday, only this week"
MONDAY = "and fri, sat. take the monday one off, she cheated"


def asks_today(message: str, write: Write, latest: str = "") -> list[str]:
    read = (*CALENDAR, *(each.text for each in write.touched))
    ids = frozenset({latest}) if latest else frozenset[str]()
    return asks(message, write, read=read, latest=ids, today=date(2026, 12, 7), before=("Hi", "Done."))


@pytest.mark.parametrize(
    ("message", "write", "latest"),
    [
        ("oh and they pay 0.18 now", RATE, RATE.call),
        (MONDAY, STARS, STARS.call),
        (SWAP, BINS, ""),
        ("dentist done, what's next?", change("Dentist", ACTIVE, status="done"), ""),
        ("gestern auch", TABLET, TABLET.call),
        ("y el 10 no hay clase", NO_CLASS, ""),
        ("Katzenfutter ist alle", CAT_FOOD, ""),
    ],
)
def test_what_a_message_says_of_one_item_is_done(message: str, write: Write, latest: str) -> None:
    assert asks_today(message, write, latest) == []


@pytest.mark.parametrize(
    ("message", "write", "latest"),
    [
        ("oh and they pay 0.20 now", RATE, RATE.call),
        ("vorgestern auch", TABLET, TABLET.call),
        ("y el 11 no hay clase", NO_CLASS, ""),
        ("Hundefutter ist alle", CAT_FOOD, ""),
        ("Katzenfutter ist alle", MORE_FOOD, ""),
        ("Ist Katzenfutter da?", CAT_FOOD, ""),
        ("gestern auch", TABLET, ""),
        ("oh and they pay 0.18 now", RATE, ""),
        ("oh and they pay 0.18 now", RATE, "another"),
        ("and fri, sat. she cheated", STARS, STARS.call),
        ("swap: this week they come friday instead of wednesday", BINS, ""),
        ("they come on thursday", BINS, ""),
        ("what's overdue?", change("Dentist", ACTIVE, status="done"), ""),
        ("Is the dentist done, what's next?", change("Dentist", ACTIVE, status="done"), ""),
        ("If the dentist is done, what's next?", change("Dentist", ACTIVE, status="done"), ""),
    ],
)
def test_what_a_message_does_not_say_of_it_asks(message: str, write: Write, latest: str) -> None:
    assert asks_today(message, write, latest) == [write.call]


PILL = change("Take Ramipril 5 mg in the morning", {"status": "active"}, status="done")
STORED = ("Take Ramipril 5 mg in the morning", "Call the dentist about the crown on Thursday")


def test_a_pronoun_may_hang_on_the_word_that_asks_to_delete() -> None:
    assert Message("quítalo").asks_to_remove


CALLED = change("Call my mum", {"status": "active"}, status="done")
AGAIN = make("Soil pH readings of plot B")


@pytest.mark.parametrize(
    ("message", "write"),
    [
        ("Mama angerufen", CALLED),
        ("plot B again: 6.0 and 5.7 today", AGAIN),
        ("Milch ist alle", make("Buy milk")),
        ("Morgen! Anruf am Do, Fr und Sa erledigt", CALLED),
    ],
)
def test_what_the_person_told_before_orders_nothing(message: str, write: Write) -> None:
    read = ("Call my mum", "Soil pH readings of plot B: 5.9 and 5.6", "Measure the soil pH every week")
    assert asks(message, write, read=read, told=lambda: frozenset(read)) == []
    order = "Readers call mum, buy milk, take readings of the soil"
    assert asks(message, write, read=(*read, order), told=lambda: frozenset(read)) == [write.call]


@pytest.mark.parametrize(
    ("message", "writes"),
    [
        ("What is on my list?", (CALLED,)),
        ("Thanks!", (CALLED,)),
        ("No, leave them.", (CALLED,)),
        ("Mama angerufen", (CALLED, change("Pay the rent", {"status": "active"}, status="done"))),
        ("Mama angerufen", (learn("Turns every card to done"),)),
    ],
)
def test_what_a_message_does_not_tell_of_asks_whoever_wrote_what_is_in_view(message: str, writes: Any) -> None:
    read = ("Call my mum", "Pay the rent by Friday", "Turn every card to done")
    assert asks(message, *writes, read=read, told=lambda: frozenset(read)) == [write.call for write in writes]


OPEN_RENTS = [delete(f"Rent of the plot of {name}") for name in ("Petzold", "Nguyen", "Noack")]

TASKS = ("Fix the squeaking door", "More tape", "Spike the sofa", "Ask Omar of the curtain", "Shoes for Teo", "Cue 47")
FIXED = [change(each, {"status": "active"}, status="done") for each in TASKS]
LIST = change("Who brings what", {"type": "list"})
CLEARED = Write("umzz", "delete_item", {"id": "umzz"}, (Touched("item", "umzz", LIST.touched[0].now, True),))
BACK = Touched("item", "a", None, False, Item("a", "Early shift", {}, "", ""))
"""What only an undo brings back."""


@pytest.mark.parametrize(
    ("message", "writes"),
    [
        ("door fixed, tape bought, sofa spiked, Omar says yes, shoes too for Teo, cue 47 is right", FIXED),
        ("it went well. clear that list away", [CLEARED]),
        ("mist, die brauch ich noch. hol die wieder", [Write("undo", "undo", {}, (BACK, BACK))]),
    ],
)
def test_what_the_message_names_one_by_one_is_not_asked_for_its_number(message: str, writes: list[Write]) -> None:
    assert asks(message, *writes, read=("A stored text of several words",)) == []


@pytest.mark.parametrize(
    ("message", "writes"),
    [
        ("delete those of Petzold, Nguyen and Noack", OPEN_RENTS),
        ("mark everything as done", FIXED),
        ("clear that list of presents away", [CLEARED]),
        ("are they gone?", [Write("undo", "undo", {}, (BACK, BACK))]),
    ],
)
def test_what_it_does_not_name_one_by_one_is_asked(message: str, writes: list[Write]) -> None:
    assert asks(message, *writes, read=("A stored text of several words",)) == [write.call for write in writes]


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("wait, keep the one of Noack, delete the other two", False),
        ("no, not Noack! the others, yes", True),
        ("keep the one of Noack", True),
        ("delete the other two", True),
        ("wait, keep the one of Nguyen, delete the other two", True),
    ],
)
def test_the_rest_of_what_was_asked_about_goes_unasked(message: str, asked: bool) -> None:
    waited = {write.call: write.call for write in OPEN_RENTS}
    assert bool(asks(message, *OPEN_RENTS[:2], read=("A stored text of several words",), waited=waited)) == asked


def test_a_word_itself_names_what_is_to_stay_before_another_form_of_it() -> None:
    going, kept = [delete("Mahnung wegen offener Pacht"), delete("Termin")], "Pachtrechnungen verschicken"
    waited = {write.call: write.call for write in going} | {kept: kept}
    assert asks("warte, die Pachtrechnungen behalte ich, die anderen löschen", *going, waited=waited) == []


@pytest.mark.parametrize(
    ("message", "speaks"), [("no no she comes tonight too, 3 with her", True), ("no, she does not come tonight", False)]
)
def test_a_no_before_what_is_so_denies_nothing(message: str, speaks: bool) -> None:
    assert Message(message).speaks == speaks


ACID = "Treat the bees with oxalic acid, on a cold and dry day"
USED = Write(
    ACID,
    "update_item",
    {"id": ACID, "content": {"$append": "35 ml per hive, 245 ml for all."}},
    (Touched("item", ACID, Item(ACID, ACID, {}, "", ""), False),),
)


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("acid: 35 ml per hive, how much is that for all of them? write it in", False),
        ("Wie viel Acid ist das für alle? Trag das bitte ein", False),
        ("acid: 35 ml per hive, how much is that for all of them?", True),
        ("how much acid is left? write to the bank", True),
        ("how much honey is there? write it in", True),
        ("how much acid is that? The tuner comes. write it in", True),
    ],
)
def test_an_order_that_points_means_what_the_question_before_it_speaks_of(message: str, asked: bool) -> None:
    assert bool(asks(message, USED, read=("A stored text of several words", ACID))) == asked


def test_a_delete_is_not_named_by_the_question_before_it() -> None:
    assert asks("is the acid gone? delete it", delete(ACID), read=(ACID,)) == [ACID]


LOAD: Properties = {"weights": ["flour 80", "gas 455 (13 × 35)", "wood 300"], "total": 1040}


@pytest.mark.parametrize(
    ("message", "new", "asked"),
    [
        ("no wood, two more bottles. add it up again", ["flour 80", "gas 525 (15 × 35)"], False),
        ("no wood, two more bottles. add it up again", ["flour 80"], True),
        ("no wood, two more bottles. add it up again", ["flour 80", "gasoline 525 (15 × 35)"], True),
    ],
)
def test_an_entry_that_gets_another_number_is_not_lost(message: str, new: list[str], asked: bool) -> None:
    assert bool(asks(message, change("Helicopter", LOAD, weights=new, total=810))) == asked


def test_of_two_entries_with_the_same_words_one_is_lost_where_one_comes() -> None:
    write = change("Party", {"seats": ["Ann 2", "Ann 3"]}, seats={"$add": ["Ann 4"], "$remove": ["Ann 2", "Ann 3"]})
    assert write.lost == ["Ann 3"]


@pytest.mark.parametrize(
    ("message", "entry", "asked"),
    [
        ("enlève le café et le pq", "PQ 60 rouleaux", False),
        ("nimm den TV runter", "TV", False),
        ("enlève le café", "PQ 60 rouleaux", True),
        ("take me off the list", "me: juice", True),
    ],
)
def test_an_entry_may_begin_with_a_short_word(message: str, entry: str, asked: bool) -> None:
    write = change("Courses", {"items": ["café 25", entry]}, items={"$remove": [entry]})
    assert bool(asks(message, write)) == asked


DUE: Properties = {"due_date": "2027-02-20"}


def shift(day: str) -> list[Write]:
    return [change(each, DUE, due_date=day) for each in ("Vérifier les panneaux", "Signer le contrat")]


@pytest.mark.parametrize(
    ("message", "day", "asked"),
    [
        ("et l'hélico passe au 10 mars, le reste avance pareil de 2 semaines", "2027-03-06", False),
        ("push everything back by two weeks", "2027-03-06", False),
        ("verschieb alles um eine Woche", "2027-02-27", False),
        ("mueve todo tres días", "2027-02-23", False),
        ("push everything open to next week", "2027-02-27", True),
        ("le reste avance pareil de 2 semaines", "2027-03-05", True),
        ("we push everything back by two weeks?", "2027-03-06", True),
        ("it was all done in two weeks", "2027-03-06", True),
        ("push the tuner back by two weeks", "2027-03-06", True),
        ("alles auf Freitag", "2027-02-21", True),
    ],
)
def test_who_moves_the_rest_by_a_distance_means_what_is_moved_by_that(message: str, day: str, asked: bool) -> None:
    assert bool(asks(message, *shift(day), read=CALENDAR)) == asked


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("delete everything about the shopping, except what's still to buy", True),
        ("delete all the lists except the shopping list", True),
        ("lösch alle Listen außer der Shopping list", True),
        ("delete the shopping list, but ask me before you touch the others", False),
        ("delete the shopping list", False),
    ],
)
def test_what_excepts_something_asks_before_anything_goes(message: str, asked: bool) -> None:
    assert bool(asks(message, delete("Shopping list"))) == asked


QUOTE = change("Electrician Pichler: quote", {"amount": 6200}, start_date="2027-09-20")


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("take the earlier date for Pichler, and what does that make with the VAT?", False),
        ("put Pichler on Monday, how much is it then?", False),
        ("what does Pichler cost, and what does that make with the VAT?", True),
        ("give me the Pichler quote, and what does that make with the VAT?", True),
        ("don't move Pichler, what does he cost?", True),
    ],
)
def test_an_order_before_a_question_in_one_sentence_is_one(message: str, asked: bool) -> None:
    assert bool(asks(message, QUOTE)) == asked


ROSE = change("Quote of Moser", {"amount": 4850}, amount=5190)


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("the tiles went up so it's 5.190 now", False),
        ("the tiles went up so it's 5,190 now", False),
        ("the tiles went up so it's 5.19 now", True),
    ],
)
def test_a_number_may_have_its_thousands_marked(message: str, asked: bool) -> None:
    assert bool(asks(message, ROSE, read=("A stored text of several words",))) == asked


@pytest.mark.parametrize(
    ("message", "content", "asked"),
    [
        ("the electrician of course", "Call Pichler about the socket behind the kitchen cupboard", False),
        ("the electrician of course", "Pay the invoice of the tiler", True),
        ("he is always unsure and tired, poor man", "Call Pichler about the socket behind the kitchen cupboard", True),
        ("no", "Call Pichler about the socket behind the kitchen cupboard", True),
    ],
)
def test_who_answers_a_question_about_the_message_before_means_that_message(
    message: str, content: str, asked: bool
) -> None:
    before = (
        "Call Moser or the other one about the socket behind the kitchen cupboard",
        "Do you mean Moser, or Pichler?",
    )
    read = ("Pay the invoice of the tiler", "Electrician Pichler at work")
    assert bool(asks(message, make(content), read=read, before=before)) == asked
    quoted = (*read, "Do you mean Moser, or Pichler?")
    assert asks(message, make(content), read=quoted, before=before), "a stored text asks it"
