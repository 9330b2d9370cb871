"""Forgetting at the doors of a server, where everything is in a folder or in a database."""

import httpx
import psycopg
from psycopg import sql

from ana.settings import Settings
from tests.app.server.conftest import Household
from tests.traces_of import find_traces

SECRET = "The pin of the quokka card is 47119932"
WORDS = ("quokka", "47119932")


def find_kept(settings: Settings) -> list[str]:
    """Return the files, or the tables, that hold one of the words."""
    if settings.ana_database_url is None:
        return find_traces(settings.ana_data_dir.parent, WORDS)
    found = []
    with psycopg.connect(settings.ana_database_url.get_secret_value()) as owner:
        tables = owner.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            owner.execute(sql.SQL("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY").format(sql.Identifier(table)))
            rows = owner.execute(sql.SQL("SELECT each::text FROM {} AS each").format(sql.Identifier(table))).fetchall()
            text = repr(rows).lower()
            found += [table for word in WORDS if word in text or word.encode().hex() in text]
        owner.rollback()
    return found


def ask(client: httpx.Client, said: str, thread: str) -> str:
    return str(client.post("/ask", json={"question": said, "thread_id": thread}).json()["trace_id"])


def test_a_message_is_forgotten_at_the_api_with_what_it_stored(household: Household) -> None:
    with household.client("anna") as anna, household.client("ben") as ben:
        turn, _ = ask(anna, f"note: {SECRET}", "work"), ask(anna, "what of the quokka card?", "other")
        said = {"messages": [{"role": "user", "content": "what of the quokka card?"}]}
        thread = anna.post("/threads", json={}).json()["thread_id"]
        anna.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "ana", "input": said}).raise_for_status()
        assert find_kept(household.settings)
        assert ben.get(f"/forget/{turn}").status_code == ben.post(f"/forget/{turn}").status_code == 404

        told = anna.get(f"/forget/{turn}").json()
        assert [*told] == ["forgets", "stored", "stays", "unreached"]
        assert (len(told["forgets"]), len(told["stored"])) == (1, 1)
        assert SECRET in anna.get(f"/trace/{turn}").text, "nothing is done by looking"
        gone = anna.post(f"/forget/{turn}", params={"with_items": "1"})
        assert (gone.status_code, len(gone.json()["forgets"])) == (200, 4), gone.text
        assert find_kept(household.settings) == []
        assert anna.get(f"/trace/{turn}").json()["forgotten"]
        assert anna.get(f"/threads/{thread}/runs").json() == []
        turns = anna.get("/transcript/work").json()["turns"]
        assert [each["question"][:13] for each in turns] == ["(forgotten on"]
        ask(anna, "what is kept?", "work")
        assert find_kept(household.settings) == []
