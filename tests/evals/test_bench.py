"""The bench stands on names inside the program: they have to be there when it is run."""

from evals.bench import turn
from graph import recording


def test_a_turn_can_be_timed_without_its_record() -> None:
    writes = recording.write_record
    with turn._without_records():
        assert recording.write_record is not writes
    assert recording.write_record is writes
