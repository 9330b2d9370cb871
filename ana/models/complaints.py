"""A provider's reason for refusing a request, read from the structure of its error; its words only name a parameter."""

import re
from dataclasses import dataclass
from typing import Any

from ana.logs import HIDDEN, choose_secrets
from ana.values import read_object

_NAME = re.compile(r"[\w.\[\]-]{1,60}")
"""A parameter's name, or a path to one."""


REFUSING = frozenset((400, 404, 405, 422, 500, 501))
"""The statuses with which servers refuse a parameter."""


@dataclass(frozen=True)
class Complaint:
    """A provider's error; missing parts are empty.

    Args:
        status: The HTTP status, or the status inside an error sent with 200; None inside an answer.
        codes: The provider's own codes of the error.
        parameter: The name of the parameter in question.
        sentence: The provider's message, without the key of the request.
        is_foreign: Whether no server of OpenAI's protocol answered, but a web page, or nothing at that address.
    """

    status: int | None = None
    codes: frozenset[str] = frozenset()
    parameter: str = ""
    sentence: str = ""
    is_foreign: bool = False

    def refuses(self, *names: str) -> bool:
        """Return whether it is about a parameter that the server does not take: by its own field or, without one, by
        one of these names in its text.
        """
        if self.status not in REFUSING or self.parameter:
            return self.status in REFUSING and self.parameter in names
        return re.search(rf"\b(?:{'|'.join(names)})\b", self.sentence, re.IGNORECASE) is not None


def read_complaint(exc: BaseException) -> Complaint:
    """Return the provider's complaint from an error of openai's client, or of langchain's around it."""
    status, response = getattr(exc, "status_code", None), getattr(exc, "response", None)
    status = status if isinstance(status, int) else None
    kind = response.headers.get("content-type", "") if response is not None else "json"
    is_page, passes = "html" in kind, status == 429 or (status or 0) >= 500
    body = getattr(exc, "body", None)
    if body is None and status:  # what was no JSON stands in the error's own message
        body = str(getattr(exc, "message", ""))
    error = {} if is_page else _find_error(body)
    parameter = error.get("param")
    code = error.get("code")
    return Complaint(
        status=code if status == 200 and isinstance(code, int) else status,
        codes=frozenset(value for value in map(error.get, ("code", "type")) if isinstance(value, str)),
        parameter=parameter if isinstance(parameter, str) and _NAME.fullmatch(parameter) else "",
        sentence=_hide_key(str(error.get("message") or ""), getattr(exc, "request", None)),
        is_foreign=not passes and (is_page or (status == 404 and "json" not in kind)),
    )


def _find_error(body: Any) -> dict[str, Any]:
    """Return the most detailed error object; servers send it bare, in a list, as text, or around another's."""
    if isinstance(body, list):
        return _find_error(body[0]) if body else {}
    if isinstance(body, str):
        return _find_error(read_object(body)) or {"message": body}
    if not isinstance(body, dict):
        return {}
    metadata = body.get("metadata")  # OpenRouter, of the provider behind it
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str) and metadata["raw"].strip():
        return _find_error(metadata["raw"])
    if isinstance(detail := body.get("detail"), list) and detail and isinstance(detail[0], dict):  # FastAPI
        place = [str(part) for part in detail[0].get("loc") or ()]
        return {"message": f"{detail[0].get('msg')}: {'.'.join(place)}", "param": place[-1] if place else ""}
    if isinstance(detail, str):
        return {"message": detail}
    return _find_error(body["error"]) if "error" in body else body


def _hide_key(sentence: str, request: Any) -> str:
    key = request.headers.get("authorization", "").rpartition(" ")[2] if request is not None else ""
    for secret in choose_secrets([key]):
        sentence = sentence.replace(secret, HIDDEN)
    return sentence
