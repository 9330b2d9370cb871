"""The offline reader: what it keeps, finds, changes and asks back, and what it leaves alone."""

import json
from datetime import date
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ana.memory.status import CLOSED
from ana.models.base import NOT_UNDERSTOOD
from ana.models.offline.reader import OfflineReader, reply
from nodes.reason import make_system_message
from tests.models.conftest import Ask
from tools.catalog import TOOLS, schemas

TODAY = date(2026, 1, 7)
NAMES = frozenset(TOOLS)
MODEL = "`ana setup` connects a model, which understands more."


def prompt() -> SystemMessage:
    now = "Wednesday 2026-01-07 09:00, Europe/Berlin\nComing days: Thu 2026-01-08"
    return make_system_message({"now": now, "vocabulary": "", "lines": {}})


def item(content: str, id: str = "aaaaaaaa", **properties: Any) -> dict[str, Any]:
    return {"id": id, "content": content, "properties": properties}


def found(*items: dict[str, Any], share: float = 1.0) -> dict[str, Any]:
    """What a query gives: each item has so many of the words."""
    why = [{"id": each["id"], "vector": 0.5, "share": share} for each in items]
    return {"items": list(items), "total": len(items), "truncated": False, "why": why}


class Talk:
    """A conversation with the reader in which tools answer what is given."""

    def __init__(self) -> None:
        self.messages: list[BaseMessage] = [prompt()]

    def say(self, text: str, *results: dict[str, Any]) -> AIMessage:
        """Say something, answer the calls in order, and return what follows."""
        self.messages.append(HumanMessage(text))
        left = list(results)
        while (answer := reply(self.messages)).tool_calls and left:
            self.messages.append(answer)
            for call in answer.tool_calls:
                result = dict(left.pop(0))
                artifact = {"why": result.pop("why")} if "why" in result else None
                self.messages.append(ToolMessage(json.dumps(result), tool_call_id=call["id"], artifact=artifact))
        self.messages.append(answer)
        return answer


def say(text: str, *results: dict[str, Any]) -> AIMessage:
    return Talk().say(text, *results)


def call_of(message: AIMessage) -> tuple[str, dict[str, Any]]:
    (call,) = message.tool_calls
    return call["name"], call["args"]


def find_kept(text: str) -> tuple[str, dict[str, Any]]:
    name, args = call_of(say(text))
    assert name == "create_item"
    return args["content"], args["properties"]


WHOLE = """
bike lock code is 4471
Leo is allergic to cashews
dentist for both kids, both forms signed
cancelled shifts dont get paid if its less than 24h before
which doctor is nice: dr okafor
when the hearing aid whistles turn it down two clicks
done deal with mueller, 3 bathrooms, start in april
owe sam 14.50 for the ubr
laundry!!
asdf qwer
I bought the milk
Ich habe die Miete bezahlt
el código del portal es 1234
牛乳を買う
drop off the parcel at dhl
i have to do the dishes
i meant to call bob
put the keys under the mat
find a new dentist
mark the exam papers
I prefer deep work in the mornings
remember that I'm left-handed
who sings the solo depends on gerdas knee
you know lunch is off, and call the bank
"""


@pytest.mark.parametrize("text", WHOLE.strip().splitlines())
def test_a_statement_is_kept_in_its_own_words(text: str) -> None:
    assert find_kept(text) == (text, {})


