"""What kind of message a person sent: a question, talk, or something that may have to be stored.

Verbs of storing are not listed: an order has no subject, a request says "can you", a duty says "I have to". Function
words, greetings and the few verbs that ask for an answer are closed classes.
"""

import re
from collections.abc import Iterator
from itertools import starmap

from nodes.autonomy.texts import any_of, asks, read_words, split_lines

# ---- function words, by what they say of a clause

_SUBJECTS, _OTHERS, _OBJECTS = map(read_words, ("subjects", "others", "objects"))
_FUNCTION = _SUBJECTS | _OTHERS
FUNCTION_WORDS = _FUNCTION | _OBJECTS
_GREETING = (
    r"(?:(?:hi|hey|hello|thanks?|thank you|thx|cheers|good (?:morning|evening|night|afternoon)|morning|bye"
    r"|goodbye|see you"
    r"|ok(?:ay)?|cool|nice|great|perfect|awesome|wow|lol|ha(?:ha)+|yes|yeah|no|sure|sorry|please|well|ugh|oh|ah"
    r"|hallo|danke(?:schön)?|vielen dank|guten (?:morgen|tag|abend)|gute nacht|moin|servus|tschüss|bis (?:bald"
    r"|später|morgen)|super|toll|klasse|prima|schön|ja|nein|ach"
    r"|hola|gracias|muchas gracias|buen[oa]s (?:días|tardes|noches)|adiós|hasta (?:luego|mañana)|vale|genial"
    r"|perfecto|sí|(?:ja){2,}"
    r"|bonjour|bonsoir|salut|merci|bonne (?:nuit|soirée|journée)|au revoir|à (?:bientôt|demain)|d['’]accord"
    r"|parfait|oui|non|génial"
    r")\b[\s,.!…-]*)"
)
_OPENING = re.compile(
    rf"^\W*(?:{_GREETING}|(?:and|also|so|then|now|anyway|actually|wait|just|oops|bitte|na|und|dann|auch|y|así|luego|bueno"
    r"|por favor|et|alors|puis|bon|enfin|bref|s['’]il (?:te|vous) pla[iî]t)\b[\s,]*)*(?:que )?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?P<mark>[,;:、–—]+)\s*")
_WORD = re.compile(r"[^\W_]+(?:['’](?:m|s|re|ve|ll|d|t)\b)?")

# ---- what asks for an answer, and not for a write

_ANSWERING = (
    r"show|liste?|tell|believe|find|search|summari[sz]e|explain|describe|compare|translate|write|draft|rewrite"
    r"|compose|plan|suggest|recommend"
    r"|calculate|compute|convert|count|read|look|help|give(?! (?:\w+ )?back\b)|split|add up"
    r"|brainstorm|shorten|make (?:me|it|a)"
    r"|zeig\w*|nenn\w* (?:mir|uns)|such\w*|find\w*|erklär\w*|beschreib\w*|vergleich\w*|übersetz\w*"
    r"|schreib\w* (?:mir|uns|ein\w*)|entwirf|plane?"
    r"|rechne|hilf|helfen|sag\w*|gib|teil|fass|zusammen\w*|mach\w* mir"
    r"|muéstra\w*|mostrar\w*|muestra\w*|enséña\w*|d[ií]me|decir\w*|dame|busca\w*|encuentra|resum\w*|expl[ií]ca\w*"
    r"|describ\w*|comp[aá]ra\w*"
    r"|traduc\w*|escr[ií]be?\w*|redacta\w*|plan(?:ea|ifica)\w*|hazme|calcula\w*|suma|divide|ay[uú]da\w*|lee"
    r"|montre\w*|dis|dire|donne\w*|cherche\w*|trouve\w*|résume\w*|explique\w*|décris|décrire|compare\w*|tradui\w*"
    r"|écri\w*|rédige\w*|planifie\w*|fais-moi|calcule\w*|additionne\w*|partage\w*|aide\w*|lis"
)
_WH = (
    r"(?:who|whom|what|whats|when|where|why|how|which|whose|wer|wen|wem|was|wann|wo|wohin|woher|warum|wieso|wie"
    r"|wieviel|welche[rsnm]?"
    r"|qui[eé]n(?:es)?|qu[eé]|cuándo|dónde|por qué|cómo|cuál(?:es)?|cuánt[oa]s?|qui|qu['’]\w+|quand|où|pourquoi"
    r"|comment|quel(?:le)?s?|combien)\b"
)
_ASKS_WHICH = re.compile(r"\b(?:quel(?:le)?s?|cuál(?:es)?|wie ?viele?)\b|[何誰]|どこ|いつ|いくつ", re.IGNORECASE)
_INTERROGATIVE = re.compile(rf"\W*{_WH}", re.IGNORECASE)
_ASKING = re.compile(
    r"\W*(?:(?:and|so|but|und|aber|also|y|pero|et|mais|alors|ok|hey|hi|quick,?|please|bitte|por favor|\w+ly)[\s,]+)*(?:"
    rf"{_WH}|que|is|are|am|was|were|does|(?:do|did|has|have)(?! \d)|will|any"
    rf"|write (?!(?:down|that|this|it)\b)|(?!write\b)(?:{_ANSWERING}))\b",
    re.IGNORECASE,
)
_ANSWERING_CJK = r"(?:教え|見せ|探し|まとめ|説明し|比べ|翻訳し|書い|作っ|計算し|手伝っ|割っ|合計し|立て|考え)て(?!お)"

