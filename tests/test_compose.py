"""compose.yaml, as far as it can be tried without a container: names, ports, secrets, the database's role."""

import re
import secrets
from typing import Any

import psycopg
import pytest
import yaml

from ana.errors import ConfigError
from ana.postgres.database import Database
from ana.settings import PROJECT, Settings, load_settings
from app.cli.main import COMMANDS
from tests.postgres.server import run_program, server

TEXT = (PROJECT / "compose.yaml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
OURS = {name: each for name, each in COMPOSE["services"].items() if "build" in each}
SECRET = re.compile(r"PASSWORD|TOKEN|KEY|SECRET")
"""Names of what is to be known to nobody."""


def fill(value: str, given: dict[str, str]) -> str:
    """Return a value as Compose fills it in."""
    named = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")
    return named.sub(lambda found: given.get(found[1]) or (found[3] if found[2] == "-" else ""), value)


def test_every_variable_is_a_setting_and_every_command_one_of_ours() -> None:
    assert OURS
    for service in OURS.values():
        assert {*service["environment"]} <= {name.upper() for name in Settings.model_fields}
        program, command, *_ = service["command"]
        assert (program, command in COMMANDS) == ("ana", True)


def test_what_is_secret_comes_from_the_environment_and_has_no_default() -> None:
    named = re.findall(r"\$\{(\w+)([^}]*)\}", TEXT)
    assert {name for name, _ in named} >= {"POSTGRES_PASSWORD", "ANA_DATABASE_PASSWORD", "ANA_API_TOKENS"}
    assert [(name, rest) for name, rest in named if SECRET.search(name) and rest != ":-" and rest[:2] != ":?"] == []
    for service in COMPOSE["services"].values():
        written = {name: value for name, value in service["environment"].items() if SECRET.search(name)}
        assert all(value.startswith("${") for value in written.values())
    assert COMPOSE["services"]["web"]["environment"]["ANA_API_TOKENS"].startswith("${ANA_API_TOKENS:?")


def test_only_this_machine_reaches_what_is_published() -> None:
    published = [port for service in COMPOSE["services"].values() for port in service.get("ports", ())]
    assert published == ["127.0.0.1:2024:2024"]


def test_the_settings_can_be_read() -> None:
    given = {"ANA_DATABASE_PASSWORD": "p4ssword", "ANA_API_TOKENS": f"owner:{'x' * 32}"}
    for service in OURS.values():
        env = {name: fill(value, given) for name, value in service["environment"].items()}
        settings = load_settings(env)
        assert settings.ana_database_url
        assert settings.ana_database_url.get_secret_value() == "postgresql://ana:p4ssword@postgres/ana"
        assert settings.log_format == "json"


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