TYPED: list[tuple[str, str, dict[str, str]]] = [
    ("remind me to call Anna", "call Anna", {"type": "reminder"}),
    ("Remind me tomorrow at 10 to call Anna", "call Anna", {"type": "reminder", "due_date": "2026-01-08T10:00"}),
    ("remind me in 20 min to take the pizza out", "take the pizza out", {"due_date": "2026-01-07T09:20"}),
    ("tomorrow at 8am remind me to stretch", "stretch", {"type": "reminder", "due_date": "2026-01-08T08:00"}),
    ("remind me to cancel the skip hire by friday", "cancel the skip hire by friday", {"due_date": "2026-01-09"}),
    ("could you add a task to water the plants", "water the plants", {"type": "task", "status": "active"}),
    ("todo: update my CV by Sunday", "update my CV by Sunday", {"type": "task", "due_date": "2026-01-11"}),
    ("note: what is due, call me Ishmael", "what is due, call me Ishmael", {"type": "note"}),
    ("note my locker is 12", "note my locker is 12", {"type": "note"}),
    ("Note for Acme: iOS at 9:30", "Note for Acme: iOS at 9:30", {"type": "note"}),
    ("idea: a podcast", "a podcast", {"type": "idea"}),
    ("i need a reminder on friday to pay", "pay", {"type": "reminder", "due_date": "2026-01-09"}),
    ("don't forget the photos", "don't forget the photos", {"type": "reminder"}),
    (
        "remind me to return the book 2 hours from now",
        "return the book 2 hours from now",
        {"due_date": "2026-01-07T11:00"},
    ),
]


@pytest.mark.parametrize(("text", "content", "properties"), TYPED)
def test_its_lead_in_gives_its_type_and_one_clear_day_its_date(
    text: str, content: str, properties: dict[str, str]
) -> None:
    said, given = find_kept(text)
    assert said == content
    assert given.items() >= properties.items()
    assert ("status" in given) == (given["type"] in ("task", "reminder") or "due_date" in given)


DATED = """
2 days before christmas, call Ida           | 2026-12-23
lunch 12:30, and call the bank              | 2026-01-07T12:30
offer for Tina this Friday                  | 2026-01-09
Zahnarzt am Freitag um 9:30                 |
mañana 15:00 llamar a Ana                   |
el 2026-02-03 llega la tía                  | 2026-02-03
Miete ist bis 15.1. zu zahlen               | 2026-01-15
"""


@pytest.mark.parametrize("row", DATED.strip().splitlines())
def test_a_date_is_taken_only_where_all_of_it_is_read(row: str) -> None:
    text, _, due = (part.strip() for part in row.partition("|"))
    assert find_kept(text) == (text, {"due_date": due, "status": "active"} if due else {})


@pytest.mark.parametrize("text", ["Ich habe die Miete bezahlt", "el código del portal es 1234", "牛乳を買う"])
def test_a_sentence_in_another_language_is_kept_whole_with_the_way_to_a_model(text: str) -> None:
    assert say(text, item(text)).text.endswith(
        f"I understand only English; in other languages I read dates in figures. {MODEL}"
    )
    assert MODEL not in say("Paul is at the café", item("Paul is at the café")).text


def test_what_was_kept_is_left_to_the_receipt_and_what_rings_is_told_once() -> None:
    due = item("call Anna", due_date="2026-01-08T10:00 (Thursday)", type="reminder", remind="at the time")
    talk, ringing = Talk(), "Nothing can ring: no address is set."
    told = [talk.say("remind me tomorrow at 10 to call Anna", due | {"reminder": ringing}).text for _ in range(2)]
    assert told == [f"Kept. {ringing}", "Kept."]
    assert say("laundry", item("laundry")).text == "Kept."
    assert "already" in say("laundry", {"existing": item("laundry"), "choice": "x"}).text


def test_next_friday_is_told_with_both_its_days() -> None:
    told = say("offer for Tina next Friday", item("offer for Tina next Friday", due_date="2026-01-16 (Friday)")).text
    assert told.endswith("“next Friday” can mean Friday January 16 2026, as I read it, or Friday January 9 2026.")
    assert "can mean" not in say("offer for Tina this Friday", item("offer", due_date="2026-01-09 (Friday)")).text


def test_several_lines_or_a_long_text_are_kept_whole_and_what_is_not_read_of_them_is_told() -> None:
    long = f"call Anna tomorrow at 9:30{', and so on' * 60}, what is due?"
    for text in ("- tent\n* cash", "todo:\n- call bob", "bed 3 obs\nbed 7 nbm", "note: first\n\nsecond", long):
        assert find_kept(text) == (text, {"type": "note"})
        assert say(text, item(text)).text.endswith("and I read no day, question or order in it.")
    assert "no day" not in say(long[:200], item(long[:200])).text


