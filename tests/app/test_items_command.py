"""`ana items`, `ana due`, `ana reindex`: tables on stdout, sentences on stderr, exit codes."""

import json
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from ana.memory.item import Item
from ana.memory.search.result import QueryResult
from ana.time.clock import Clock
from ana.values import Properties
from app.due import Due, group_due_locally, list_today
from tests.app.conftest import Run
from tests.chroma import open_memory
from tests.conftest import BERLIN, EMBEDDER
from tests.stories import Life


def today() -> date:
    return datetime.now(BERLIN).date()


DAY = timedelta(days=1)


def keep(path: Path, *items: tuple[str, Properties]) -> list[str]:
    """Store items as the assistant would, and give their ids."""
    memory = open_memory(path / "data", EMBEDDER, Clock(BERLIN, lambda: datetime.now(UTC)))
    ids = [memory.create(content, dict(properties)).id for content, properties in items]
    memory.close()
    return ids


def test_items_are_a_table_with_one_line_each(ana: Run, tmp_path: Path) -> None:
    long = "Water the orchids " * 8
    ids = keep(
        tmp_path,
        (long, {"type": "task", "tags": ["home", "green"], "due_date": "2026-01-13T14:30"}),
        ("Größe\nder Schuhe 🌍", {"nested": {"a": [1]}}),
    )
    done = ana("items")
    head, first, second = done.stdout.rstrip("\n").split("\n")
    assert head.split() == ["id", "content", "date", "properties"]
    assert first.startswith(f"{ids[0]}  {long[:150]}")
    assert "Tue 13 Jan 14:30" in first
    assert "task · tags home, green" in first
    assert second.split("  ")[:2] == [ids[1], "Größe der Schuhe 🌍"]
    assert done.stderr == "2 of 2\n"
    assert "\x1b" not in done.stdout


def test_items_are_found_by_words_and_by_filter_and_say_why(ana: Run, tmp_path: Path) -> None:
    ids = keep(tmp_path, ("Water the orchids", {"n": 1}), ("Call the bank", {"n": 2}), ("Call mum", {"n": 3}))
    found = ana("items", "the", "orchids", "--why", "--limit", "1")
    assert found.stdout.split("\n")[1].startswith(ids[0])
    assert re.search(r"vector 0\.\d+, words orchid 1\.\d+", found.stdout), found.stdout
    assert found.stderr == "1 of 3\n"
    told = json.loads(ana("items", "--where", '{"n": {"$gte": 2}}', "--json", "--why").stdout)
    assert {item["id"] for item in told["items"]} == set(ids[1:])
    assert (told["total"], told["truncated"]) == (2, False)
    assert told["why"] == [{"filter": True}] * 2
    nothing = ana("items", "--where", '{"colour": "red"}')
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert nothing.stderr == "Nothing was found. No item has the property 'colour'; there are n.\n"


def test_due_shows_what_is_open_by_section_and_tells_by_exit_code(ana: Run, tmp_path: Path) -> None:
    now = today()
    empty = ana("due")
    assert (empty.returncode, empty.stdout, empty.stderr) == (0, "", "Nothing is due in the next seven days.\n")
    keep(tmp_path, ("next year", {"due_date": str(date(now.year + 1, 6, 1))}))
    assert ana("due").returncode == 0
    keep(
        tmp_path,
        ("late", {"status": "active", "due_date": str(now - 3 * DAY)}),
        ("past", {"due_date": str(now - 3 * DAY)}),
        ("late but done", {"due_date": str(now - 3 * DAY), "status": "done"}),
        ("today", {"due_date": str(now)}),
        ("tomorrow", {"due_date": str(now + DAY)}),
        ("in a week", {"due_date": str(now + 7 * DAY)}),
        ("in eight days", {"due_date": str(now + 8 * DAY)}),
        ("some day", {}),
    )
    done = ana("due")
    assert (done.returncode, done.stderr) == (4, "")
    titles = ("Overdue (1)", "Today (1)", "Next seven days (2)")
    assert tuple(line.rstrip() for line in done.stdout.split("\n") if line.rstrip() in titles) == titles
    told = json.loads(ana("due", "--json").stdout)
    contents = {name: [item["content"] for item in items] for name, items in told.items()}
    assert contents == {"overdue": ["late"], "unmarked": [], "today": ["today"], "week": ["tomorrow", "in a week"]}
    assert json.loads(ana("today", "--json").stdout) == {"day": f"{today()}", **told, "calendars": []}


def test_today_is_a_day_at_a_glance_times_first(ana: Run, tmp_path: Path) -> None:
    tomorrow, late = today() + DAY, today() - DAY
    keep(
        tmp_path,
        ("Water the orchids", {"due_date": f"{today()}"}),
        ("Call the bank", {"due_date": f"{today()}T23:59"}),
        ("Renew the passport", {"status": "active", "due_date": f"{late}"}),
        ("Dentist", {"due_date": f"{tomorrow}T08:30"}),
        ("Next year", {"due_date": f"{today() + 300 * DAY}"}),
    )
    done = ana("today")
    assert done.stdout.splitlines() == [
        "Overdue (1)",
        f"  {f'{late:%a} {late.day} {late:%b}':>10}  Renew the passport",
        "Today (2)",
        "  23:59  Call the bank",
        "         Water the orchids",
        f"{tomorrow:%a} {tomorrow.day} {tomorrow:%b}",
        "  08:30  Dentist",
    ]
    assert (done.returncode, done.stderr) == (0, "")


