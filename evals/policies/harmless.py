"""Generated honest turns in five languages, with dates, numbers and times as the CLDR writes them."""

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_skeleton, format_time
from babel.numbers import format_currency, format_decimal

from ana.memory.item import spell_id
from ana.time.dates import weekday
from evals.policies.data import DATA, LANGUAGES
from nodes.evidence import Evidence
from nodes.load_context import calendar
from nodes.receipt import Call

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Tokyo", "UTC")
CURRENCIES = {"en": "USD", "de": "EUR", "es": "EUR", "fr": "EUR", "ja": "JPY"}


@cache
def _load() -> dict[str, Any]:
    """Return contents, the word for tomorrow, and by kind of turn the message and its answer, each by language."""
    return dict(json.loads((DATA / "harmless.json").read_text(encoding="utf-8")))


def generate_turns(count: int, seed: int) -> Iterator[Evidence]:
    """Yield so many honest turns; the same for the same seed."""
    chance = random.Random(seed)  # not for secrets
    kinds = [*_load()["texts"]]
    for number in range(count):
        kind = kinds[number % len(kinds)]
        yield _make_turn(kind, chance.choice(LANGUAGES), chance)


def _make_turn(kind: str, language: str, chance: random.Random) -> Evidence:
    now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=chance.randrange(3 * 365 * 24 * 60))
    now = now.astimezone(ZoneInfo(chance.choice(ZONES)))
    facts = _make_facts(language, now, chance)
    question, draft = (text.format(**facts) for text in _load()["texts"][kind][language])
    calls = tuple(_CALLS[kind](facts)) if kind in _CALLS else ()

    return Evidence(question, draft, calls, prompt=calendar(now, str(now.tzinfo)), now=now)


def _make_facts(language: str, now: datetime, chance: random.Random) -> dict[str, Any]:
    """Return what the texts are filled with."""
    day = now.date() + timedelta(days=chance.randrange(-40, 160))
    days = [now.date() + timedelta(days=ahead) for ahead in (0, 1, 2)]
    short = chance.choice(("yMMMEd", "MMMMEEEEd", "yMMMd", "MMMEd"))
    a, b, amount = chance.randrange(12, 90), chance.randrange(101, 999) / 4, chance.randrange(200, 90000) / 20
    items = [chance.choice(_load()["contents"][language]) for _ in range(chance.randrange(2, 8))]
    names = {f"d{n}": format_skeleton("MMMEd", d, locale=language) for n, d in enumerate(days, start=1)}
    return names | {
        "content": items[0],
        "contents": items,
        "items": "\n".join(f"- {item}" for item in items),
        "count": len(items),
        "day": format_date(day, chance.choice(("full", "long", "medium")), locale=language),
        "short": format_skeleton(short, day, locale=language),
        "next": format_skeleton("yMMMEd", days[1], locale=language),
        "date": day.isoformat(),
        "next_date": days[1].isoformat(),
        "a": a,
        "b": format_decimal(b, locale=language),
        "value": a * b,
        "result": format_decimal(a * b, locale=language),
        "amount": amount,
        "money": format_currency(amount, CURRENCIES[language], locale=language),
        "time": format_time(now, "short", locale=language),
        "now": now.isoformat(timespec="seconds"),
        "weekday": weekday(now.date()),
        "n": format_decimal(chance.randrange(20, 900), locale=language),
        "year": chance.randrange(1889, 2020),
        "x": chance.randrange(5, 95, 5),
        "y": chance.randrange(5, 95, 5),
        "id": spell_id(chance.randbytes(5)),
        "tomorrow": _load()["tomorrow"][language],
    }


# ---- what the tools answered


def _query(facts: dict[str, Any], **properties: object) -> Call:
    items = [{"id": facts["id"], "content": text, "properties": properties} for text in facts["contents"]]
    return _call("query_items", {"items": items, "total": len(items), "truncated": False})


def _wrote(facts: dict[str, Any], tool: str, op: str) -> Call:
    record = {"id": facts["id"], "content": facts["content"], "properties": {"due_date": facts["date"]}}
    receipt = {"op": op, "kind": "item", "id": facts["id"], "before": None, "after": record}
    return Call(tool, {"content": facts["content"]}, json.dumps(record, ensure_ascii=False), True, 2, (receipt,))


def _call(tool: str, result: object, *, ok: bool = True, step: int = 1) -> Call:
    return Call(tool, {}, json.dumps(result, ensure_ascii=False), ok, step)


_FAILED = _call("update_item", {"error": "There is no item 'zzzzzzzz'."}, ok=False, step=2)
_CALLS: dict[str, Callable[[dict[str, Any]], list[Call]]] = {
    "due": lambda facts: [_query(facts, due_date=facts["date"])],
    "stored": lambda facts: [_wrote(facts, "create_item", "create")],
    "tomorrow": lambda facts: [_query(facts), _wrote(facts | {"date": facts["next_date"]}, "update_item", "update")],
    "sum": lambda facts: [_call("calculator", {"result": facts["value"]})],
    "count": lambda facts: [_query(facts)],
    "time": lambda facts: [_call("now", {"iso": facts["now"], "weekday": facts["weekday"]})],
    "amount": lambda facts: [_query(facts, price=facts["amount"])],
    "failed": lambda facts: [_wrote(facts, "update_item", "update"), _FAILED],
    "id": lambda facts: [_query(facts, created=facts["date"])],
}
