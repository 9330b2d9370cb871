"""Every error this project raises, sorted by who must act.

AnaError
|- ToolError          the model can fix it: goes back as a tool result {error, hint}
|  |- NoSuchItem      no item has this id
|  |- DuplicateItem   nothing was stored, because another item says the same; the person decides
|  `- RecordChanged   nothing was stored, because a record has changed since the caller read it
|- UserError          the person must be told; `hint` says the next step
|  |- NotFound        what a client names is not there, or is another person's
|  |- StoreBusy       another process holds the data folder or the thread
|  |  `- RunRejected  a run may not begin while another one works in its conversation
|  |- StoreBroken     the data cannot be read or written
|  |  |- FileUnreadable  the system does not let a file of ana's own be read; it may be whole
|  |  `- PersonRemoved  the person was removed meanwhile; nothing more is read or written
|  |- WorkStopped     long work was stopped before anything of it was written
|  |- TurnStopped     the run that this turn belongs to was cancelled; nothing more of it happens
|  |- LeaseLost       another process has taken over the conversation, and goes on; nothing was written
|  |- BudgetReached   the day's budget is spent; no call is made that costs money
|  |- NotWaiting      no turn of the conversation waits for the reply that was given
|  |- WrongReply      a reply does not answer the request; the turn still waits
|  |- WrongName       no conversation can be named so
|  |- CannotReplay    a recorded turn cannot be run again; says what is missing
|  `- ModelFailed     the provider did not answer; the next message may work
|     `- ContextTooLong  what it was sent is longer than it reads; a shorter conversation may work
`- ConfigError        the operator must act; names the setting and the remedy
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ana.translation import _, speaking


class AnaError(Exception):
    """An error in plain words, with the next step.

    Args:
        message: The problem and its reason, in one sentence.
        hint: The next step, in one sentence; may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def sentence(self) -> str:
        """Return message and hint as one line for a person, in their language if a catalogue has both."""
        texts = [_(self.message), _(self.hint)]
        is_known = texts[0] != self.message  # else it was built in a language, or has words that no catalogue knows
        return " ".join(texts if is_known else (self.message, self.hint)).strip()


class ToolError(AnaError):
    """A call the model can correct."""

    def to_json(self) -> dict[str, Any]:
        """Return the result that answers the call."""
        return {"error": self.message, "hint": self.hint}


class NoSuchItem(ToolError):
    """No item has this id. `similar` are items that may be meant, with id and content."""

    def __init__(
        self,
        id: str,
        hint: str = "Look for it with query_items and use the id it gives.",
        similar: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(f"There is no item {id!r}.", hint)
        self.id = id
        self.similar = list(similar)

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | ({"similar": self.similar} if self.similar else {})


class DuplicateItem(ToolError):
    """Nothing was stored, because the item with this id says the same."""

    def __init__(self, id: str) -> None:
        super().__init__(f"Item {id} already says exactly this.", "Use that one, or say that a copy is wanted.")
        self.id = id


class RecordChanged(ToolError):
    """An item, or a line of Global Context, has changed since the caller read it."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(f"The {kind} {id} has changed meanwhile; nothing was written.", "Read it again, then decide.")
        self.kind = kind
        self.id = id


class _VisibleError(AnaError, RuntimeError):
    """An error that ends a run. It is a RuntimeError, because the LangGraph API shows clients no other text of
    errors.
    """

    def __str__(self) -> str:
        with speaking("en"):  # what a log and a client of the API are told
            return self.sentence()


class UserError(_VisibleError):
    """An error that the person must be told."""


class NotFound(UserError):
    """There is nothing under this id, or it is another person's; a client does not learn which of the two."""


class StoreBusy(UserError):
    """Another process holds the data folder or the conversation."""


class RunRejected(StoreBusy):
    """A run may not begin while another one works in its conversation."""


class StoreBroken(UserError):
    """The data cannot be read or written."""


class FileUnreadable(StoreBroken):
    """The system does not allow reading a file, so it is unknown whether the file is damaged."""


class PersonRemoved(StoreBroken):
    """The person whose data this process has open, or is about to open, was removed."""

    def __init__(self) -> None:
        super().__init__("The person was removed.", "Nothing more is written; what they had is set aside.")


class WorkStopped(UserError):
    """Long work, such as an import, was stopped by the person who waited for it."""

    def __init__(self) -> None:
        super().__init__("It was stopped.", "Nothing was changed.")


class TurnStopped(UserError):
    """The run was cancelled while a node of it worked."""


class LeaseLost(UserError):
    """This process was delayed for so long that another one has taken over its conversation."""

    def __init__(self) -> None:
        super().__init__(
            "This process was held up for so long that another one has taken over the conversation.",
            "Look there how it went on.",
        )


class BudgetReached(UserError):
    """A call would exceed the day's budget. `limit` names the budget, as the end of "I stopped at"."""

    def __init__(self, limit: str) -> None:
        message = _("Nothing more is asked: {limit} is reached.").format(limit=limit)
        super().__init__(message, _("Ask tomorrow, or raise ANA_DAILY_BUDGET_USD."))
        self.limit = limit


class NotWaiting(UserError):
    """No turn waits for this reply."""


class WrongReply(UserError):
    """The reply does not answer the request."""


class WrongName(UserError):
    """No conversation can have this name."""


class CannotReplay(UserError):
    """The record of a turn lacks data for running it again."""


class ModelFailed(UserError):
    """The model gave no usable answer. `quoted` is the provider's own sentence about it, in quotes, or empty."""

    def __init__(self, message: str, hint: str = "", quoted: str = "") -> None:
        super().__init__(message, hint)
        self.quoted = quoted

    def sentence(self) -> str:
        if not self.quoted:
            return super().sentence()
        return f"{_(self.message).removesuffix('.')}: {self.quoted}. {_(self.hint)}".strip()


class ContextTooLong(ModelFailed):
    """The conversation is longer than the model can read."""


class ConfigError(_VisibleError):
    """A setting is wrong or missing."""
