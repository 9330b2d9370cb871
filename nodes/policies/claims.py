"""What a draft says was stored, changed or deleted is what the receipts of the turn say."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from ana.patterns import compile_later
from nodes.policies.days import find_days
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.messages import asks_for_write, is_question, is_request, is_talk
from nodes.policies.quantities import find_quantities
from nodes.policies.questions import is_order, split_sentences
from nodes.policies.spelled import write_numbers
from nodes.policies.texts import asks, blank_quotes, drop_drafted, drop_letter, is_composed, says_no, split_lines
from nodes.policies.written import Claim, find_claims

WRITES = frozenset(
    {"create_item", "update_item", "delete_item", "append_context", "replace_context", "delete_context", "undo"}
)
OURS = WRITES | {"query_items", "calculator", "now", "resolve_date"}
WAYS_OUT = (
    "If it was done in an earlier turn, say when; if it is about text in this answer, say so; if it was not "
    "done, say that. "
    "Do not write again only to make the sentence true."
)
NOTHING_CHANGED = "Nothing was changed in this turn."


def claimed_write_needs_receipt(e: Evidence) -> Violation | None:
    """Require that a tool of this turn did what the answer says was stored, changed or deleted."""
    # One unproved claim is enough: the person would rely on it.
    draft = drop_letter(drop_drafted(e.draft) if is_question(e.question) else e.draft)
    found = find_claims(draft, after_order=_is_about_a_write(e))
    return next((_missing_receipt(claim) for claim in found if not claim.tools.intersection(e.tools)), None)


def _is_about_a_write(e: Evidence) -> bool:
    """Whether the message is an order, or a statement on which no tool ran."""
    # The answer "Done." claims a write then; after a question or a calculation it does not.
    ordered = any(is_order(sentence) for sentence in split_sentences(e.question))
    return ordered or not (e.tools or e.question.strip().endswith("?"))


def _missing_receipt(claim: Claim) -> Violation:
    return Violation(
        "claimed_write",
        f'It says "{claim.words}", but no tool call of this turn did that. If the person wants it done, call the '
        f"tool that does it ({', '.join(sorted(claim.tools))}). {WAYS_OUT}",
        f"That was not {claim.action}. Please tell me again what you would like.",
    )


# ---- how many things were changed

BOTH = compile_later(
    r"\bboth\b|\bbeides?\b|\bbeiden?\b|\bambos\b|\bambas\b|\b(?:los|las) dos\b|\b(?:les|toutes les"
    r"|tous les) deux\b|両方|どちらも",
    re.IGNORECASE,
)
_ALL = compile_later(
    r"\b(?:all|alle|todos|todas|los|las|tous|toutes|les|the)\s+(?P<n>\d{1,2})\b(?!\s*(?:of|von|de|sur)\b)"
    r"|(?P<ja>\d{1,2})[件つ個]とも",
    re.IGNORECASE,
)
TOTAL = compile_later(
    r"\b(?:all|everything|alle[sr]?|todo|todos|todas|tout|tous|toutes)\b(?! right)|全部|すべて|全て|\d[件つ個]とも",
    re.IGNORECASE,
)
"""What says that nothing was left out."""
_PART = re.compile(r"\d\s+(?:of|von|der|de|sur)\b|のうち", re.IGNORECASE)
_DONE = compile_later(
    r"\b(?:i|we)(?:['’]ve| have)?\s+\w+ed\b|\b(?:ich )?(?:hab|habe|haben)(?: ich| wir)?\b|\b(?:sind"
    r"|ist)\b.*\b\w*ge\w+(?:t|en)\b"
    r"|\b(?:he|hemos)\s+\w+[aies](?:do|to|cho)\b|\b(?:están?|quedan?)\s+(?:\w+\s+)?\w+[ai]d[oa]s?\b"
    r"|\bj['’]ai\b|\bnous avons\b|\b(?:est|sont)\s+(?:\w+\s+)?\w+(?:ée?s?|ie?s?|ites?)\b|(?:ました|済み|完了です)",
    re.IGNORECASE,
)


def changes_are_counted(e: Evidence) -> Violation | None:
    """Require that a draft says of no more things that they were changed than there are receipts."""
    count = len(e.receipts)
    if not count or is_composed(e.draft):
        return None
    stated = split_lines(blank_quotes(e.draft[:MOST_CHARACTERS]))
    telling = (line for position, line in enumerate(stated) if position == 0 or _DONE.search(line))
    claimed = max((n for line in telling if not asks(line) and not says_no(line) for n in _counts(line, e)), default=0)
    if claimed <= count:
        return None
    return Violation(
        "count",
        f"It says that {claimed} things were changed, but this turn holds receipts of {count}. Say what was "
        f"changed and what "
        f"was not, or do the rest. {WAYS_OUT}",
        "Not everything you asked for was done.",
    )


def _counts(line: str, e: Evidence) -> Iterator[int]:
    """Yield the numbers of things that a line speaks of."""
    if _PART.search(line):
        return
    if BOTH.search(line):
        yield 2
    today = (e.now or datetime.now(UTC)).date()
    for day in find_days(line, today):  # "14 sept." is no 14 things, and no 7 in French
        line = line[: day.start] + " " * (day.end - day.start) + line[day.end :]
    spoken = {*write_numbers(line)}
    yield from (int(m["n"] or m["ja"]) for text in spoken for m in _ALL.finditer(text))
    if _DONE.search(line):
        written = (f"{call.args} {call.text}" for call in e.calls if call.tool in WRITES)
        known = {value for text in written for quantity in find_quantities(text, today) for value in quantity.values}
        found = (quantity for text in spoken for quantity in find_quantities(text, today) if not quantity.unit)
        yield from (int(v) for quantity in found for v in quantity.values if v in range(2, MOST) and v not in known)


MOST_CHARACTERS = 600
"""A claim stands at the beginning."""
MOST = 50
"""Nobody is told of more things one by one; a larger number is another thing's."""