# ---- what asks for a write

_FILLER = r"(?:(?:please|hey|hi|ana|also|and|then|ok(?:ay)?|so|now|(?:can|could|would|will) you)[,\s]+)*"
_ORDER = re.compile(
    rf"^{_FILLER}(?:i need you to |i want you to |make sure to )?"
    r"(?:add(?! (?:up )?\d)|create|remind|note|save|store|remember|record|log|(?:re)?schedule|put|jot|write|keep|track"
    r"|call|book|buy|pay|mark|move|update|change|set|complete|finish|cross|tick|delete|erase|remove|drop|forget|clear"
    r"|rename|cancel|postpone|archive)\b",
    re.IGNORECASE,
)
POLITE = any_of(r"\bplease\b", r"\bbitte\b", r"\bpor favor\b", r"\bs['’]il (?:te|vous) pla[iî]t\b", r"お願い")
_REQUEST = re.compile(
    r"\b(?:(?:can|could|would|will) you|you (?:can|could)|would you mind)\b(?:\W+(?:please|also|just|maybe))*(?P<en>.*)"
    r"|\b(?:kannst|könntest|würdest) du\b|\bdu kannst\b"
    r"|\b(?:puedes|podrías|te importa(?:ría)?)\b(?P<es>.*)"
    r"|\b(?:(?:peux|pourrais)-tu|tu (?:peux|pourrais)|pouvez-vous|pourriez-vous|vous pouvez|ça t['’]\w+rait (?:de"
    r"|d))\b(?P<fr>.*)"
    r"|(?P<ja>\w{1,9}?[てで](?:くれ|もら[えっ]|いただ[けい]|ほしい|も?いい(?![かの])))",
    re.IGNORECASE | re.DOTALL,
)
_ANSWERS_FIRST = re.compile(rf"\W*(?:(?:me|nos|m|nous)\b\W*)?(?:{_ANSWERING})\b", re.IGNORECASE)
_ANSWERS_LAST = re.compile(
    r"\b(?:sagen|zeigen|erklären|helfen|nennen|beschreiben|übersetzen|vergleichen|zusammenfassen)\b"
)
_MAKES = re.compile(r"\W*(?P<before>(?:\w+\W+){0,2}?)(?:make|do) (?:it|that|them|a)\b", re.IGNORECASE)
"""With a draft or with what is stored: make it shorter, make it Friday."""
_CALLED_OUT = re.compile(r"(?<![!?！？])[?？]*+[!！][!?！？]*$")
_ENCLITIC_BEHIND = re.compile(r"-(?:moi|l[ea]|les)\b|[áéí]\w{1,9}[ae]me\b", re.IGNORECASE)
_NAMED = frozenset(
    {"i", "you", "he", "she", "we", "ich", "du", "er", "wir", "je", "il", "elle", "on", "yo", "él", "ella"}
)
"""Whoever is the subject of a clause is not told to do something."""
_ORDER_CJK = re.compile(r"(?<!く)(?<!だっ)[てで](?:おいて|ください|下さい|ね|よ|ほしい|くれ)?\W*$|(?:といて|とて)\W*$")
_DUTY = any_of(
    r"\bi (?:still )?(?:(?:need|have|ought) to|must)\b",
    r"\bich (?:\w+ )?(?:muss|sollte)\b|\bmuss ich\b",
    r"\b(?:tengo|hay) que\b|\bdebo\b",
    r"\bil faut (?:que|qu)\b|\bje dois\b",
    r"(?:ないと|なきゃ|なくちゃ|なければ)",
    r"\bi(?:['’]d| would) like you to\b|\bi want you to\b|\bich hätte gern\b|\bquiero que\b|\bje v(?:oudrais"
    r"|eux) que\b|てほしい",
)

