"""The Makefile's way to an environment, with a stand-in for the programs it calls."""

import subprocess
from pathlib import Path

from ana.settings import PROJECT

STAND_IN = """#!/bin/sh
echo "$(basename "$0") $3 ${UV_SYSTEM_CERTS:-own}" >> "%s"
"""


def install(folder: Path, stamp: str, python: str = "true", uv: str = "true") -> tuple[int, list[str]]:
    """Make an environment with programs that only note that they were called, and these as their ends.

    Returns:
        The exit code of make, and the calls of pip's and uv's install, with the certificates that each used.
    """
    log = folder / "calls"
    for called, end in (("python", python), ("uv", uv)):
        program = folder / called
        program.write_text(STAND_IN % log + end)
        program.chmod(0o755)
    stamps = {name: folder / name.lower() for name in ("READY", "SERVER", "DEVELOP", "ENCODER")}
    command = ["make", f"BIN={folder}", *(f"{name}={path}" for name, path in stamps.items()), str(stamps[stamp])]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, check=False)
    calls = [line for line in log.read_text().splitlines() if line.startswith(("python install", "uv"))]
    return done.returncode, calls


def test_running_is_installed_by_pip_alone(tmp_path: Path) -> None:
    assert install(tmp_path, "READY") == (0, ["python install own"])


def test_behind_a_proxy_uv_uses_the_certificates_of_the_system(tmp_path: Path) -> None:
    code, calls = install(tmp_path, "DEVELOP", uv='test -n "$UV_SYSTEM_CERTS"')
    assert (code, calls[-2:]) == (0, ["uv --quiet own", "uv --quiet 1"])


def test_an_install_that_fails_twice_is_a_failure(tmp_path: Path) -> None:
    code, calls = install(tmp_path, "DEVELOP", uv="false")
    assert (code, calls[-2:]) == (2, ["uv --quiet own", "uv --quiet 1"])


def test_what_cannot_be_installed_stops(tmp_path: Path) -> None:
    assert install(tmp_path, "READY", python='test "$3" != install')[0] == 2


def test_without_the_encoder_the_rest_goes_on(tmp_path: Path) -> None:
    code, _ = install(tmp_path, "ENCODER", python='test "$*" = "${*#*retries}"')
    assert (code, (tmp_path / "encoder").exists()) == (0, False)