# ---- the line under an answer

_CLAIMS = compile_later(
    # the first person in the perfect or in the future
    r"\bi(?:['’]ll| will)\b|\b(?:ich werde|werde ich|merke ich mir)\b|\b\w+(?:ré|remos)\b"
    r"|\bje \w*['’]?(?:\w+ )?\w+rai\b|"
    r"\b(?:i['’]ve|i have|i) (?:\w+ )?\w+(?:ed|ten|pt)\b|\b(?:ich habe?|habe? ich|hab['’]s|habs)\b.*\b\w*(?:ge"
    r"|ver|be|ent)\w+(?:t|en)\b|\b(?:ist|sind) (?:jetzt |nun )?\w*(?:drauf|drin)\b"
    r"|\b(?:he|hemos) \w+[aies](?:do|to|cho)\b|^\W*(?:s[ií],? |también \w+, |por supuesto, "
    r"|claro, )?\w+[ai]d[oa]s?\W*$"
    r"|\bj['’]ai\b.*\b\w+(?:é|i|u|it|is)\w{0,2}\b|\bje viens de\b|\bc['’]est (?:fait|noté|enregistré)\w*"
    r"|(?:ておき|保存し|記録し|メモし|登録し|追加し|削除し|変更し)(?:ました|ます)|済みです",
    re.IGNORECASE | re.MULTILINE,
)


def may_expect_write(e: Evidence) -> bool:
    """Whether a person may believe that something was stored, changed or deleted in a turn that wrote nothing.

    That is so unless the message was a question or talk; and after those, where the answer sounds like it.
    """
    if any(call.tool not in OURS for call in e.calls):  # what a person's own tool did is not known here
        return False
    if asks_for_write(e.question):
        return True
    stated = [*split_lines(blank_quotes(e.draft[:MOST_CHARACTERS])), ""]
    if is_request(e.question):
        return not (says_no(stated[0]) or is_composed(e.draft))
    claims = bool(_CLAIMS.search(stated[0])) and not says_no(stated[0])
    if is_question(e.question):
        return claims and not e.calls and not is_composed(e.draft)
    # who is asked something back has been told of no write
    return claims or not (is_talk(e.question) or any(asks(line) for line in stated[-2:]))
