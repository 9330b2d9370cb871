"""Whoever waits for a model is told for which, how long, and how to stop it."""

from ana.settings import load_settings
from app.show.waiting import describe_wait


def test_only_a_wait_for_a_model_is_told_and_only_a_long_one() -> None:
    online, offline = load_settings({"OPENAI_API_KEY": "k", "OPENAI_MODEL": "slow-one"}), load_settings({})
    assert describe_wait(online, 12.4, "Ctrl-C stops it.") == "Waiting for slow-one, 12 s so far. Ctrl-C stops it."
    assert describe_wait(online, 0.4, "Ctrl-C stops it.") == ""
    assert describe_wait(offline, 60, "Ctrl-C stops it.") == ""
