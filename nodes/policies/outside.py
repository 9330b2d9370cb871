"""Acts outside: that something was sent, written to somebody, booked, ordered or paid, where no tool can do it; and
later acts: that a person will be reminded or sent something, or was, where nothing rings.

It reads the first person and the passive, in the perfect and the future, of a few verbs in five languages; such acts
are few. Letters, quotations, conditions, offers, and what the message or a result says itself, are no claims.
"""

import re
from collections.abc import Iterator

from nodes.policies.evidence import Evidence, Violation
from nodes.policies.messages import is_question
from nodes.policies.texts import LISTED, any_of, asks, blank_quotes, says_no, split_lines
from tools.catalog import READERS

OUTSIDE, PROMISED = "outside_act", "promise"

_EN = (
    r"sent|e-?mailed|mailed|texted|phoned|rang|booked|reserved|ordered|paid|transferred|notified|informed|invited"
    r"|forwarded|submitted|handed in"
)
_DE = (
    r"(?:ab|ver|los)?geschickt|(?:ab)?gesendet|ver(?:sendet|schickt)|gemailt|angerufen|gebucht|reserviert|bestellt|bezahlt"
    r"|überwiesen|informiert|benachrichtigt|eingeladen|geantwortet|weitergeleitet|eingereicht"
)
_ES = r"(?:enviad|mandad|reservad|pedid|encargad|pagad|avisad|transferid)"
_FR = r"(?:envoyé|réservé|commandé|payé|prévenu|averti|viré)"
_NOW_EN, _NOW_DE = (
    r"(?: (?:just|now|already|also|all|\w+ly))*",
    r"(?: (?:gerade|soeben|eben|schon|bereits|jetzt|auch))*",
)
_BY_ME = any_of(
    rf"\bi(?:['’]ve| have)?(?:{_NOW_EN}|\b(?:(?! as | that )[^.,;:?!]){{0,80}} and(?: also| just)?) "
    rf"(?:(?:{_EN}|messaged|told)(?! (?:you|it|this|them)\b)|called(?! (?:it|this|that|them)\b)"
    r"|(?:written|wrote|replied) to(?! you\b)|let(?! you\b) [\w .]{1,24}? know)\b",
    r"(?:\bich hab(?:e|['’])?|\bhab(?:e|['’])? ich)\b(?! (?:dir|euch|Ihnen)\b)"
    rf"(?:[^,.;:?!]{{0,80}} (?:{_DE}|Bescheid (?:gesagt|gegeben))"
    rf"|{_NOW_DE} (?:an )?(?:Herrn|Frau|ihm|ihr|ihnen|dem|der|(?-i:[A-ZÄÖÜ])\w+)\b"
    r"(?:(?! eine?n? )[^,.;:?!]){0,80}(?: eine (?:\w+ )?(?:mail|nachricht|sms))? geschrieben)\b",
    rf"(?<!\bte )\bhe (?:{_ES}|(?:llamado|telefoneado|escrito|respondido|invitado)(?= al? ))|\bles? he escrito\b"
    r"|\b(?:envié|mandé|reservé|pedí|pagué|avisé|llamé al?)\b",
    rf"\bj['’]ai (?:(?:bien|déjà|aussi) )?(?:{_FR}|téléphoné|appelé|invité|(?:écrit|répondu)(?= à ))"
    r"|\bje (?:lui|leur) ai (?:écrit|téléphoné)"
    r"|\bje viens d(?:e |['’])(?:envoyer|appeler|écrire à|réserver|commander|payer|téléphoner|prévenir)\b",
    r"(?:メール(?:を)?し|送信し|(?<!お)送り|(?<!ご)連絡し|電話し|予約し|注文し|発注し|支払い|払い|(?<!お)伝え|知らせ)(?:ておき)?ました(?!か)",
)
_DONE = any_of(
    rf"\b(?:is|are|was|were|(?:has|have|['’]s) been|['’]s|got){_NOW_EN} (?P<en>{_EN})\b",
    rf"\b(?:ist|sind|wurden?)\b[^,.;:?!]{{0,80}} (?P<de>{_DE})\b",
    rf"\b(?:est[áa]n?|quedan?|ha(?:n)? sido|fue(?:ron)?|se han?) (?:\w+ )?(?P<es>{_ES})[oa]s?\b",
    rf"\b(?:est|sont|(?:a|ont) été) (?:(?:bien|déjà) )?(?P<fr>{_FR})e?s?\b",
    r"(?P<ja>予約|送信|注文|手配|支払い)(?:されました|が取れました|が完了しました)",
    r"\b(?:message|e-?mail|mail|text|sms) (?P<noun>sent)\b",
    r"\b(?:is|are|ist|sind|est[áa]n?|est|sont) (?P<way>on (?:the|its|their) way|unterwegs|en camino|en route)\b",
    # a participle alone: Sent! Gebucht.
    rf"^\W*(?P<alone>{_EN}|called|{_DE}|{_ES}[oa]|{_FR})(?= ?[.!,:]| (?:to|for|the|an|a)\b|$)",
)
_DU, _SPAN = "(?:dich|dir|euch|Sie|Ihnen)", r"(?:[^.;:?!]|(?<=\d)[.:]){0,80}"
_LATER = any_of(
    r"\bi(?:['’]ll| will|['’]m going to)(?:(?: also| then| \w+ly)?|(?:(?! as | that )[^.,;:?!]){0,80} and)"
    r" (?:let you know|(?:remind|notify|alert|ping|wake|text|e-?mail|message|send) (?!it\b|this\b|them\b))"
    r"(?! ?(?:you )?that\b)|\byou(?:['’]ll| will) be (?:reminded|notified)\b"
    r"|\byou(?:['’]ll| will) (?:get|receive) an? (?:\w+ )?(?:reminder|notification|message)\b"
    r"|\b(?:reminder|alarm) (?:is |has been )?set\b|\bi(?:['’]ve| have)? set (?:up )?an? (?:\w+ )?(?:reminder|alarm)\b",
    # a reminder that rings; people ring, too
    r"\b(?:it|this|that|they|both|all|(?:reminder|alarm|entr(?:y|ie))s?)(?: (?:also|both|all|now|will)){0,3} rings?\b"
    r"(?! (?:you|me|him|her|us|them|back|nothing)\b)",
    rf"\b(?:ich )?(?:erinnere|benachrichtige|wecke|schicke|sende)(?: ich)? {_DU}\b(?! (?:daran, )?dass\b)"
    rf"|\b(?:ich werde|werde ich) {_DU} {_SPAN}\b(?:erinnern|benachrichtigen|wecken|schicken|senden)\b"
    rf"|\b(?:ich )?(?:sage?|gebe)(?: ich)? {_DU} {_SPAN}\bBescheid\b"
    rf"|\bwirst (?:du )?{_SPAN}\b(?:erinner|benachrichtig)t\b"
    rf"|\b(?:bekommst|erhältst|bekommen|erhalten) {_SPAN}\b(?:Erinnerung|Benachrichtigung|Nachricht)\b"
    rf"|\b(?:es|das|beide|alle|Erinnerung(?:en)?)(?: (?:jetzt|nun))? (?:klingel(?:t|n)|läute[tn])\b"
    rf"|\b(?:klingel(?:t|n)|läute[tn]) (?:es|beide|alle)\b"
    rf"|\bErinnerung {_SPAN}\b(?:gesetzt|gestellt|eingestellt|eingerichtet)\b",
    r"\b(?:te|os|le) (?:l[oa]s? )?(?:(?:voy a )?(?:recordar|avisar|enviar|mandar)é?|recuerdo|aviso)\b(?! que\b)"
    r"|\brecibirás (?:un|una) (?:recordatorio|aviso|mensaje)\b|\brecordatorio (?:programado|puesto|activado)\b",
    r"\b(?:te|vous) (?:l[ea]s? |l['’])?(?:rappellerai|préviendrai|avertirai|enverrai|rappelle|préviens)\b(?! que\b)"
    r"|\bje vais (?:te|vous) (?:rappeler|prévenir|avertir|envoyer)\b|\brappel (?:est )?(?:programmé|réglé|activé)\b"
    r"|\b(?:tu recevras|vous recevrez) (?:un|une) (?:rappel|notification|message)\b",
    r"(?:リマインド|通知|お知らせ|お送り|ご連絡)(?:いた)?します(?!か)|リマインダーを(?:設定|セット)しました",
    # that it rang
    r"\b(?:reminder|alarm) (?:[^.;:?!]{0,60} )?(?:was (?:at|sent)|rang|went off)\b"
    r"|\bi(?:['’]ve| did)? remind(?:ed)? you\b",
    rf"\bErinnerung {_SPAN}\b(?:war um|kam|geklingelt)\b|\b(?:ich habe|habe ich) {_DU} {_SPAN}\berinnert\b",
    rf"\brecordatorio {_SPAN}\b(?:fue|era|sonó) |\bte (?:lo )?(?:recordé|avisé|he (?:recordado|avisado))\b",
    rf"\brappel {_SPAN}\b(?:était à|a sonné)|\bje t['’]ai (?:rappelé|prévenue?)\b",
    r"(?:リマインド|通知|お知らせ)しました(?!か)|(?:通知|リマインダー)[がは](?:届き|鳴り)ました",
)
_OFFERS = any_of(r"\b(?:tell|give|say|sag|gib|nenn|dime|dame|dis|donne)\b|教えて|言って")
_RINGING = any_of(
    r"remind|\brings?\b|add?ress|erinner|klingel|record|avis|dirección|rappel|sonner|prévenir|通知|アドレス"
)
SUPPOSES = any_of(
    r"\b(?:if|when|once|until|unless|before|after|as soon as|whether|wenn|sobald|falls|bis|bevor|nachdem|ob)\b",
    r"\b(?:cuando|si|en cuanto|una vez|hasta que|quand|dès que|une fois|lorsqu|avant|après)\b|たら|れば|とき|なら",
)
_DENIES = re.compile(
    r"\b(?:not|never|nothing|nicht|nichts|kein\w*|nie|no|nada|nunca|ne|pas|rien|jamais)\b|n['’]t\b|\bn['’]",
    re.IGNORECASE,
)

