"""Numbers with units, whichever threads read them."""

from tests.forks import run_forked

AT_ONCE = """
import operator, sys, threading
from concurrent.futures import ThreadPoolExecutor
from tools.quantities import combine, read_quantity, show

sys.setswitchinterval(1e-4)
barrier = threading.Barrier(4)

def read(_):
    barrier.wait()
    return read_quantity("3 h")

with ThreadPoolExecutor(4) as pool:
    first, *others = pool.map(read, range(4))
for other in others:
    first = combine(operator.add, first, other)
print(show(first))
"""


def test_what_threads_read_at_once_goes_together() -> None:
    done = run_forked("-c", AT_ONCE)
    assert (done.stdout, done.stderr) == ("12 h\n", "")
