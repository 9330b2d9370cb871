"""Many turns with every fault mixed in at random, with tool calls and without: nothing doubled, nothing lost."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ana.tracing.files import TraceFiles
from app.turn import open_assistant
from tests.conftest import THREAD
from tests.models.test_faults import FAILS
from tests.openai_stub import DIALECTS, Said, openai_stub
from tests.opened import open_in

PASS = {"429", "500", "503", "HTML 502", "400 context length"}
"""What another try, or a shorter history, gets round."""

ODD = ("broken call", "unknown tool", "silence", "alike")
"""What the model says that is no good."""


class Storyteller:
    """A model that keeps what it is told and says so, and a provider that fails in one of six requests.

    Args:
        spoken: Whether it writes JSON decisions instead of tool calls.
    """

    def __init__(self, spoken: bool) -> None:
        self._spoken = spoken
        self._rng = random.Random(0)
        self.faults: Counter[str] = Counter()

    def begin(self, turn: int) -> None:
        """Choose the faults of a turn, whatever number of requests the turns before it have taken."""
        self._rng = random.Random(turn)

    def __call__(self, request: dict[str, Any]) -> Said:
        if self._rng.random() < 1 / 6:
            name = self._rng.choice([*FAILS, *ODD])
            self.faults[name] += 1
            if name in FAILS:
                return FAILS[name][0]
            return self._odd(name, request)
        return self._said(self._asked(request))

    def _asked(self, request: dict[str, Any]) -> str | None:
        """What is still to be kept; None where it has been."""
        last = request["messages"][-1]
        text = str(last["content"])
        done = '"id": "' in text and ('"properties"' in text or '"existing"' in text)
        if done:
            return None
        said = [
            str(m["content"]) for m in request["messages"] if m["role"] == "user" and "keep thing" in str(m["content"])
        ]
        found = said[-1][said[-1].rindex("keep thing") :]
        return " ".join(found.split()[:3])

    def _said(self, asked: str | None) -> Said:
        if asked is None:
            return Said('{"final": {"answer": "Saved."}}' if self._spoken else "Saved.")
        call = {"name": "create_item", "args": {"content": asked}}
        return Said(json.dumps({"tool": call})) if self._spoken else Said(calls=[("create_item", call["args"])])

    def _odd(self, name: str, request: dict[str, Any]) -> Said:
        if name == "silence":
            return Said()
        if name == "alike" and not self._spoken:
            said = self._said(self._asked(request))
            return Said(said.text, calls=said.calls, ids="alike")
        tool = "make_coffee" if name == "unknown tool" else "create_item"
        if self._spoken:
            return Said(f'{{"tool": {{"name": "{tool}", "args": {{"content": "half a tho')
        return Said(calls=[(tool, {"strong": True} if name == "unknown tool" else '{"content": "half a tho')])


def is_bearable(met: Counter[str]) -> bool:
    """Return whether a turn comes to its end although it met these: a second reply that is no good may end it."""
    odd = sum(met[name] for name in ODD)
    return met.total() <= 2 and odd <= 1 and met["400 context length"] <= 1 and not met.keys() & (FAILS.keys() - PASS)


@pytest.mark.parametrize("turns", [16, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("spoken", [False, True], ids=["tool calls", "JSON decisions"])
def test_nothing_is_doubled_or_lost_and_the_thread_answers(
    tmp_path: Path, spoken: bool, turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.001)
    model = Storyteller(spoken)
    with openai_stub(model, dialect=DIALECTS[spoken]) as server:
        mode = {"USE_TOOL_CALLS": "0" if spoken else "1", "ANA_HISTORY_TOKENS": "2000"}
        handles = open_in(tmp_path, **server.env, **mode)
        with open_assistant(handles) as assistant:
            answers, met = [], []
            for n in range(turns):
                before = Counter(model.faults)
                model.begin(n)
                answers.append(assistant.ask(f"keep thing {n}", THREAD))
                met.append(model.faults - before)
            server.script = [Said('{"final": {"answer": "Hello."}}' if spoken else "Hello.")]
            assert assistant.ask("hello", THREAD).answer == "Hello."
            kept = Counter(item.content for item in handles.memory.items())
    stored = {change["after"]["content"] for answer in answers for change in answer.changes}
    assert set(kept.values()) == {1}, "nothing is there twice"
    assert set(kept) == stored, "what is there was acknowledged, and what was acknowledged is there"
    well = [n for n, answer in enumerate(answers) if answer.error is None and answer.changes]
    assert {f"keep thing {n}" for n in well} <= stored
    bearable = [n for n in range(turns) if is_bearable(met[n])]
    assert set(bearable) <= set(well), "no turn failed without a reason"
    assert len(bearable) >= turns // 3
    assert len(model.faults) > min(12, turns // 8), model.faults
    records = TraceFiles(tmp_path / "traces").read(THREAD)
    assert [record["question"] for record in records] == [f"keep thing {n}" for n in range(turns)] + ["hello"]
    for record, answer in zip(records, answers, strict=False):
        assert (record["answer"], record["error"]) == (answer.answer, answer.error)
        assert answer.answer.endswith((".", "?", ")")), answer.answer
