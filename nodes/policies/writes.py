"""What a draft says of the writes of its turn: it claims none where none was made, and hides none that failed.

The receipt under an answer says what was written; this gives the model one chance to say or do it right. It reads
whether the message asks for a write, whether the draft denies or asks something, and in five languages whether it
speaks in the perfect or the future, as one does of what is done.
"""

import re
from collections.abc import Iterable, Sequence

from nodes.policies.evidence import Call, Evidence, Violation
from nodes.policies.messages import asks_for_write, is_question, is_request, is_talk
from nodes.policies.quantities import find_digits
from nodes.policies.texts import any_of, asks, blank_quotes, is_composed, says_no, split_lines
from tools.catalog import TOOLS, WRITERS

CLAIMED, FAILED = "claimed_write", "failed_write"

MOST_CHARACTERS = 600
"""A claim stands at the beginning of a draft."""

_SOUNDS_DONE = re.compile(
    # the first person in the perfect or in the future
    r"\bi(?:['’]ll| will)\b|\b(?:ich werde|werde ich|merke ich mir)\b|\b\w+(?:ré|remos)\b"
    r"|\bje \w*['’]?(?:\w+ )?\w+rai\b"
    r"|\b(?:i['’]ve|i have|i) (?:\w+ )?\w+(?:ed|ten|pt)\b"
    r"|\b(?:ich habe?|habe? ich|hab['’]s|habs)\b.*\b\w*(?:ge|ver|be|ent)\w+(?:t|en)\b"
    r"|\b(?:ist|sind) (?:jetzt |nun )?\w*(?:drauf|drin)\b"
    r"|\b(?:he|hemos) \w+[aies](?:do|to|cho)\b"
    r"|^\W*(?:s[ií],? |también \w+, |por supuesto, |claro, )?\w+[ai]d[oa]s?\W*$"
    r"|\bj['’]ai\b.*\b\w+(?:é|i|u|it|is)\w{0,2}\b|\bje viens de\b|\bc['’]est (?:fait|noté|enregistré)\w*"
    r"|(?:ておき|保存し|記録し|メモし|登録し|追加し|削除し|変更し)(?:ました|ます)|済みです",
    re.IGNORECASE | re.MULTILINE,
)
"""How one speaks of what one has just done, or is about to do."""
_ALL_BUT = any_of(
    r"\b(?:all|everything|anything|alles|todo|tout)(?: \w+){0,3} (?:but|except|außer|menos|salvo|excepto|sauf)\b",
)
"""Excepts something from what was done, and denies nothing."""
_HAS_BECOME = any_of(r"\b(?:now|jetzt|ahora|maintenant)\b")
_TO_OTHERS = any_of(
    r"\b(?:tell|let) (?!me\b|us\b|go\b)\w[\w.'’]* .*",
    r"\b(?:sag|schreib)\w* (?:ihm|ihr|ihnen|de[mn]|(?-i:[A-ZÄÖÜ])\w+)\b",
    r"\b(?:di|escr[ií]be)(?:le|les)\b|\b(?:dis|écris)(?:-lui|-leur| à)\b",
)
"""Asks for words, and for more than an answer."""


def writes_are_told(e: Evidence) -> Violation | None:
    """Require that a draft claims no write where none was made, and does not hide one that failed."""
    lines = split_lines(blank_quotes(e.draft[:MOST_CHARACTERS]))
    # beside what was done, an exception may be what was not
    if any(asks(line) or says_no(line if e.receipts else _ALL_BUT.sub("", line)) for line in lines):
        return None
    if failed := find_failed(e.calls):
        return Violation(
            FAILED,
            f"{failed[0].tool} failed ({read_error(failed[0])[:200]}) and was not made good, and the draft does "
            "not tell. Try again with what the error asks for, or say plainly what was not done.",
            "Not everything you asked for was done.",
        )
    if not _claims_write(e, lines):
        return None
    return Violation(
        CLAIMED,
        "It reads as if something was stored, changed or deleted, but no call of this turn wrote anything. If the "
        "person wants it done, call the tool that does it. If it was done in an earlier turn, say when; if it is about "
        "text in this answer, say so; if it cannot be done, say that. Do not write only to make the sentence true.",
        "Nothing was stored or changed. Please tell me again what you would like.",
    )


def _claims_write(e: Evidence, lines: Sequence[str]) -> bool:
    """Whether a draft that denies and asks nothing answers, in its own sentences, for a write that no call made."""
    # where a tool ran it did what was asked for, or the draft is an answer from what was looked up
    if e.receipts or e.tools or e.refused or is_question(e.question):
        return False
    if (find_digits(e.draft) - find_digits(e.question)) & find_digits(*e.lines.values(), *e.earlier):
        return False  # it gives a number of Global Context or of what was said before, which the message does not
    return any(map(_SOUNDS_DONE.search, lines[:1])) or (asks_for_write(e.question) and not is_composed(e.draft))


def may_expect_write(e: Evidence) -> bool:
    """Whether a person may believe that something was done in a turn that wrote nothing.

    That is so unless the message was a question or talk; and after those, where the answer sounds like it.
    """
    if any(call.tool not in TOOLS for call in e.calls):  # what a person's own tool did is not known here
        return False
    if asks_for_write(e.question):
        return True
    lines = [*split_lines(blank_quotes(e.draft[:MOST_CHARACTERS])), ""]
    if is_request(e.question) or _TO_OTHERS.search(e.question):
        return not (says_no(lines[0]) or is_composed(e.draft))
    claims = bool(_SOUNDS_DONE.search(lines[0])) and not says_no(lines[0])
    if is_question(e.question):
        return claims and not e.calls and not is_composed(e.draft)
    # who is asked something back has been told of no write
    claims = claims or bool(_HAS_BECOME.search(lines[0]))
    return claims or not (is_talk(e.question) or any(asks(line) for line in lines[-2:]))


def find_failed(calls: Iterable[Call]) -> list[Call]:
    """Return the writes that failed, without those that a later decision of the model made good."""
    failed: list[Call] = []
    for call in calls:
        if call.tool in WRITERS and not call.ok:
            failed.append(call)
        elif call.tool in WRITERS:
            # a batch is decided at once: a success beside a failure is another thing's
            again = next((other for other in failed if _repeats(call, other)), None)
            failed = [other for other in failed if other is not again]
    return failed


def _repeats(call: Call, failed: Call) -> bool:
    same = failed.args.get("id") is not None and failed.args.get("id") == call.args.get("id")
    return (call.step > failed.step or same) and call.tool == failed.tool


def read_error(call: Call) -> str:
    """Return the sentence with which a call failed."""
    return str(call.read().get("error", call.text))