_CLAUSE = re.compile(r"[,;:—–.]")
_HOURS = re.compile(r"\d\s?(?:h|hours?|std\.?|stunden?)\b", re.IGNORECASE)


def acts_are_possible(e: Evidence) -> Violation | None:
    """Require that a draft claims no act outside that nothing here can do."""
    claim = find_outside_act(e)
    if claim is None:
        return None
    return Violation(
        OUTSIDE,
        f'It says "{claim}", but no tool here can send, write to anybody, call, book, order or pay. Say that you '
        "cannot do it, and offer a text to copy or a reminder; if the person did it, say so.",
        "I cannot send, book, order or pay anything.",
    )


def find_outside_act(e: Evidence) -> str | None:
    """Return the sentence in which a draft claims an act outside, unless a tool of the person's own may have acted."""
    if e.own_tools:
        return None
    lines = [line for line in _split_own(e.draft) if not asks(line)]
    by_me, done = ([(line, match) for line in lines if (match := _find(pattern, line))] for pattern in (_BY_ME, _DONE))
    # how a transfer works, or what has been paid; or the person has told what was done
    if done and (is_question(e.question) or any(_find(pattern, e.question) for pattern in (_BY_ME, _DONE))):
        done = []
    heard = _list_known(e) if by_me or done else ""
    said = [line for line, match in by_me if match[0].lower() not in heard]
    heard = "\n".join([heard, *e.earlier]).lower() if done else ""
    said += [line for line, match in done if next(filter(None, match.groups())).lower() not in heard]
    return next(iter(said), None)