def test_that_something_is_urgent_is_no_order() -> None:
    said = "Call the dentist by Tuesday, it's urgent"
    assert find_kept(said) == (said, {"status": "active", "due_date": "2026-01-13"})


TALK = """
hi
good morning dear
lol ok thanks
nvm found it
never mind
both
yes please
sounds good
help
what can you do
!!!
👍
"""


@pytest.mark.parametrize("text", TALK.strip().splitlines())
def test_talk_is_answered_and_not_kept(text: str) -> None:
    message = say(text)
    assert message.tool_calls == []
    assert message.text
    assert NOT_UNDERSTOOD not in message.response_metadata


@pytest.mark.parametrize("text", ["undo", "undo that please", "please take that back"])
def test_undo(text: str) -> None:
    assert call_of(say(text)) == ("undo", {})


REFUSED = """
git push origin main --force
rm -rf /tmp/x
change the filter at no 14 friday
cancel my spotify before the 15th
delete all tasks
undo everything
rename yoga to pilates
move the dentist to friday
make the passport renewal high priority
I don't need the milk any more, delete it
paid the rent. also move the dentist to monday
both reports are done
delete it
put it on friday
give me two more days for the slides
prioritise the invoice
no swimming this week
12.5 x 4
split 84 by 3 and add 10
"""


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_an_order_that_it_cannot_do_changes_nothing_and_it_says_what_to_do_instead(text: str) -> None:
    talk = Talk()
    refused = talk.say(text, found())
    assert refused.text.startswith("I changed nothing: ")
    assert refused.text.endswith(f"“task: …” keeps it as a task. {MODEL}")
    assert refused.response_metadata[NOT_UNDERSTOOD]
    assert talk.say("yes please").tool_calls == []
    assert find_kept(f"task: {text}")[0] == text


DENTIST = item("Dentist", "dddddddd", due_date="2026-01-08T14:30 (Thursday)")
DONE = {"id": "dddddddd", "properties": {"status": "done"}}
ORDERS: list[tuple[str, str, dict[str, Any]]] = [
    ("delete the dentist", "delete_item", {"id": "dddddddd"}),
    ("could you remove my dentist from the calendar please", "delete_item", {"id": "dddddddd"}),
    ("i finished the dentist", "update_item", DONE),
    ("done with the dentist", "update_item", DONE),
    ("done: dentist", "update_item", DONE),
    ("dentist is done", "update_item", DONE),
    ("mark the dentist as done", "update_item", DONE),
    ("tick off dentist", "update_item", DONE),
]


@pytest.mark.parametrize(("text", "tool", "args"), ORDERS)
def test_an_order_changes_the_one_item_that_it_names(text: str, tool: str, args: dict[str, Any]) -> None:
    assert call_of(say(text, found(DENTIST))) == (tool, args)


def test_where_two_fit_it_asks_and_does_what_is_answered() -> None:
    contract = item("Email Peter about the contract", "bbbbbbbb")
    two = found(contract, item("Email Peter about the photos", "cccccccc"))
    talk = Talk()
    asked = talk.say("done email peter", two)
    assert asked.text.startswith("Which one do you mean? Say a word that only it has.\n- “Email Peter about the con")
    assert call_of(talk.say("the contract")) == (
        "query_items",
        {"text": "email peter the contract", "limit": 20, "where": {"status": {"$nin": list(CLOSED)}}},
    )
    talk = Talk()
    talk.say("done email peter", two)
    assert call_of(talk.say("the contract", found(contract)))[1]["id"] == "bbbbbbbb"
    talk = Talk()
    talk.say("done email peter", two)
    assert call_of(talk.say("buy six eggs and some bread tomorrow"))[0] == "create_item"
    assert talk.say("both").tool_calls == []


