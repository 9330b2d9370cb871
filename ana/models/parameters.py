"""Parameters that a model refuses: discovered by one attempt and omitted from then on, even after a restart."""

import json
import logging
from collections.abc import Mapping
from typing import Any, Final

from ana.models.complaints import Complaint
from ana.notes import TextPlace
from ana.values import read_object

REFUSED: Final = "refused-parameters"
"""The name of the note in a workspace."""

OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "temperature": (),
    "stream_options": (),
    "parallel_tool_calls": (),
    "max_completion_tokens": (),
    "max_tokens": (),
    # OpenRouter, llama.cpp, vLLM
    "response_format": ("json.schema", "structured.outputs?", "grammar", "guided.(?:json|decoding)", "json mode"),
}
"""Parameters that a request does not need, and what else servers call them."""

EXTRA = "extra_body"
"""The client library's parameter for parameters that it does not know."""

OLDER = {"max_completion_tokens": "max_tokens"}
"""Older names of parameters, for servers that do not know the newer ones."""

_log = logging.getLogger(__name__)


class RefusedParameters:
    """Parameters that the models of one server refuse.

    Args:
        url: The server's address.
        note: Its storage; None: in memory only.
    """

    def __init__(self, url: str, note: TextPlace | None = None) -> None:
        self._url = url
        self._note = note
        self._known = read_refused(note.read()) if note else {}

    def fit(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request without the parameters that its model refuses."""
        fitting = dict(payload)
        for name in self._known.get(self._key(payload), ()):
            fitting = leave_out(fitting, name)
        return fitting

    def keep(self, payload: Mapping[str, Any], names: list[str]) -> None:
        """Store a parameter that the model of a request refuses."""
        key = self._key(payload)
        self._known[key] = [*self._known.get(key, ()), *names]
        _log.warning("%s refuses %s: it is sent without from now on", key, " and ".join(names))
        if self._note:
            self._note.write(json.dumps(read_refused(self._note.read()) | {key: self._known[key]}))

    def _key(self, payload: Mapping[str, Any]) -> str:
        return f"{payload.get('model')} at {self._url}"


def find_refused(complaint: Complaint, payload: Mapping[str, Any]) -> str | None:
    """Return the unnecessary parameter of a request that a complaint names, or None."""
    sent = {*payload, *(payload.get(EXTRA) or ())}
    return next((name for name, other in OPTIONAL.items() if name in sent and complaint.refuses(name, *other)), None)


def leave_out(payload: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a request without a parameter, or with it under its older name."""
    rest = {key: value for key, value in payload.items() if key != name}
    if extra := rest.get(EXTRA):
        rest[EXTRA] = {key: value for key, value in extra.items() if key != name}
    return rest | {OLDER[name]: payload[name]} if name in OLDER and name in payload else rest


def read_refused(text: str) -> dict[str, list[str]]:
    """Return refused parameters by model and address, from the stored note."""
    note = read_object(text)
    return {key: [name for name in OPTIONAL if name in names] for key, names in note.items() if isinstance(names, list)}


def describe_refused(text: str) -> list[str]:
    """Return a sentence for each model with refused parameters, from the stored note."""
    return [
        f"{key} refuses {' and '.join(names)}: it is no longer sent. `ana setup` tries again."
        for key, names in read_refused(text).items()
        if names
    ]
