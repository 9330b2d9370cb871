"""Judges what is kept in a database after crashes: nothing lost, doubled, in another order, or somebody else's."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import psycopg

from ana.children import run_python
from ana.settings import Settings
from ana.workspace import open_workspace
from evals.crash.fleet import Fleet
from evals.crash.talk import Message, Person
from evals.load.model import SUCCESS

_LEFTOVERS = {
    "runs that have not ended": "SELECT id, status, attempt, failures FROM runs WHERE NOT done",
    "jobs that have not ended": "SELECT id, status, args FROM procrastinate_jobs WHERE status IN ('todo', 'doing')",
    "runs whose events have gaps": """SELECT run, count(*), max(position) FROM run_events GROUP BY run
        HAVING min(position) <> 1 OR count(*) <> max(position)""",
    # three failures are told as what they are
    "runs that failed": "SELECT id, failures, error FROM runs WHERE status = 'error' AND failures <= 3",
    "runs that nobody stopped": "SELECT id, status FROM runs WHERE status NOT IN ('success', 'error')",
    "runs that failed without a sentence": "SELECT id FROM runs WHERE status = 'error' AND error NOT LIKE '%_.'",
}
"""What must not be there when all is quiet."""

_ITEMS = """SELECT record ->> 'content' FROM records JOIN people ON number = person
    WHERE kind = 'item' AND name = %s"""
_RUNS = "SELECT id, status FROM runs JOIN people ON number = person WHERE name = %s"


async def find_faults(fleet: Fleet, people: Sequence[Person], *, unharmed: bool = False) -> list[str]:
    """Return what is wrong, now that everybody has gone quiet.

    Args:
        fleet: Where they talked.
        people: Who talked.
        unharmed: Whether nothing was killed, so that every message was answered and kept.
    """
    faults = [fault for person in people for fault in person.faults]
    answers = defaultdict[str, list[str]](list)
    for person, other in zip(people, [*people[1:], people[0]], strict=True):
        for thread in {message.thread for message in person.messages}:
            faults += await judge_thread(person, thread, fleet.settings, answers)
            if (await other.get(f"/threads/{thread}/state")).status_code != 404:
                faults.append(f"{other.name} can read a thread of {person.name}")
    fleet.disconnect()
    with psycopg.connect(fleet.database.url, autocommit=True) as owner:
        for what, query in _LEFTOVERS.items():
            faults += [f"{what}: {row}" for row in owner.execute(query.encode()).fetchall()]
        for person in people:
            stored = Counter(text for (text,) in owner.execute(_ITEMS, [person.name]))
            runs: dict[str, str] = dict(owner.execute(_RUNS, [person.name]).fetchall())
            faults += judge_items(person, stored, answers) + judge_runs(person, runs)
            if unharmed:
                faults += [f"not kept: {each.text}" for each in person.messages if each.text not in stored]
                faults += [f"ended as {m.status!r}: {m.text}" for m in person.messages if m.status != "success"]
    return faults


def judge_items(person: Person, stored: Mapping[str, int], answers: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is wrong with a person's items.

    Args:
        person: Whose.
        stored: How often each is there.
        answers: What was said to each message.
    """
    confirmed = [each.text for each in person.messages if SUCCESS in "".join(answers.get(each.text, []))]
    wrong = [f"lost: {text}" for text in confirmed if text not in stored]
    wrong += [f"kept {times} times: {text}" for text, times in stored.items() if times > 1]
    return wrong + [f"{person.name} has what they never said: {text}" for text in stored.keys() - person.every]


def judge_runs(person: Person, runs: Mapping[str, str]) -> list[str]:
    """Return which runs are not as they were told, by their ids."""
    return [
        f"it was begun, and told to be {message.status or 'nothing'}, and is {runs.get(message.id)}: {message.text}"
        for message in person.messages
        if message.begun and runs.get(message.id) != message.status
    ]


async def judge_thread(
    person: Person, thread: str, settings: Settings, answers: defaultdict[str, list[str]]
) -> list[str]:
    """Return what is wrong with a thread's messages, answers and traces; what was answered is added."""
    sent = [message for message in person.messages if message.thread == thread]
    reply = await person.get(f"/threads/{thread}/state")
    if reply.status_code == 404:
        return [f"there is no thread of: {message.text}" for message in sent if message.begun or message.ended]
    messages, texts = reply.json()["values"].get("messages", []), list[str]()
    for each in messages:
        if each["type"] == "human":
            texts.append(each["content"])
        elif each["type"] == "ai" and each["content"]:
            answers[texts[-1]].append(each["content"])
    traced = [record["question"] for record in open_workspace(settings, person.name).open_traces().read(thread)]
    wrong = judge_order(sent, texts)
    wrong += [f"not answered: {m.text}" for m in sent if m.status == "success" and not answers[m.text]]
    wrong += [f"has the answers {answers[text]}: {text}" for text in texts if len(answers[text]) > 1]
    wrong += [f"{times} times in its thread: {text}" for text, times in Counter(texts).items() if times > 1]
    wrong += [f"traced {times} times: {text}" for text, times in Counter(traced).items() if times > 1]
    wrong += [f"in a thread where nobody said it: {text}" for text in {*texts, *traced} - {m.text for m in sent}]
    in_order = [text for text in texts if text in traced]
    return wrong + ([] if traced == in_order else [f"traces have another order: {traced} and not {in_order}"])


def judge_order(messages: Iterable[Message], texts: Sequence[str]) -> list[str]:
    """Return which messages stand in their thread before one that came first."""
    place = {text: number for number, text in enumerate(texts)}
    placed = [message for message in messages if message.text in place]
    return [
        f"before {first.text}: {second.text}"
        for first, second in itertools.permutations(placed, 2)
        if comes_first(first, second) and place[first.text] > place[second.text]
    ]


def comes_first(first: Message, second: Message) -> bool:
    """Return whether one of two messages has to be answered first.

    Runs are in the order in which they were begun; POST /ask waits for no run that waits.
    """
    are_runs = "ask" not in (first.door, second.door)
    moment = first.begun if are_runs else first.ended
    return moment is not None and moment < second.sent


def run_doctor(fleet: Fleet, people: Iterable[Person]) -> list[str]:
    """Return what `ana doctor` finds wrong with what people have."""
    reports = {each.name: run_python("-m", "app.cli", "doctor", "--user", each.name, env=fleet.env) for each in people}
    return [f"doctor of {name}: {done.stdout}{done.stderr}" for name, done in reports.items() if done.returncode]
