"""`ana`, missed a few seconds after it was killed or stopped and not half a minute.

Usage: python -m evals.crash.hasty COMMAND, as of `ana`
"""

from functools import partial

from ana.threads import postgres_locks
from app.cli.main import main
from app.server import worker

LEASE_SECONDS = 2.0
BEAT_SECONDS = 1.0

if __name__ == "__main__":
    postgres_locks.SECONDS = LEASE_SECONDS
    worker.run_worker = partial(worker.run_worker, beat=BEAT_SECONDS)
    main()
