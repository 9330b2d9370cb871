"""What kind of message a person sent: a question, talk, or something that may have to be stored.

Function words, greetings and the few verbs that ask for an answer are closed classes; verbs of storing are not listed.
"""

import re

from nodes.policies.questions import is_order, split_sentences
from nodes.policies.texts import asks

_TALK = re.compile(
    r"\W*(?:(?:hi|hey|hello|thanks?|thank you|thx|cheers|good (?:morning|evening|night|afternoon)|morning|bye"
    r"|goodbye|see you"
    r"|ok(?:ay)?|cool|nice|great|perfect|awesome|wow|lol|ha(?:ha)+|yes|no|sure|sorry|please|well|ugh|oh|ah"
    r"|hallo|danke(?:schön)?|vielen dank|guten (?:morgen|tag|abend)|gute nacht|moin|servus|tschüss|bis (?:bald"
    r"|später|morgen)"
    r"|super|toll|klasse|prima|schön|ja|nein|ach"
    r"|hola|gracias|muchas gracias|buen[oa]s (?:días|tardes|noches)|adiós|hasta (?:luego|mañana)|vale|genial"
    r"|perfecto|sí|jaja+"
    r"|bonjour|bonsoir|salut|merci|bonne (?:nuit|soirée|journée)|au revoir|à (?:bientôt|demain)|d['’]accord"
    r"|parfait|oui|non|génial"
    r")\b[\s,.!…-]*)+(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_TALK_CJK = re.compile(
    r"\W*(?:ありがとう|おはよう|こんにちは|こんばんは|おやすみ|さようなら|またね|了解|すごい|はい|いいえ|うん|お疲れ|どうも|ごめん|なるほど)"
    r"(?:ございま(?:す|した)|なさい|さま(?:でした)?|様(?:でした)?|です|ね)*[。！!ー\s]*"
)
_YOU = re.compile(
    r"\b(?:you(?:['’]re|['’]ve)?|that['’]?s|this is|it['’]?s|i['’]?m (?:tired|happy|back|good|fine|bored|sad)"
    r"|du|dir|das (?:war|ist)|eres|estás|eso es|tu es|vous êtes|t['’]es|c['’](?:est|était)|beaucoup|mucho"
    r"|vielmals|sehr|so much|a lot)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\W*(?:(?:and|so|but|und|aber|also|y|pero|et|mais|alors|ok|hey|hi|quick,?|please|bitte|por favor|\w+ly)[\s,]+)*(?:"
    r"who|whom|what|whats|what['’]s|when|where|why|how|which|whose|is|are|am|was|were|do|does|did|has|have|will|any"
    r"|show|list|tell|find|search|summari[sz]e|explain|describe|compare|translate|write (?!(?:down|that|this"
    r"|it)\b)|draft|rewrite|compose|plan|suggest"
    r"|recommend|calculate|compute|convert|count|read|look|help|give|split|add up|brainstorm|shorten|make (?:me|it|a)"
    r"|wer|wen|wem|was|wann|wo|wohin|woher|warum|wieso|wie|wieviel|welche[rsnm]?|zeig\w*|nenn\w* mir|such\w*"
    r"|find\w*|erklär\w*"
    r"|beschreib\w*|vergleich\w*|übersetz\w*|schreib\w* (?:mir|uns|ein\w*)|entwirf|plane?|rechne|hilf|sag\w*|gib"
    r"|teil|fass|mach\w* mir"
    r"|qui[eé]n(?:es)?|qu[eé]|cuándo|dónde|por qué|cómo|cuál(?:es)?|cuánt[oa]s?|muéstra\w*|muestra\w*|enséña\w*"
    r"|dime|dame|busca"
    r"|encuentra|resume|explica\w*|describe|compara|traduce|escríbe\w*|escribe|redacta|planea|planifica|hazme|calcula|suma|divide|ayúda\w*|lee"
    r"|qui|que|qu['’]\w+|quand|où|pourquoi|comment|quel(?:le)?s?|combien|montre\w*|dis|donne\w*|cherche|trouve|résume|explique\w*"
    r"|décris|compare|traduis|écris\w*|rédige|planifie|fais-moi|calcule|additionne|partage|aide\w*|lis"
    r")\b",
    re.IGNORECASE,
)
_ASKING_CJK = re.compile(
    r"(?:教えて|見せて|探して|まとめて|説明して|比べて|翻訳して|書いて|作って|計算して|手伝って|割って|合計して|立てて)"
)
_REQUEST = re.compile(
    r"^\W*(?:(?:hey|hi|ok|and|also|und|y|et),? )*(?:(?:can|could|would|will) you|(?:kannst|könntest|würdest) du"
    r"|(?:me )?(?:puedes|podrías)"
    r"|(?:peux|pourrais)-tu|tu peux|tu pourrais|pouvez-vous|pourriez-vous)\b|(?:くれる|もらえる|くれます"
    r"|もらえます|いただけます)か?[?？。]*\s*$",
    re.IGNORECASE,
)
MOST_WORDS = 8
"""A greeting with more words behind it has something else to say."""


def is_request(question: str) -> bool:
    """Whether a message asks politely for something to be done: could you ...?"""
    return bool(_REQUEST.search(question))


def is_talk(question: str) -> bool:
    """Whether a message only greets, thanks or reacts."""
    if _TALK_CJK.fullmatch(question.strip()) or not re.search(r"\w", question):
        return True
    match = _TALK.fullmatch(question)
    rest = match["rest"].strip() if match else question.strip()
    if len(rest.split()) > MOST_WORDS or re.search(r"\d", rest) or is_order(rest):
        return False
    return (not rest and bool(match)) or bool(_YOU.match(rest))


def is_question(question: str) -> bool:
    """Whether a message asks for an answer, and not for something to be stored, changed or deleted."""
    sentences = split_sentences(question) or [question]
    if any(is_order(s) and not asks(s) and not _ASKING.match(s) for s in sentences):
        return False
    return any(asks(s) or _ASKING.match(s) or _ASKING_CJK.search(s) for s in sentences)
