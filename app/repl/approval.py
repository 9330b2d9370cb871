"""Show answers, or the request that a conversation waits for, and read the decision."""

import re
from typing import TYPE_CHECKING, Any, Literal

from ana.errors import StoreBusy, UserError, WrongReply
from ana.translation import _, mark_text
from app.show.confirm import edit_text
from app.show.text import say

if TYPE_CHECKING:
    from app.messages import UserMessage
    from app.outcome import Done, Waiting
    from app.turn import Assistant, Listener
    from nodes.requests import Request

ShortReply = Literal["approve", "reject", "edit", "all"]
SHORT_REPLIES: dict[str, ShortReply] = {"e": "edit", "edit": "edit", "a": "all", "all": "all"}
"""What decides beside a yes or a no in any language."""

STILL_WAITS = mark_text("It still waits: y, n, e or a.")

_TWINS = (
    (re.compile(r"`ana due`"), "/due"),
    (re.compile(r"`ana threads list`"), "/threads"),
    (re.compile(r" `ana history` shows [^.`]+\."), ""),
)
"""Commands of the shell, and what does the same here."""


def name_commands(text: str) -> str:
    """Return one of ana's sentences with the REPL's commands instead of the shell's."""
    for of_shell, ours in _TWINS:
        text = of_shell.sub(ours, text)
    return text


class Approval:
    """Keeps the request that was shown last, so that a yes applies to nothing else.

    The next typed line is the reply, without a separate prompt: commands work meanwhile, and an empty line or Ctrl-C
    leaves the request waiting. Any other text is a message: the first one shows the request again, and the next one
    ends it.
    """

    def __init__(self) -> None:
        self._waiting: Waiting | None = None
        self._has_explained = False
        """Whether the signs of a receipt were explained."""
        self._allowed: set[str] = set()
        """Tools of the person's own that may run in this conversation while no text of others is in view."""

    def look(self, assistant: "Assistant", thread_id: str) -> bool:
        """Show the request that waits in a conversation that is opened. Return whether there is one."""
        from app.outcome import Waiting

        self._waiting = None
        waiting = assistant.find_open_turn(thread_id)
        if isinstance(waiting, Waiting):
            say(_("This conversation waits for your decision."))
            self.show(waiting)
        return self._waiting is not None

    def show(self, outcome: "Done | Waiting") -> None:
        """Show an answer with its changes, or a request."""
        from app.outcome import Waiting
        from app.show.requests import show_request

        self._waiting = outcome if isinstance(outcome, Waiting) else None
        if not isinstance(outcome, Waiting):
            self._show_answer(outcome)
            return
        show_request(outcome.request)
        edits = _("y does it, n does not, e edits it first, a also does what this turn asks next.")
        does = _("y does it, n does not, a also does what this turn asks next.")
        say(edits if outcome.request["action_requests"] else does, style="dim")
        if _name_own_tools(outcome.request):
            say(_("a also lets this tool of yours run in this conversation."), style="dim")

    def read(self, line: str) -> ShortReply | None:
        """Return the decision in a line that was typed below a request; None if the line is a message."""
        if not self._waiting:
            return None
        from nodes.short_replies import read_short_reply

        return SHORT_REPLIES.get(line.strip().lower()) or read_short_reply(line)

    def send(
        self, assistant: "Assistant", line: "UserMessage", short: ShortReply | None, thread: str, on_event: "Listener"
    ) -> "Done | Waiting":
        """Send a message, or decide on everything that was shown.

        If another door has asked something else meanwhile, nothing is done, and that request is returned.

        Args:
            short: The decision in the line, from `read`.
            on_event: Called with every event of the turn.

        Raises:
            NotWaiting: Somebody else decided.
            UserError: The request was not edited; it still waits.
        """
        from app.outcome import NotShown

        try:
            if short and self._waiting:
                return self._decide(assistant, self._waiting, short, on_event)
            outcome = assistant.ask(line, thread, on_event=on_event)
            return self._approve_unseen(assistant, outcome, on_event, is_all=False)
        except NotShown as exc:
            on_event({"ended": exc.sentence()})
            return exc.waiting

    def forget(self) -> None:
        """Forget the request, so that the next line is a message: another conversation begins."""
        self._waiting = None
        self._allowed.clear()

    def _show_answer(self, answer: "Done") -> None:
        """Print an answer with its receipt; below the first one, what its signs mean."""
        from app.show.answers import explain_signs, show_answer

        show_answer(answer)
        if answer.changes and not self._has_explained:
            say(f"  {explain_signs('/undo')}", style="dim")
            self._has_explained = True

    def _decide(
        self, assistant: "Assistant", waiting: "Waiting", short: ShortReply, on_event: "Listener"
    ) -> "Done | Waiting":
        from nodes.requests import decide_all

        if short == "edit":
            return self._reply(assistant, waiting, _edit(waiting.request), on_event)
        answer: Literal["approve", "reject"] = "reject" if short == "reject" else "approve"
        outcome = self._reply(assistant, waiting, decide_all(waiting.request, answer), on_event)
        if short != "all":
            return outcome
        self._allowed |= _name_own_tools(waiting.request)
        return self._approve_unseen(assistant, outcome, on_event, is_all=True)

    def _approve_unseen(
        self, assistant: "Assistant", outcome: "Done | Waiting", on_event: "Listener", *, is_all: bool
    ) -> "Done | Waiting":
        """Approve everything that a yes to all covers, or only calls of the person's own tools that they have
        allowed.
        """
        from app.outcome import Waiting
        from nodes.requests import decide_all

        while isinstance(outcome, Waiting) and outcome.may_be_approved_unseen:
            if not is_all and not {action["name"] for action in outcome.request["action_requests"]} <= self._allowed:
                break
            outcome = self._reply(assistant, outcome, decide_all(outcome.request, "approve"), on_event)
        return outcome

    def _reply(
        self, assistant: "Assistant", waiting: "Waiting", reply: dict[str, Any], on_event: "Listener"
    ) -> "Done | Waiting":
        try:
            return assistant.resume(waiting.thread_id, reply, waiting.request_id, on_event=on_event)
        except (StoreBusy, WrongReply):
            raise  # it still waits
        except BaseException:
            self.forget()  # the turn has ended, or something else is asked
            raise


def _name_own_tools(request: "Request") -> set[str]:
    from tools.catalog import TOOLS

    return {str(action.get("name")) for action in request["action_requests"]} - TOOLS.keys()


def _edit(request: "Request") -> dict[str, Any]:
    """Let the person edit the arguments in their own editor; return the reply."""
    from app.repl.editing import read_values, write_values
    from app.show.requests import word_actions

    actions = request["action_requests"]
    before = [action.get("args", {}) for action in actions]
    edited = edit_text(write_values([first for first, _lines in word_actions(request)], before), ".yaml")
    if edited is None:
        raise UserError("Nothing was edited.", STILL_WAITS)
    try:
        after = read_values(edited)
    except ValueError as exc:
        raise UserError(_("That cannot be read: {reason}.").format(reason=exc), _(STILL_WAITS)) from exc
    if len(after) != len(before):
        raise UserError("Each action has to stay, and --- between them.", STILL_WAITS)
    return {"decisions": [_decide(*each) for each in zip(actions, before, after, strict=True)]}


def _decide(action: dict[str, Any], before: Any, after: Any) -> dict[str, Any]:
    edited = {"name": action.get("name"), "args": after}
    return {"type": "approve"} if before == after else {"type": "edit", "edited_action": edited}
