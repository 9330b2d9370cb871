"""Each update is answered once: whatever ends the program, whatever Telegram does, and wherever."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ana.models.scripted import ScriptedModel, calls
from app.telegram.api import Api
from app.telegram.bot import Bot
from app.telegram.updates import read_update
from tests.app.telegram.home import Home
from tests.forks import run_forked
from tests.telegram_stub import TelegramStub


class Killed(BaseException):
    """Ends a bot as a signal does: nothing of ours catches it."""


class Dying(Api):
    """A bot's calls, of which one ends the program.

    Args:
        call: Which, from 0.
        is_done: Whether Telegram has done it by then.
    """

    def __init__(self, home: Home, call: int, *, is_done: bool) -> None:
        super().__init__(home.settings.telegram_bot_token.get_secret_value(), home.stub.url)  # type: ignore[union-attr]
        self.left = call
        self.is_done = is_done

    def call(self, method: str, *given: Any, **more: Any) -> Any:
        self.left -= 1
        if self.left == -1:
            if self.is_done:
                super().call(method, *given, **more)
            raise Killed
        return super().call(method, *given, **more)


def play(home: Home, api: Api, update: dict[str, Any]) -> None:
    read = read_update(update)
    assert read
    Bot(api, home.settings, home.hold).take(read)


def say_a_lot(home: Home) -> dict[str, Any]:
    long = "\n\n".join(f"{n} {'word ' * 300}" for n in range(4))
    home.model.replies += [calls(("create_item", {"content": "The key"})), f"{long}\n\nKept."]
    return home.stub.say("the key is in the tin")


def decide(home: Home) -> dict[str, Any]:
    home.model.replies += [calls(("create_item", {"content": "The key"})), "Kept."]
    play(home, home.api, home.stub.say("the key is in the tin"))
    return home.stub.press("Yes")


def take_back(home: Home) -> dict[str, Any]:
    home.memory.create("Another")
    say = say_a_lot(home)
    home.model.replies.insert(2, calls(("create_item", {"content": "The key 2"})))
    home.model.replies.insert(3, "Both.")
    play(home, home.api, say)
    play(home, home.api, home.stub.say("and another"))
    return home.stub.say("/undo")


def speak(home: Home) -> dict[str, Any]:
    home.model.replies += [calls(("create_item", {"content": "The key"})), "Kept."]
    home.stub.files["hum"] = b"the sound"
    return home.stub.say("", voice={"file_id": "hum"})


def read_end(home: Home) -> tuple[list[str], list[str]]:
    """Return what is kept, and what stands in the chat but for placeholders that were sent and then not known of."""
    kept = sorted(item.content for item in home.memory.items())
    return kept, [text for text in home.stub.texts if text != "…"]


@pytest.mark.parametrize("act", [say_a_lot, decide, take_back, speak])
@pytest.mark.parametrize("is_done", [False, True])
def test_a_kill_at_any_call_of_telegram_answers_once(
    tmp_path: Path,
    stub: TelegramStub,
    act: Callable[[Home], dict[str, Any]],
    is_done: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.telegram.answering.transcribe", lambda *_: "The key is in the tin")
    env = {"ANA_AUTONOMY": "advise"} if act is decide else {}
    ends = []
    for kill in range(20):
        stub.messages.clear()
        home = Home(tmp_path / f"{kill}", stub, **env)
        home.link()
        update, dying = act(home), Dying(home, kill, is_done=is_done)
        try:
            play(home, dying, update)
        except Killed:
            assert home.chat.taken
            play(home, home.api, update)
        play(home, home.api, update)  # which Telegram may do, too
        ends.append(read_end(home))
        dying.close()
        home.api.close()
        if dying.left >= 0:
            break
    assert dying.left >= 0, "every call was the last one once"
    assert len(ends) > 2
    assert ends == [ends[-1]] * len(ends)


KILLED = """
    import json, os, signal, sys
    from ana.backends.in_memory import InMemoryBackend
    from ana.handles import open_handles
    from ana.models.scripted import ScriptedModel, calls
    from ana.settings import load_settings
    from ana.workspace import open_workspace
    from app.telegram.api import open_api
    from app.telegram.bot import Bot
    from app.telegram.updates import read_update
    from app.turn import open_assistant

    settings, update = load_settings(json.loads(sys.argv[1])), json.loads(sys.argv[2])
    wants = [calls(("create_item", {"content": "The key"}))]
    die = lambda _: os.kill(os.getpid(), signal.SIGKILL)
    handles = open_handles(open_workspace(settings), model=ScriptedModel(replies=[*wants[:int(sys.argv[3])], die]))
    with open_assistant(handles) as assistant:
        from contextlib import nullcontext
        Bot(open_api(settings), settings, lambda _: nullcontext(assistant)).take(read_update(update))