def test_a_part_of_an_item_does_not_name_it_nor_does_a_word_of_a_long_one() -> None:
    for content in ("Buy oat milk and eggs", f"Eggs {'and much more besides ' * 9}"):
        answer = say("delete the eggs", found(item(content)))
        assert "The nearest is" in answer.text
    assert call_of(say("done oat milk and eggs", found(item("Buy oat milk and eggs"))))[0] == "update_item"


def test_where_none_fits_it_says_so() -> None:
    answer = say("mark fix the boiler done", found(item("Fix the printer"), share=0.7))
    assert answer.text.startswith("I changed nothing: I have nothing called “fix the boiler”.")
    assert kept_by(say("the boiler is done", found(item("Fix the printer"), share=0.2))) == "the boiler is done"


def test_what_is_told_as_done_is_looked_for_by_its_plain_verb_and_else_kept_in_its_words() -> None:
    looked = {said: call_of(say(said))[1]["text"] for said in ("called mum, done", "speed test done", "done: called")}
    assert looked == {"called mum, done": "call mum", "speed test done": "speed test", "done: called": "called"}
    assert call_of(Talk().say("called mum, done", found(item("call mum"))))[0] == "update_item"
    assert kept_by(say("called mum, done", found(item("mum's key"), share=0.4))) == "called mum, done"


def kept_by(message: AIMessage) -> str:
    name, args = call_of(message)
    assert name == "create_item"
    return str(args["content"])


def test_what_repeats_is_kept_by_its_rule_and_done_for_one_date() -> None:
    _, kept = call_of(say("every friday school closes at 1"))
    assert kept["properties"] == {"repeats": "every friday at 13:00"}
    _, medicine = call_of(say("remind me every day to take the pills"))
    reminder = {"type": "reminder", "status": "active", "repeats": "every day", "remind": "on the day"}
    assert medicine["properties"] == reminder
    assert "repeats" not in call_of(say("we talk to each other about the trip"))[1].get("properties", {})
    bins = item("Put the bins out", status="active", repeats="FREQ=WEEKLY;BYDAY=TU", due_date="2026-01-13 (Tuesday)")
    talk = Talk()
    assert call_of(talk.say("done put the bins out", found(bins)))[1]["properties"] == {"status": "done"}


AGENDA: list[tuple[str, dict[str, Any]]] = [
    ("what's due Friday?", {"text": "what's due friday?"}),
    ("tomorrow", {"text": "due tomorrow"}),
    ("this week", {"text": "due this week"}),
]
LISTED = ["due", "what is due", "todo", "list my tasks", "what do I have to do?", "What's still left to do", "agenda"]


@pytest.mark.parametrize(("text", "args"), AGENDA)
def test_what_is_due_is_asked_by_its_dates(text: str, args: dict[str, Any]) -> None:
    assert call_of(say(text)) == ("query_items", args | {"limit": 5})


@pytest.mark.parametrize("text", ["overdue", "what is overdue?"])
def test_what_is_overdue_is_asked_as_everybody_asks_it(text: str) -> None:
    name, args = call_of(say(text))
    assert name == "query_items"
    assert "overdue" in args["text"]


@pytest.mark.parametrize("text", LISTED)
def test_what_is_to_be_done_is_listed_by_date(text: str) -> None:
    where = {"status": {"$nin": list(CLOSED)}, "type": {"$nin": ["note", "idea"]}}
    assert call_of(say(text)) == ("query_items", {"where": where, "limit": 5})


def test_a_list_has_five_items_with_their_days_and_says_how_many_more() -> None:
    told = say("todo", found(DENTIST) | {"total": 8}).text
    assert told == "- “Dentist”, due Thu 8 Jan 14:30\n… and 3 more, in the list of items."
    several = found(*(item(f"jar {n}", id=f"jar{n}") for n in range(8)))
    assert say("where are the jars?", several).text.endswith("… and 3 more, in the list of items.")
    assert call_of(say("show me everything"))[1]["where"] == {"status": {"$nin": list(CLOSED)}}
    assert say("todo", found()).text == f"I found nothing like that. {MODEL}"


