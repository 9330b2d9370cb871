"""The bench stands on names inside the program: they have to be there when it is run."""

from evals.bench import turn
from graph import recording


def test_a_turn_can_be_timed_without_its_record() -> None:
    kept = {**vars(recording)}
    with turn._without_records():
        replaced = {name for name, value in vars(recording).items() if kept.get(name) is not value}
    assert replaced == {"_read_inputs", "write_record"}
    assert vars(recording) == kept