"""


@pytest.mark.parametrize("writes", [0, 1])
def test_a_kill_while_the_model_thinks_is_gone_on_with_after_a_start(home: Home, writes: int) -> None:
    said = home.stub.say("the key is in the tin")
    given = (json.dumps(home.env), json.dumps(said), str(writes))
    assert run_forked("-c", KILLED, *given).returncode == -9
    assert home.stub.texts == ["…"]
    home.model = ScriptedModel(replies=[*[calls(("create_item", {"content": "The key"}))][writes:], "Kept."])
    home.backend = None  # type: ignore[assignment]  # the folder, as the process before had
    (shown,) = home.read()
    assert shown.startswith("Kept.\n\n+ “The key”")
    assert len(home.model.seen) == 2 - writes


def test_what_was_begun_is_dealt_with_though_telegram_has_forgotten_it(home: Home) -> None:
    home.model.replies.append("Hello.")
    update = home.stub.say("hello")
    dying = Dying(home, 1, is_done=False)
    with pytest.raises(Killed):
        play(home, dying, update)
    dying.close()
    home.stub.updates.clear()  # a day has passed
    home.stub.say("/help")
    assert home.read()[0].startswith("Hello.")


def test_an_update_that_ends_the_program_each_time_is_given_up(home: Home) -> None:
    update = home.stub.say("hello")
    for _ in range(5):
        dying = Dying(home, 0, is_done=False)
        with pytest.raises(Killed):
            play(home, dying, update)
        dying.close()
    assert "several times" in home.read()[0]
    assert home.say("hello", "Hello.").startswith("Hello.")


def test_an_update_that_comes_twice_is_answered_once(home: Home) -> None:
    home.model.replies.append("Hello.")
    update = home.stub.say("hello")
    home.read()
    home.stub.repeats.append(update)
    assert len(home.read()) == 1
    assert len(home.model.seen) == 1


@pytest.mark.parametrize("fault", [("flood", 0), 502, "cut", "cut before"])
@pytest.mark.parametrize("method", ["getUpdates", "editMessageText"])
def test_what_passes_is_tried_again(home: Home, method: str, fault: Any) -> None:
    home.stub.faults[method] += [fault, fault]
    assert home.say("hello", "Hello.").startswith("Hello.")
    assert len(home.stub.texts) == 1


@pytest.mark.parametrize("fault", [("flood", 0), 502, "cut", "cut before"])
def test_a_send_whose_receipt_was_lost_brings_no_second_answer(home: Home, fault: Any) -> None:
    home.stub.faults["sendMessage"].append(fault)
    home.say("hello", "Hello.")
    assert [text for text in home.stub.texts if text != "…"] == ["Hello.\n\nno changes"]


def test_a_message_that_the_person_has_deleted_is_sent_again(home: Home) -> None:
    def delete(_: Any) -> Any:
        home.stub.delete(max(home.stub.messages))
        return calls(text="Hello.")

    assert home.say("hello", delete).startswith("Hello.")


def test_a_form_that_telegram_does_not_read_is_shown_without_form(home: Home) -> None:
    assert "bold" in home.say("hello", "| a |\n|---|\n| **bold** |")
