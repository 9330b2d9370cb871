"""The process that llama.cpp runs in: `python -m ana.models.local.child`, started by `server.py`.

It is a process of its own because a file that cannot be used, or too large for the memory, may end the one that loads
it. It reads one line of JSON, writes one, {"url": ...} or {"error": ...}, and serves until its input ends. That is when
whoever started it ends, however that happens.
"""

import json
import os
import sys
from typing import IO, Any, TypedDict


class Order(TypedDict):
    """What is to be served.

    `port` is 0 for any that is free; `context` is the length of a conversation in tokens, `longest` that of a reply.
    """

    path: str
    port: int
    key: str
    context: int
    longest: int


def main() -> int:
    """Serve what the first line of the input orders; return the exit code."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the library prints
    order: Order = json.loads(sys.stdin.readline())
    try:
        server = serve(order)
    except RuntimeError as exc:
        _answer(answers, error=str(exc))
        return 1
    _answer(answers, url=server.listening_address)
    sys.stdin.read()
    os._exit(0)  # the library would wait for replies that nobody reads any more


def _answer(answers: IO[str], **said: str) -> None:
    answers.write(json.dumps(said) + "\n")
    answers.flush()


def serve(order: Order) -> Any:
    """Load the model and return the running server: on the loopback interface only, and for nobody without the key."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order["path"]
    params.model_alias = {os.path.basename(order["path"])}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], order["port"], [order["key"]]
    params.n_ctx, params.n_predict = order["context"], order["longest"]
    # its threads wait for each other at every step, so one that must share its core would hold up all
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max((os.cpu_count() or 1) - 1, 1)
    params.use_jinja = True  # the file's own template
    params.endpoint_slots = params.endpoint_props = params.ui = False  # pages that show what was said
    return xllamacpp.Server(params)


if __name__ == "__main__":
    raise SystemExit(main())