def promises_are_kept(e: Evidence) -> Violation | None:
    """Require that a draft promises no later act, and tells of none, where nothing rings."""
    promise = find_promise(e)
    if promise is None:
        return None
    why = "no item in view has remind" if e.rings else "no address is set (`ana setup` sets one)"
    return Violation(
        PROMISED,
        f'It says "{promise}", but nothing rings, sends or watches by itself: {why}. For a reminder set remind on the '
        "item and say what the result says; otherwise say that you cannot, and what is stored.",
        "I cannot remind you or send anything by myself.",
    )


def find_promise(e: Evidence) -> str | None:
    """Return the sentence in which a draft promises a later act, or tells of one, where nothing rings."""
    # as JSON, which no stored text can be
    has_reminder = any('"remind":' in text for text in (*(call.text for call in e.calls if call.ok), *e.earlier))
    if e.own_tools or (e.rings and has_reminder) or "ana setup" in e.draft:
        return None
    lines = [line for line in _split_own(e.draft) if not (asks(line) or line.endswith(":"))]
    if any(says_no(line) and _RINGING.search(line) for line in lines):
        return None
    found = ((line, match) for line in lines if (match := _find(_LATER, line)))
    return next((line for line, match in found if not _OFFERS.search(line[: match.start()])), None)


def _find(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    return next((match for match in pattern.finditer(line) if _stands(line, match)), None)


def _stands(sentence: str, match: re.Match[str]) -> bool:
    """Whether a claim is neither supposed nor denied, and no other thing that the verb can say."""
    before, behind = sentence[: match.start()], _CLAUSE.split(sentence[match.end() :])[0]
    clause = _CLAUSE.split(before)[-1] + match[0] + behind
    if SUPPOSES.search(before) or _DENIES.search(clause):
        return False
    verb = match[0].lower()
    is_sorted = verb.endswith("ordered") and " by " in behind
    return not (is_sorted or (verb.endswith(("booked", "gebucht")) and _HOURS.search(clause)))


def _list_known(e: Evidence) -> str:
    """Return what a person said or stored, from which an answer may report that something was sent."""
    found = (call.text for call in e.calls if call.tool in READERS)
    return "\n".join([e.question, *found, *e.lines.values()]).lower()


def _split_own(draft: str) -> Iterator[str]:
    """Yield the sentences of a draft, without quotations, and without the letter after a colon or a salutation."""
    inside = False
    for line in blank_quotes(draft).splitlines():
        if inside and not LISTED.match(line):
            continue
        inside = inside or line.rstrip(" *").endswith((":", "：", ","))
        yield from split_lines(line)
