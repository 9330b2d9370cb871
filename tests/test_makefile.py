"""The Makefile's way to an environment, with a stand-in for the programs it calls."""

import subprocess
from pathlib import Path

from ana.settings import PROJECT

STAND_IN = """#!/bin/sh
echo "$(basename "$0") $1 ${UV_SYSTEM_CERTS:-own}" >> "%s"
"""


def install(folder: Path, uv: str, name: str = "READY", stamp: str = ".ready") -> tuple[int, list[str]]:
    """Make the environment with programs that only note that they were called, and this as the end of uv.

    Returns:
        The exit code of make, and the calls of uv: the certificates each used.
    """
    log = folder / "calls"
    for called, end in (("python", ""), ("uv", uv)):
        program = folder / called
        program.write_text(STAND_IN % log + end)
        program.chmod(0o755)
    ready = folder / ".ready"
    command = ["make", f"BIN={folder}", f"READY={ready}", f"{name}={folder / stamp}", str(folder / stamp)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, check=False)
    assert ready.exists() == (done.returncode == 0)
    return done.returncode, [line for line in log.read_text().splitlines() if line.startswith("uv")]


def test_behind_a_proxy_the_certificates_of_the_system_are_used(tmp_path: Path) -> None:
    assert install(tmp_path, 'test -n "$UV_SYSTEM_CERTS"') == (0, ["uv pip own", "uv pip 1"])


def test_so_is_the_encoder_behind_a_proxy_and_without_it_the_rest_goes_on(tmp_path: Path) -> None:
    for uv, stamped in (('test -n "$UV_SYSTEM_CERTS"', True), ('test "$*" = "${*#*encoder.txt}"', False)):
        folder = tmp_path / str(stamped)
        folder.mkdir()
        code, calls = install(folder, uv, "ENCODER", ".encoder")
        assert (code, calls[-2:]) == (0, ["uv pip own", "uv pip 1"])
        assert (folder / ".encoder").exists() == stamped


def test_without_one_uv_runs_once(tmp_path: Path) -> None:
    assert install(tmp_path, "true") == (0, ["uv pip own"])


def test_an_install_that_fails_twice_is_a_failure(tmp_path: Path) -> None:
    code, calls = install(tmp_path, "false")
    assert (code, len(calls)) == (2, 2)
