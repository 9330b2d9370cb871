"""`ana serve` as a command: who is let in at which address, whose headers are believed, what a wrong start says."""

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import httpx
import pytest

from ana.people import People
from ana.settings import load_settings
from app.cli import serve
from evals.load.server import Process, Server, running
from tests.app.conftest import Run
from tests.conftest import folders
from tests.forks import fork, run_forked

SCRIPT = """
    import sys, types
    from starlette.requests import Request
    from starlette.responses import JSONResponse

    async def tell(scope, receive, send):
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            return
        request = Request(scope, receive)
        told = {"client": request.client.host, "scheme": request.url.scheme, "person": request.state.person}
        await JSONResponse(told)(scope, receive, send)

    def build_app(**_):
        from starlette.middleware.exceptions import ExceptionMiddleware
        from ana.people import People
        from ana.settings import load_settings
        from app.server.guard import Guard
        from app.server.sign_in import SignIn
        settings = load_settings()
        return Guard(ExceptionMiddleware(SignIn(tell, People(settings))), hosts=settings.ana_hosts)

    sys.modules["app.server.app"] = module = types.ModuleType("app.server.app")
    module.build_app = build_app
    from app.cli.main import main
    main()
"""
"""The command, in front of an app that tells what it was told of a request."""


def start(command: Sequence[str], env: Mapping[str, str], cwd: Path, output: IO[bytes]) -> Process:
    out = output.fileno()
    with open("/dev/null") as nothing:
        return fork("-c", SCRIPT, *command[1:], stdin=nothing.fileno(), stdout=out, stderr=out, cwd=cwd, env=env)


PROXY = {"ANA_HOSTS": "ana.example.org", "ANA_PROXIES": "127.0.0.1"}


@pytest.fixture
def token(tmp_path: Path) -> str:
    return People(load_settings(folders(tmp_path))).add("anna")


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path, token: str) -> Iterator[Server]:
    env = folders(tmp_path, LLM_PROVIDER="offline", **request.param)
    with running(env, tmp_path / "server.log", ("app.cli", "serve"), start=start) as server:
        yield server


FORWARDED = {"x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https"}


@pytest.mark.parametrize(
    ("served", "client", "scheme"), [(PROXY, "203.0.113.9", "https"), ({}, "127.0.0.1", "http")], indirect=["served"]
)
def test_what_a_proxy_says_of_a_client_is_believed_of_those_that_are_set(
    served: Server, token: str, client: str, scheme: str
) -> None:
    told = httpx.get(f"{served.url}/any", headers=FORWARDED | {"x-api-key": token}).json()
    assert told == {"client": client, "scheme": scheme, "person": "anna"}


@pytest.mark.parametrize("served", [PROXY], indirect=True)
def test_it_answers_for_the_names_that_a_proxy_stands_for_and_for_no_other(served: Server, token: str) -> None:
    statuses = {
        host: httpx.get(f"{served.url}/any", headers={"host": host, "x-api-key": token}).status_code
        for host in ("ana.example.org", "localhost", "evil.example")
    }
    assert statuses == {"ana.example.org": 200, "localhost": 200, "evil.example": 421}
    assert httpx.get(f"{served.url}/any", headers={"host": "ana.example.org"}).status_code == 401


@pytest.mark.parametrize("served", [{}], indirect=True)
def test_ten_megabytes_of_headers_end_the_request_and_not_the_server(served: Server, token: str) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(b"GET /any HTTP/1.1\r\nhost: localhost\r\n")
        answer = b""
        try:
            for _ in range(160):
                connection.sendall(b"x: " + b"y" * 65_533)
            answer = connection.recv(100)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was closed before all was sent
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")
    assert httpx.get(f"{served.url}/any", headers={"x-api-key": token}).status_code == 200
    assert httpx.get(f"{served.url}/any", headers={"x": "y" * 40_000}).status_code == 431


@pytest.mark.parametrize(
    ("host", "env"),
    [("0.0.0.0", {}), ("192.168.1.5", {}), ("::", {}), ("127.0.0.1", {"ANA_HOSTS": "ana.example.org"})],
)
def test_nobody_is_served_at_an_address_of_others_as_long_as_nobody_has_a_token(
    ana: Run, host: str, env: dict[str, str]
) -> None:
    done = ana("serve", "--host", host, **env)
    assert done.returncode == 2
    assert "nobody has a token to sign in with" in done.stderr
    assert "Create yours with `ana users token owner`" in done.stderr


def test_a_port_or_an_address_that_cannot_be_used_is_told(ana: Run, tmp_path: Path) -> None:
    ana("users", "token", "owner")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = ana("serve", "--port", port)
    assert (done.returncode, done.stderr) == (
        1,
        f"Port {port} cannot be used: Address already in use. "
        "End the other server, or name another port: ana serve --port 2025.\n",
    )
    for host in ("no.such.host.invalid", "x" * 300, "a b"):
        done = ana("serve", "--host", host, "--port", "0")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert done.stderr.startswith("Port 0 cannot be used: ")


BROKEN = SCRIPT.replace("lifespan.startup.complete", "lifespan.startup.failed")


@pytest.mark.parametrize(
    ("host", "shown", "more"),
    [
        ("0.0.0.0", "127.0.0.1", ", and at every address of this machine"),
        ("127.0.0.1", "127.0.0.1", ""),
        ("localhost", "localhost", ""),
    ],
)
def test_the_address_that_is_shown_can_be_opened(tmp_path: Path, host: str, shown: str, more: str) -> None:
    env = folders(tmp_path, LLM_PROVIDER="offline")
    People(load_settings(env)).renew("owner")
    done = run_forked("-c", BROKEN, "serve", "--host", host, "--port", "0", env=env)
    _, page, api, *_ = done.stderr.splitlines()
    assert page == f"Page: http://{shown}:0/app (Ctrl-C ends it)"
    assert api == f"API: http://{shown}:0{more}"


def test_a_server_that_cannot_start_says_where_it_is_told_why(tmp_path: Path) -> None:
    done = run_forked("-c", BROKEN, "serve", "--port", "0", env=folders(tmp_path, LLM_PROVIDER="offline"))
    log = tmp_path / "log" / "ana.log"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"The server could not start. {log} says why.")
    assert "Traceback" not in done.stderr
    assert "Application startup failed" in log.read_text()


class Child:
    """A worker that ends with a code, or only when it is told to."""

    def __init__(self, code: int | None) -> None:
        self.returncode, self.was_told = code, False

    def poll(self) -> int | None:
        return self.returncode

    def terminate(self) -> None:
        self.was_told, self.returncode = True, 0

    def wait(self) -> int | None:
        return self.returncode


@pytest.mark.parametrize(("codes", "started"), [([-9, 2, None], 3), ([0], 1)])
def test_a_worker_that_fails_is_followed_by_another_and_one_that_was_told_to_stop_is_not(
    codes: list[int | None], started: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: list[Child] = []
    all_started = threading.Event()

    def start_next(*_: str) -> Child:
        children.append(Child(codes[len(children)]))
        if len(children) == started:
            all_started.set()
        return children[-1]

    monkeypatch.setattr(serve, "start_python", start_next)
    monkeypatch.setattr(serve, "AGAIN_SECONDS", 0.0)
    with serve._keeping_workers(1):
        assert all_started.wait(60)
    assert [child.was_told for child in children] == [code is None for code in codes]
