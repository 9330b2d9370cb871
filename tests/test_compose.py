"""compose.yaml, as far as it can be tried without a container: the database's role."""

import re
import secrets
from typing import Any

import psycopg
import pytest
import yaml

from ana.errors import ConfigError
from ana.postgres.database import Database
from ana.settings import PROJECT
from tests.postgres.server import run_program, server

COMPOSE: dict[str, Any] = yaml.safe_load((PROJECT / "compose.yaml").read_text())


def test_the_role_that_is_made_first_may_make_the_tables_and_does_not_pass_the_wall() -> None:
    (sql,) = re.findall(r"<<'SQL'\n(.*)\nSQL", COMPOSE["configs"]["role"]["content"], re.DOTALL)
    name = f"ana_{secrets.token_hex(4)}"  # the tests' superuser is called ana
    options = ("--set", "ON_ERROR_STOP=1", "--set", 'password=it\'s "quoted"')
    done = run_program("psql", server(), *options, given=re.sub(r"\bana\b", name, sql))
    assert done.returncode == 0, done.stderr
    try:
        database = Database(f"{server()} dbname={name} user={name}")
        assert database.find_person("anna") > 0
        database.close()
        with pytest.raises(ConfigError, match="row-level security"):
            Database(f"{server()} dbname={name}").find_person("anna")
    finally:
        with psycopg.connect(server(), autocommit=True) as owner:
            owner.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
            owner.execute(f"DROP ROLE {name}".encode())
