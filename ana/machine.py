"""Identities of this start of the machine, and of this terminal's session."""

import os
from functools import cache
from pathlib import Path

_STARTED = 19
"""The place of a process's start in /proc/PID/stat, after its name: field 22 of proc(5)."""


@cache
def read_boot_id() -> str:
    """Return an id of the machine's current start, if the system gives one."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def find_session(*streams: int) -> str | None:
    """Return the name of this process's session, in the first of its streams that is a terminal.

    A later session may have the same number and the same terminal, but its first process has started at another time.
    Streams are descriptors, such as 1 for what is shown. None without a terminal, or if the system does not tell.
    """
    try:
        terminal = next((stream for stream in streams if os.isatty(stream)), None)
        if terminal is None or not read_boot_id():
            return None
        leader = os.getsid(0)
        started = Path(f"/proc/{leader}/stat").read_text().rpartition(")")[2].split()[_STARTED]
        return f"{read_boot_id()} {leader} {started} {os.ttyname(terminal)} {os.fstat(terminal).st_rdev}"
    except OSError:  # the first process has ended: its number may be another's next
        return None
