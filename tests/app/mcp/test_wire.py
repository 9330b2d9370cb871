"""Messages are written whole and in order, however slowly they are read, and nothing else waits for that."""

import os
from collections.abc import Iterator

import anyio
import anyio.to_thread
import pytest

from app.mcp.wire import Wire, take_output

LONG = "x" * 1_000_000 + "\n"


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


async def read(file: int, length: int) -> str:
    found = b""
    while len(found) < length:
        found += await anyio.to_thread.run_sync(os.read, file, length - len(found))
    return found.decode()


@pytest.mark.parametrize("texts", [["a\n", LONG, "b\n"], [LONG, LONG], ["ü\n" * 1000, "b\n"]])
def test_what_is_longer_than_a_pipe_holds_is_written_while_others_work(pipe: tuple[int, int], texts: list[str]) -> None:
    async def check() -> None:
        wire, done = Wire(pipe[1]), anyio.Event()

        async def write() -> None:
            for text in texts:
                await wire.write(text)
                await wire.flush()
            done.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            for _ in range(10):
                await anyio.sleep(0)  # the loop is free
            assert done.is_set() is (LONG not in texts)
            whole = "".join(texts)
            assert await read(pipe[0], len(whole.encode())) == whole

    anyio.run(check)


def test_a_short_message_waits_for_room_in_a_thread(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    filled = 0
    try:
        while True:
            filled += os.write(pipe[1], b"x" * 1000)
    except BlockingIOError:
        os.set_blocking(pipe[1], True)

    async def check() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Wire(pipe[1]).write, "last\n")
            await anyio.sleep(0)
            assert (await read(pipe[0], filled + 5))[-6:] == "xlast\n"

    anyio.run(check)


def test_what_is_printed_by_others_is_no_part_of_a_message(capfd: pytest.CaptureFixture[str]) -> None:
    with take_output() as wire:
        os.write(1, b"stray\n")
        anyio.run(wire.write, "message\n")
    os.write(1, b"after\n")
    told = capfd.readouterr()
    assert (told.out, told.err) == ("message\nafter\n", "stray\n")
