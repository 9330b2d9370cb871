"""The list of people passes the suite, in a folder and in PostgreSQL."""

from collections.abc import Callable
from contextlib import closing

import pytest

from ana.people.postgres import PostgresRoster
from ana.people.roster import FolderRoster
from ana.postgres.database import Database
from ana.settings import Settings
from ana.workspace import open_workspace
from tests.people.conformance import ROSTER, OpenRoster
from tests.postgres.server import new_database


@pytest.mark.parametrize("check", ROSTER)
def test_a_list_in_a_folder_conforms(check: Callable[[OpenRoster, Settings], None], settings: Settings) -> None:
    check(lambda: FolderRoster(open_workspace(settings)), settings)


@pytest.mark.parametrize("check", ROSTER)
def test_a_list_in_postgres_conforms(check: Callable[[OpenRoster, Settings], None], settings: Settings) -> None:
    with new_database() as url, closing(Database(url)) as database:  # the list is everybody's
        check(lambda: PostgresRoster(database), settings)