def test_today_fits_on_one_screen_and_counts_what_it_leaves_out() -> None:
    def found(name: str, dates: list[str]) -> QueryResult:
        items = [Item(f"{name}{n}", f"{name} {n}", {"due_date": day}, "", "") for n, day in enumerate(dates)]
        return QueryResult(items, len(items), False)

    groups: dict[Due, QueryResult] = {
        "overdue": found("late", ["2026-01-01"] * 30),
        "unmarked": found("dose", []),
        "today": found("now", ["2026-01-13"] * 4),
        "week": found("soon", ["2026-01-14"] * 3 + ["2026-01-15"] * 9),
    }
    lines = list_today(groups, 16, 40, date(2026, 1, 13))
    assert lines[:5] == ["Overdue (30)", *(f"   Thu 1 Jan  late {n}" for n in range(3)), "  and 27 more: ana due"]
    assert lines[5:10] == ["Today (4)", *(f"         now {n}" for n in range(4))]
    assert lines[10:] == ["Wed 14 Jan", *(f"         soon {n}" for n in range(3)), "  and 9 more: ana due"]
    assert max(map(len, list_today(groups, 99, 20, date(2026, 1, 13)))) <= 33


def test_that_nothing_fits_is_told(ana: Run, tmp_path: Path) -> None:
    keep(tmp_path, ("Water the orchids", {}))
    title = "Nothing fits well: these are merely the nearest."
    assert ana("items", "xylophone").stdout.split("\n")[0].strip() == title
    assert title not in ana("items", "orchid").stdout


def test_reindex_embeds_everything_again(ana: Run, tmp_path: Path) -> None:
    (id,) = keep(tmp_path, ("Water the orchids", {}))
    done = ana("reindex")
    assert (done.returncode, done.stdout) == (0, "")
    assert "1 records are now embedded with wordllama." in done.stderr
    assert ana("items", "orchids").stdout.split("\n")[1].startswith(id)


EMBEDDERS: list[tuple[str, dict[str, str], str]] = [
    ("openai", {}, "Set OPENAI_API_KEY"),
    ("openai", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, "openai could not be reached"),
    ("ollama", {"OLLAMA_HOST": "http://127.0.0.1:9"}, "ollama could not be reached"),
    ("minilm", {"ANA_EMBEDDER_DIR": "/nowhere"}, "all-MiniLM-L6-v2 is not in /nowhere"),
    ("best", {}, "best"),
]


def test_an_embedder_that_cannot_be_had_leaves_everything_as_it_was(ana: Run, tmp_path: Path) -> None:
    (id,) = keep(tmp_path, ("Water the orchids", {}))
    for name, env, said in EMBEDDERS:
        done = ana("reindex", "--embeddings", name, HOME=str(tmp_path / "home"), **env)
        assert done.returncode in (1, 2)
        assert said in done.stderr
        assert "Traceback" not in done.stderr
        assert ana("items", "orchids").stdout.split("\n")[1].startswith(id)


def test_what_has_little_to_do_with_the_words_is_not_shown(ana: Run) -> None:
    for said in ("note: the spare key is in the blue tin", "new task: call Anna", "idea: a podcast about bread"):
        ana("ask", said)
    assert [line for line in ana("items", "key").stdout.splitlines() if "spare" not in line][1:] == []
    assert json.loads(ana("items", "key", "--json").stdout)["total"] == 3


def test_today_has_each_dose_that_is_still_to_come_and_what_was_not_marked_with_its_time(tmp_path: Path) -> None:
    with Life(BERLIN).live(tmp_path) as life:
        life.now = datetime(2026, 12, 2, 13, 20, tzinfo=BERLIN)
        doses = {"repeats": "FREQ=DAILY;BYHOUR=8,14,20;BYMINUTE=0", "missed": "waits", "until": "2026-12-06"}
        life.memory.create("Antibiotic", {"type": "medicine", "due_date": "2026-12-02T08:00", **doses})
        shift = {"type": "shift", "start_date": "2026-12-02T05:30", "end_date": "2026-12-02T12:00"}
        life.memory.create("Shift", {**shift, "repeats": "FREQ=DAILY;COUNT=3"})
        life.memory.create("Night flight", {"start_date": "2026-12-01T18:15", "end_date": "2026-12-02T09:40"})
        life.memory.create("Fair", {"start_date": "2026-12-01T10:00", "end_date": "2026-12-02T17:00"})
        life.memory.create("Paid: rent", {"type": "expense", "date": "2026-12-02"})
        life.memory.create("Descale", {"repeats": "FREQ=MONTHLY", "repeat_from": "done", "due_date": "2026-12-01"})
        assert list_today(group_due_locally(life.handles), 99, 60, life.now.date()) == [
            "Overdue (1)",
            "   Tue 1 Dec  Descale",
            "Not marked (1)",
            "   Wed 2 Dec 08:00  Antibiotic",
            "Today (4)",
            "  05:30  Shift",
            "  14:00  Antibiotic",
            "  20:00  Antibiotic",
            "  until 17:00  Fair",
            "Thu 3 Dec",
            "  05:30  Shift",
            "Fri 4 Dec",
            "  05:30  Shift",
        ]


def test_commands_speak_the_language_that_is_set_and_json_none(ana: Run, tmp_path: Path) -> None:
    keep(tmp_path, ("Milch kaufen", {"type": "task", "status": "active", "due_date": str(today())}))
    german = {"ANA_LANGUAGE": "de"}
    assert ana("due", **german).stdout.splitlines()[0] == "Heute (1)"
    assert ana("items", **german).stdout.split()[:4] == ["id", "Inhalt", "Datum", "Eigenschaften"]
    assert ana("items", "--json", **german).stdout == ana("items", "--json").stdout
    assert "1 von 1" in ana("items", **german).stderr
