"""llama.cpp's server for one file: `python -m tests.live.llama_server FILE` prints its address and ends with its input.

The installed library has no command of its own; it serves what `llama-server` does.
"""

import os
import sys
from typing import Any

CONTEXT = 32_768
"""Tokens of a conversation: the history that the model sees by default, and the prompt, tools and reply beside it."""


def serve(path: str) -> Any:
    """Load the model and return the running server, on this machine and at a port that the system chooses."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx = CONTEXT
    # its threads wait for each other at every step, so one that must share its core would hold up all
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max((os.cpu_count() or 1) - 1, 1)
    params.use_jinja = True  # the file's own template
    return xllamacpp.Server(params)


if __name__ == "__main__":
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the library prints
    server = serve(sys.argv[1])
    output.write(f"{server.listening_address}\n")
    output.flush()
    sys.stdin.read()
    os._exit(0)  # the library would wait for replies that nobody reads any more
