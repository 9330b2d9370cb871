"""Which properties items have, and which values."""

import json

from ana.backends.postgres.names import LONGEST, POSTGRES
from ana.memory.filters import OWN_KEYS
from ana.postgres.session import Session
from ana.values import Json

_SPELLED = """
SELECT folded, value, count(DISTINCT row) AS n FROM properties
WHERE key = ? AND folded NOT LIKE '[%' AND folded NOT LIKE '#%' GROUP BY folded, value
"""


def list_keys(session: Session) -> dict[str, int]:
    """Return the properties that items have, each with how many have it, the commonest first."""
    counted = "SELECT key, count(*), min(row) FROM properties WHERE element = 0 GROUP BY key ORDER BY 2 DESC, 1"
    found = {key: (count, row) for key, count, row in session.ask(counted)}
    long = [row for key, (_, row) in found.items() if len(key) > LONGEST]
    records = session.ask("SELECT record FROM records WHERE row = ANY(?)", long) if long else []
    names = {POSTGRES.name_key(key): key for (record,) in records for key in record["properties"]}
    keys = {names[key] if len(key) > LONGEST else json.loads(key): count for key, (count, _) in found.items()}
    return {key: count for key, count in keys.items() if key not in OWN_KEYS}


def list_values(session: Session, key: str) -> list[tuple[Json, int]]:
    """Return the values of a property, each with how many items have it, the commonest first."""
    total = "sum(n) OVER (PARTITION BY folded) AS total"
    merged = (
        f"SELECT DISTINCT ON (folded) folded, value, {total} FROM ({_SPELLED}) AS each ORDER BY folded, n DESC, value"
    )
    found = session.ask(
        f"SELECT value, total FROM ({merged}) AS each ORDER BY total DESC, folded", POSTGRES.name_key(key)
    )
    return [(json.loads(value), int(count)) for value, count in found]
