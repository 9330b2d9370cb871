"""LangSmith: whether it is on, the client that sends to it, and the labels of a turn's run.

It is on only if LANGSMITH_TRACING says so; without that its library is not loaded and nothing is sent.
"""

import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from ana import __version__
from ana.errors import ConfigError
from ana.logs import choose_secrets, hide_in_json, list_secrets
from ana.settings import Settings, read_environment

EXIT_SECONDS = 1.5
"""How long the end of a process waits for what is not sent yet; what is left then is lost."""

KEYS = ("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY", "LANGSMITH_CONTROL_PLANE_API_KEY", "LANGGRAPH_CLOUD_LICENSE_KEY")
"""With any of them in its environment the dev server reports its use, the key included, also with tracing off."""

_SWITCHES = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2")
"""The library reads the second before the first, and before its older names, which other projects may have set."""

_PATIENCE = {"LANGSMITH_USE_DAEMON": "true", "LANGSMITH_DISABLE_RUN_COMPRESSION": "true"}
"""Threads that nobody waits for let a process end in time, whatever the endpoint does; others send compressed runs."""

_HIDES = re.compile(r"LANG(SMITH|CHAIN)_HIDE_(INPUTS|OUTPUTS|METADATA)")
_HIDING = tuple(f"LANG{name}_HIDE_{what}" for name in ("SMITH", "CHAIN") for what in ("INPUTS", "OUTPUTS"))
_NO = ("", "0", "false", "no", "off")


def is_on(environment: Mapping[str, str]) -> bool:
    """Return whether an environment switches LangSmith on."""
    return environment.get("LANGSMITH_TRACING", "").strip().lower() in ("true", "1")


def hides() -> bool:
    """Return whether inputs or outputs must be hidden, so that nothing else may quote them."""
    return any(os.environ.get(name) == "true" for name in _HIDING)


def settle_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment that the library and the dev server read like ana: on or off, and off without a key."""
    on = is_on(environment)
    settled = {name: value for name, value in environment.items() if on or name not in KEYS}
    settled |= dict.fromkeys(_SWITCHES, str(on).lower()) | _PATIENCE
    # without one the library asks git about the current folder, whose configuration may name programs to run
    settled.setdefault("LANGSMITH_REVISION_ID", __version__)
    for name in filter(_HIDES.fullmatch, environment):
        # the library takes anything but `true` for no, and would send what somebody wanted to hide
        settled[name] = str(environment[name].strip().lower() not in _NO).lower()
    return settled


def switch_on_or_off() -> bool:
    """Put LangSmith's settings, including those in .env, into the environment that its library reads; return whether it
    is on.
    """
    settled = settle_environment(read_environment())
    os.environ.update({name: value for name, value in settled.items() if name.startswith(("LANGSMITH_", "LANGCHAIN_"))})
    return is_on(settled)


def connect(settings: Settings) -> None:
    """If LangSmith is on, make a client send runs, without secrets and without delays; if it is off, send none.

    Raises ConfigError if it needs a key and there is none.
    """
    if is_on(os.environ):
        _connect((*list_secrets(settings), *choose_secrets(os.environ.get(name, "") for name in KEYS)))
    elif library := sys.modules.get("langsmith.run_trees"):
        library.configure(enabled=False)  # a server started by hand has let it read older names of the switch


@contextmanager
def untraced() -> Iterator[None]:
    """Send nothing while the context is open."""
    if not is_on(os.environ):
        yield
        return
    from langsmith import tracing_context

    with tracing_context(enabled=False):
        yield


@cache
def _connect(secrets: tuple[str, ...]) -> None:
    """Connect once in a process, although handles may be opened more often."""
    import atexit

    import langsmith
    from langsmith import utils

    with warnings.catch_warnings():
        warnings.simplefilter("error", utils.LangSmithMissingAPIKeyWarning)
        try:
            client = make_client(secrets)
        except utils.LangSmithMissingAPIKeyWarning as exc:
            raise ConfigError(
                "LANGSMITH_TRACING is on, but LANGSMITH_API_KEY is not set.", "Set it in .env, or switch tracing off."
            ) from exc
    # `enabled`, because the library may have looked before the settings were in the environment, and remembers
    langsmith.configure(client=client, enabled=True)
    atexit.register(_flush, client)


def make_client(secrets: tuple[str, ...], **options: Any) -> Any:
    """Return the library's client, with further options; it removes secrets from everything that it sends."""
    import langsmith

    is_hiding = hides()

    def clean(value: Any) -> Any:
        # the library hides inputs and outputs, and hands over an error, which may quote both, as a value of this form
        if is_hiding and isinstance(value, dict) and value.keys() == {"error"}:
            kind = re.match(r"[A-Za-z_][\w.]{0,100}", str(value["error"]))  # that it begins with
            return {"error": f"{kind[0] if kind else 'error'} (hidden)"}
        return hide_in_json(value, secrets)

    # without `info` the first thing sent would be a question about the endpoint
    return langsmith.Client(info={}, anonymizer=clean, **options)


def _flush(client: Any) -> None:
    with suppress(KeyboardInterrupt):
        client.flush(timeout=EXIT_SECONDS)


def label_run(metadata: Mapping[str, str | float], tags: Iterable[str] = (), error: str | None = None) -> None:
    """Add to metadata and tags of the run of the whole turn; called in a node, while LangSmith is on.

    If the turn has an error, the run counts as failed, although no exception ended it.
    """
    for run, _ in _find_runs():
        run.add_metadata(dict(metadata))
        run.tags = sorted({*(run.tags or ()), *tags})
        run.error = f"TurnFailed: {error}" if error else run.error


def label_draft(policy: str, reason: str) -> None:
    """Add why a draft was sent back to the model's run that wrote it; called in the node that checks it.

    Args:
        policy: The policy that it broke.
        reason: The text for the model, which may quote the draft.
    """
    if not is_on(os.environ):
        return
    label = {"policy_violation": policy} | ({} if hides() else {"policy_violation_reason": reason})
    for turn, checking in _find_runs():
        earlier = (node for node in turn.child_runs if node is not checking)
        calls = [run for node in earlier for run in node.child_runs if run.run_type == "llm"]
        for call in calls[-1:]:  # it has ended, and so is sent again
            call.add_metadata(label)
            call.patch()


def _find_runs() -> Iterator[tuple[Any, Any]]:
    """Yield, for each tracer, the run of the turn and the run of the present node."""
    from langchain_core.runnables import ensure_config
    from langchain_core.tracers import LangChainTracer

    callbacks: Any = ensure_config().get("callbacks")
    for tracer in getattr(callbacks, "handlers", ()):
        if isinstance(tracer, LangChainTracer) and (node := tracer.run_map.get(str(callbacks.parent_run_id))):
            yield tracer.run_map.get(str(node.parent_run_id), node), node
