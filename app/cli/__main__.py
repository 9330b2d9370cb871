"""The command `ana`, as `python -m app.cli`."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    if sys.path[0] in ("", os.getcwd()):  # where `python -m` has put the current folder, which may be anybody's
        sys.path.append(str(Path(__file__).parent.parent.parent))
        del sys.path[0]
    from app.cli import run

    run()