READ = """
Dentist check March 14, every year         | FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=14
pay tax every year on March 14             | FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=14
pay rent each 3rd of the month             | FREQ=MONTHLY;BYMONTHDAY=3
stretch weekdays at 8                      | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=0
pay Tom on the 1st and 15th of every month | FREQ=MONTHLY;BYMONTHDAY=1,15
meds at 8 and 20 every day                 | FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0
every friday at 5pm and 7pm call           | FREQ=WEEKLY;BYDAY=FR;BYHOUR=17,19;BYMINUTE=0
swim every friday until june               | FREQ=WEEKLY;BYDAY=FR
swim every friday for 5 times              | FREQ=WEEKLY;BYDAY=FR
Ida annually on 3 May                      | FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3
fortnightly on Fridays                     | FREQ=WEEKLY;INTERVAL=2;BYDAY=FR
yoga on Tuesdays                           | FREQ=WEEKLY;BYDAY=TU
water the fig tree every eleven days       | FREQ=DAILY;INTERVAL=11
"""

UNREAD = """
pay Tom the 1st and the 15th
walk every day but sunday
swim every friday except in june
quarterly tax on the 15th
check the oven every two hours
"""


@pytest.mark.parametrize("row", READ.strip().splitlines())
def test_a_rule_in_words_is_kept_as_one(ask: Ask, row: str) -> None:
    text, rule = (part.strip() for part in row.split("|"))
    done = ask(text)
    (made,) = done.changes
    assert made["after"]["properties"]["repeats"] == rule
    assert ("until" in made["after"]["properties"]) is ("until" in text or "times" in text)
    assert "did not understand" not in done.answer


@pytest.mark.parametrize("text", UNREAD.strip().splitlines())
def test_a_rule_that_is_not_understood_is_kept_in_words_alone_and_said(ask: Ask, text: str) -> None:
    done = ask(text)
    (made,) = done.changes
    assert made["after"]["content"] == text
    assert not {"due_date", "repeats"} & made["after"]["properties"].keys()
    assert done.answer.endswith("I did not understand when it repeats: that is kept in its words alone.")


def test_a_day_that_comes_every_four_years_is_the_next_one(ask: Ask) -> None:
    (made,) = ask("mum's birthday is on 29 february").changes
    assert made["after"]["properties"]["due_date"] == "2028-02-29"


@pytest.mark.parametrize("text", ["every friday school closes at 1", "book club every other Tuesday at 5pm", "laundry"])
def test_a_rule_that_is_understood_or_none_is_not_doubted(ask: Ask, text: str) -> None:
    assert "did not understand" not in ask(text).answer


def test_a_list_says_how_many_more_dates_of_a_series_pass(ask: Ask) -> None:
    told = say("what's due this week?", found(DENTIST | {"more_dates": 2})).text
    assert told == "- “Dentist”, due Thu 8 Jan 14:30, more dates: 2"
    ask("take the pills every day at 8")
    assert ", more dates: " in ask("what is due next week?").answer


ASKED = """
what did i quote henderson
when is the vet
where did i put the spare key
did acme get their invoice
anything about tomatoes
show me ideas for acme
acme tasks
everything about acme
remind me, what's the capital of Norway?
don't i have an umbrella
wifi cabin?
when dentist
税金はいつ？
vet is when again
what time is it
what is 19% of 240?
when do I have time
wann ist der Zahnarzt?
What does this mail want? "Dear all: pay now. Yours"
"""


@pytest.mark.parametrize("text", ASKED.strip().splitlines())
def test_a_question_is_searched_for_and_never_kept(text: str) -> None:
    assert call_of(say(text)) == ("query_items", {"text": text, "limit": 10})


def test_only_what_is_like_the_question_is_shown_and_at_most_five() -> None:
    far = found(item("Buy milk"), share=0.05)
    assert say("what did i quote henderson", far).text.startswith("I found nothing like that")
    many = found(*(item(f"Key {n}", f"aaaaaaa{n}") for n in range(8)))
    assert say("where is the key", many).text.count("“Key") == 5


