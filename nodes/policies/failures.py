"""A write that failed and was not made good is told: by its name, or in an answer that does not say all."""

import json
import re
from collections.abc import Iterable, Iterator

from nodes.autonomy.message import Message, split_words
from nodes.policies.claims import BOTH, TOTAL, WRITES
from nodes.policies.evidence import Call, Evidence, Violation
from nodes.policies.questions import any_of
from nodes.policies.texts import asks, blank_quotes, says_no, split_lines

_FORBIDS = any_of(
    # a negation that tells the person what to do, or the conversation how to go on, denies nothing
    r"^\W*(?:(?:but|and|please|just|aber|und|bitte|pero|y|mais|et)\b\W*)?(?:don['’]t|do not|never)\b",
    r"^\W*(?:(?:aber|und|bitte|also)\b\W*)?(?!ist|war|hab|hat|kann|konn|wurd|ging|steht|gibt|fand)[a-zäöü]+(?:e|t"
    r"|iss)?\s+(?:bitte |aber )?nicht\b",
    r"\bnicht vergessen\b",
    r"^\W*(?:(?:pero|y)\b\W*)?no (?:te |se |lo |la |los |las |me )?(?!has|puedes|es\b|eres|estás)\w+[ae]s\b",
    r"^\W*(?:(?:mais|et)\b\W*)?n(?:e\b|['’])\s*(?!\w+ant\b)\w+ (?:pas|jamais)\b",
    r"ないで(?:ください|ね)?\W*$|ないように",
    r"\b(?:no|kein|pas de|sin|ningún) (?:problem\w*|problème|worries|souci)\b|問題(?:ない|ありません)",
)
_ELSE = any_of(r"\b(?:else|more|sonst|más|autre|plus)\b|[他ほ]か?に")


def failed_writes_are_told(e: Evidence) -> Violation | None:
    """Require that a write which failed, and was not made good in the turn, is told."""
    failed = _find_failed(e.calls)
    if not failed or _tells(e, failed):
        return None
    return Violation(
        "failed_write",
        f"{failed[0].tool} failed ({failed[0].text[:200]}) and was not made good, and the draft does not tell. "
        "Try again with what the error asks for, or say plainly what was not done.",
        "Not everything you asked for was done.",
    )


def _tells(e: Evidence, failed: Iterable[Call]) -> bool:
    """Whether a line denies or asks about what failed; without its name that will do if none says that all is done."""
    lines, names = split_lines(e.draft), _names_of(e, failed)
    clauses = [clause for line in lines for clause in re.split(r"[,;:、–—]\s*", line)]
    denying = [clause for clause in clauses if says_no(clause) and not _FORBIDS.search(clause)]
    if denying and any(Message(line).mentions(*names) for line in lines if any(c in line for c in denying)):
        return True
    asking = [line for line in lines if asks(line) and not _ELSE.search(line)]
    if any(Message(line).mentions(*names) for line in asking):
        return True
    return bool(denying or asking) and not any(_says_all(line) for line in split_lines(blank_quotes(e.draft)))


def _says_all(line: str) -> bool:
    return bool(BOTH.search(line) or TOTAL.search(line)) and not says_no(line) and not asks(line)


def _names_of(e: Evidence, failed: Iterable[Call]) -> list[str]:
    """Return the words that name what was not written: its own, or those of the message that no write took up."""
    own = [text for call in failed for text in _contents(call, e)]
    written = {word for receipt in e.receipts for word in split_words(json.dumps(receipt, ensure_ascii=False))}
    words = [word for text in own or [e.question] for word in split_words(text) if word not in written]
    return [word for word in words if len(word) > 1]


def _contents(call: Call, e: Evidence) -> Iterator[str]:
    if content := call.args.get("content"):
        yield str(content)
    if id := call.args.get("id"):
        for other in e.calls:
            yield from re.findall(rf'"id": ?"{re.escape(str(id))}", ?"content": ?"([^"]+)"', other.text)


def _find_failed(calls: Iterable[Call]) -> list[Call]:
    """Return the writes that failed, without those that a later decision of the model made good."""
    failed: list[Call] = []
    for call in calls:
        if call.tool in WRITES and not call.ok:
            failed.append(call)
        elif call.tool in WRITES:
            # a batch is decided at once: a success beside a failure is another thing's
            again = next((other for other in failed if _repeats(call, other)), None)
            failed = [other for other in failed if other is not again]
    return failed


def _repeats(call: Call, failed: Call) -> bool:
    same = failed.args.get("id") is not None and failed.args.get("id") == call.args.get("id")
    return (call.step > failed.step or same) and call.tool == failed.tool