# ---- talk

_TALK = re.compile(rf"\W*{_GREETING}+(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_TALK_CJK = re.compile(
    r"\W*(?:ありがとう|おはよう|こんにちは|こんばんは|おやすみ|さようなら|またね|了解|すごい|はい|いいえ|うん|お疲れ|どうも|ごめん|なるほど)"
    r"(?:ございま(?:す|した)|なさい|さま(?:でした)?|様(?:でした)?|です|ね)*[。！!ー\s]*"
)


def is_order(sentence: str) -> bool:
    """Whether a sentence tells in plain English to store, change or delete something."""
    return bool(_ORDER.search(sentence))


def find_statements(question: str) -> list[str]:
    """Return the sentences of a message that do not only ask for an answer."""
    parts = _split(question)
    return [each for each in parts if not _seeks(each) or (_requests if _ends_as_question(each) else tells)(each)]


def _ends_as_question(sentence: str) -> bool:
    """Whether a sentence is put as a question; an order that is called out stays one: give it back!??"""
    return asks(sentence) and not (_CALLED_OUT.search(sentence) and _orders(_CALLED_OUT.sub("!", sentence)))


def tells(sentence: str) -> bool:
    """Whether a sentence or clause tells to do something that may be more than an answer."""
    makes = _MAKES.match(sentence)
    return _orders(sentence) or bool(makes and not has_subject(makes["before"]) and not _INTERROGATIVE.match(sentence))


def _split(question: str) -> list[str]:
    return split_lines(question) or [question]


def _orders(sentence: str) -> bool:
    if _DUTY.search(sentence) or _requests(sentence) or _is_polite(sentence):
        return True
    if _ORDER_CJK.search(sentence) and not re.search(_ANSWERING_CJK, sentence):
        return True
    return any(starmap(_is_imperative, _clauses(sentence)))


def _requests(sentence: str) -> bool:
    match = _REQUEST.search(sentence)
    if match is None or _INTERROGATIVE.match(sentence):
        return False
    behind = match["en"] or match["es"] or match["fr"]
    if behind:
        return not _ANSWERS_FIRST.match(behind)
    return not re.search(_ANSWERING_CJK, match["ja"]) if match["ja"] else not _ANSWERS_LAST.search(sentence)


def _is_polite(sentence: str) -> bool:
    """Whether a sentence asks, with a please, for something else than an answer."""
    rest = POLITE.sub(" ", sentence)
    if rest == sentence or len(_WORD.findall(rest)) < 2:
        return False
    return not re.search(rf"\b(?:{_ANSWERING})\b|{_ANSWERING_CJK}", rest, re.IGNORECASE)


def _clauses(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield the clauses of a sentence without what leads to them, and whether each may begin with its verb."""
    begins = True
    for part in _CLAUSE.split(sentence):
        clause = _OPENING.sub("", part.strip(), count=1)
        if _CLAUSE.fullmatch(part):
            begins = "," not in part
        elif clause:
            yield clause, begins or clause != part.strip()


def _is_imperative(clause: str, begins: bool) -> bool:
    """Whether a clause tells to do something: it begins with a verb, and no subject is named."""
    if _ASKING.match(clause) or re.search(_ANSWERING_CJK, clause):
        return False
    if is_order(clause) or _ENCLITIC_BEHIND.search(clause):
        return True
    words = _split_words(clause)
    if not begins or len(words) < 2 or words[1] not in _OBJECTS or _NAMED.intersection(words[:4]):
        return False
    return words[0] not in _FUNCTION


def is_greeting(question: str) -> bool:
    """Whether a message greets, thanks or reacts, and says nothing else."""
    match = _TALK.fullmatch(question)
    return bool(_TALK_CJK.fullmatch(question.strip()) or (match and not match["rest"].strip()))


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def has_subject(text: str) -> bool:
    """Whether a clause says who or what it speaks of, so that it is neither an order nor a short reply."""
    return any(word in _SUBJECTS for word in _split_words(text))


def _seeks(sentence: str) -> bool:
    """Whether a sentence asks for an answer, whatever else it does."""
    found = _ASKING.match(sentence) or _ASKS_WHICH.search(sentence) or re.search(_ANSWERING_CJK, sentence)
    return _ends_as_question(sentence) or bool(found)