def test_what_another_model_called_before_may_have_answered_anything() -> None:
    talk = Talk()
    talk.messages += [HumanMessage("roll"), AIMessage(""), ToolMessage("5", tool_call_id="x"), AIMessage("A five.")]
    assert call_of(talk.say("laundry"))[1]["content"] == "laundry"


def test_an_error_is_told() -> None:
    assert say("buy milk", {"error": "The disk is full.", "hint": "x"}).text == "That did not work: The disk is full."


def test_without_a_clock_in_the_prompt_nothing_is_done() -> None:
    message = reply([HumanMessage("buy milk tomorrow")])
    assert message.tool_calls == []
    assert "what day it is" in message.text


def test_it_is_a_chat_model_that_streams_and_binds() -> None:
    bound = OfflineReader().bind_tools(schemas())
    assert bound.invoke([prompt(), HumanMessage("buy milk")]).tool_calls[0]["name"] == "create_item"
    assert "".join(c.text for c in bound.stream([prompt(), HumanMessage("thanks")])).startswith(
        "Tell me things to keep"
    )


def test_a_series_is_not_deleted_where_a_day_is_named() -> None:
    swimming = item("swimming", due_date="2026-01-09T17:00 (Friday)", repeats="FREQ=WEEKLY;BYDAY=FR")
    said = say("delete swimming on the 9th", found(swimming))
    assert said.text.startswith("I changed nothing: I delete a thing on all its days")
    assert call_of(say("delete swimming", found(swimming))) == ("delete_item", {"id": "aaaaaaaa"})


def test_a_time_before_the_words_of_a_rule_is_kept() -> None:
    _, given = find_kept("School closes at 1 every friday")
    assert given == {"repeats": "at 1 every friday"}


def test_a_reminder_rings_and_says_whether_anything_can(ask: Ask) -> None:
    _, given = find_kept("remind me at 5 to call mum")
    assert (given["due_date"], given["remind"]) == ("2026-01-07T17:00", "at the time")
    assert find_kept("remind me on friday to call mum")[1]["remind"] == "on the day"
    assert find_kept("remind me every tuesday at 7 to take the bins out")[1]["remind"] == "at the time"
    assert "Nothing can ring" in ask("remind me tomorrow at 5 to call mum").answer
    assert ask("remind me every tuesday at 7 to take the bins out").answer == "Kept.", "it was told"
    kept = item("call mum", due_date="2026-01-07T17:00", remind="at the time")
    assert say("remind me at 5 to call mum", kept | {"reminder": "Rings at five by ntfy."}).text.endswith("by ntfy.")


@pytest.mark.parametrize("text", ["remind me to see the vet on 30 February 2027 at 10:00", "plumber 2027-02-30 10:00"])
def test_an_impossible_date_is_kept_in_words_alone_and_said(ask: Ask, text: str) -> None:
    done = ask(text)
    (made,) = done.changes
    assert not {"due_date", "remind"} & made["after"]["properties"].keys()
    day = "2027-02-30" if "2027-02" in text else "30 February 2027"
    assert day in made["after"]["content"]
    assert f"There is no “{day}" in done.answer
    assert done.answer.endswith("” in any calendar, so it is not used as a date.")


@pytest.mark.parametrize("said", ["what does this change for us?", "undo", "buy milk tomorrow", "due today"])
def test_a_turn_that_another_model_began_ends_with_a_sentence(said: str) -> None:
    begun = [("query_items", found(item("Class photo"))), ("delete_item", {"deleted": item("Class photo")})]
    asked = [{"name": name, "args": {}, "id": f"a{n}"} for n, (name, _) in enumerate(begun)]
    answers = [ToolMessage(json.dumps(told | {"why": []}), tool_call_id=f"a{n}") for n, (_, told) in enumerate(begun)]
    answer = reply([prompt(), HumanMessage(said), AIMessage("", tool_calls=asked), *answers])
    said_so = "Another model had begun this; what it may do is done as you decided."
    assert (answer.text, answer.tool_calls) == (said_so, [])
