"""The language of a message, by its commonest words, and what receipts say in it."""

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal, get_args

from ana.phrases import fold

Language = Literal["en", "de", "es", "fr", "ja"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_COMMON: dict[Language, str] = {
    "en": "the a an and or not is are were have has had with for at on to of my me you it its this that what when "
    "where who how can could will would please do does did i m s let by from all any there their they we our "
    "be t d ll re ve hasn haven isn aren don doesn didn won wasn couldn",
    "de": "der die das den dem des ein eine einen einem einer und oder nicht ist sind war habe hab hast hat haben "
    "mit fur im am an auf zu zum zur von vom bei mein meine meinen meinem mir mich ich du dir wir uns es was "
    "wann wo wer wie kannst kann konnte bitte noch schon heute morgen bis auch dass um sie er in aus durch "
    "nach uber so guten danke",
    "es": "el la los las lo un una unos unas y o no es son esta estan era con para por del al mi mis me yo tu te nos "
    "que cuando donde quien como cuanto cuantos puedes puede favor hoy manana ya tengo he ha hay se su en de a "
    "entre gracias bueno buenas buenos",
    "fr": "le la les l un une d des du au aux et ou n ne pas est sont etait avec pour par mon ma mes me moi j je ai "
    "tu te t vous nous on qu que qui quel quelle quand quoi combien comment peux peut plait aujourd hui demain "
    "deja c il elle se s ce ca en de a as sur bonjour bonsoir merci",
}
"""Articles, pronouns, prepositions, question words and auxiliaries: closed classes, folded."""

COMMON = frozenset(" ".join(_COMMON.values()).split())
"""All of them."""


@dataclass(frozen=True)
class Wording:
    """What a receipt says: mostly what stands before the thing that it tells of."""

    stored: str
    changed: str
    deleted: str
    learned: str
    """Before a new line of Global Context; `known` before one that was rewritten, `forgotten` a deleted one."""
    known: str
    forgotten: str
    existing: str
    """Before an item that was there already."""
    failed: str
    declined: str
    """Before what the person refused."""
    nothing: str
    """Where nothing was written, and so nothing done."""
    outside: str
    """Where an answer claims an act outside, such as a mail that nothing here can send."""
    due: str
    done_for: str
    """Before the date for which what repeats was done; `next` before the one that follows."""
    next: str
    passed_over: str
    """How many dates before that one were not done, with {n}."""
    left_out: str
    """Before the dates on which what repeats is not; `again` before those on which it is, after all."""
    again: str
    without: str
    """Before the name of a property that is gone."""
    more: str
    """How many lines are left out, with {n}."""
    silent: str
    """Where an answer promises a later act, such as a reminder that nothing rings."""
    weekdays: tuple[str, ...]
    """Their short names, from Monday on."""
    months: tuple[str, ...]
    day: str
    """A day, with {weekday}, {day} and {month}."""


# fmt: off
WORDINGS: dict[Language, Wording] = {
    "en": Wording(
        "Stored", "Changed", "Deleted", "Learned", "Now known", "Forgotten", "Already there", "Not done",
        "Not done, you said no", "Nothing was stored, changed, sent or booked.",
        "Nothing was sent or booked; I cannot do that.", "due", "done for", "next",
        "{n} before it not marked", "without", "again", "no", "and {n} more", "Nothing will ring or be sent by itself.",
        ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
        "{weekday} {day} {month}",
    ),
    "de": Wording(
        "Gespeichert", "Geändert", "Gelöscht", "Gemerkt", "Jetzt bekannt", "Vergessen", "Schon da", "Nicht erledigt",
        "Nicht erledigt, du hast abgelehnt", "Es wurde nichts gespeichert, geändert, gesendet oder gebucht.",
        "Es wurde nichts gesendet oder gebucht; das kann ich nicht.", "fällig", "erledigt für", "nächstes Mal",
        "{n} davor nicht abgehakt", "ohne", "wieder", "ohne", "und {n} weitere", "Von selbst klingelt nichts.",
        ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"),
        ("Jan", "Feb", "März", "Apr", "Mai", "Juni", "Juli", "Aug", "Sept", "Okt", "Nov", "Dez"),
        "{weekday} {day}. {month}",
    ),
    "es": Wording(
        "Guardado", "Cambiado", "Borrado", "Aprendido", "Ahora sé", "Olvidado", "Ya estaba", "No hecho",
        "No hecho, dijiste que no", "No se guardó, cambió, envió ni reservó nada.",
        "No se envió ni reservó nada; no puedo hacerlo.", "vence", "hecho para", "siguiente",
        "{n} antes sin marcar", "sin", "otra vez", "sin", "y {n} más", "Nada sonará ni se enviará solo.",
        ("lun", "mar", "mié", "jue", "vie", "sáb", "dom"),
        ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"),
        "{weekday} {day} {month}",
    ),
    "fr": Wording(
        "Enregistré", "Modifié", "Supprimé", "Appris", "Je sais maintenant", "Oublié", "Déjà là", "Pas fait",
        "Pas fait, vous avez refusé", "Rien n’a été enregistré, modifié, envoyé ni réservé.",
        "Rien n’a été envoyé ni réservé ; je ne peux pas le faire.", "échéance", "fait pour", "ensuite",
        "{n} avant non marqués", "sans", "de nouveau", "sans", "et {n} de plus", "Rien ne sonnera tout seul.",
        ("lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."),
        ("janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."),
        "{weekday} {day} {month}",
    ),
    "ja": Wording(
        "保存", "変更", "削除", "記憶", "現在の情報", "消去", "保存済み", "未実行", "未実行（承認されませんでした）",
        "何も保存・変更・送信・予約されていません。",
        "送信も予約もされていません。私にはできません。", "期限", "完了:", "次回",
        "その前の{n}件は未完了のまま", "除外:", "再び:", "なし:", "ほか{n}件", "自動では何も通知・送信されません。",
        tuple("月火水木金土日"), tuple(f"{n}月" for n in range(1, 13)), "{month}{day}日({weekday})",
    ),
}
# fmt: on
READ = 2_000
"""Characters of a text that its language is guessed from."""

FORMER_NOTHING = (
    "Nothing was stored or changed.",
    "Es wurde nichts gespeichert oder geändert.",
    "No se guardó ni cambió nada.",
    "Rien n’a été enregistré ni modifié.",
    "何も保存・変更されていません。",
)
"""The same as `nothing` in the messages of earlier versions."""


def guess_language(text: str) -> Language:
    """Return the language of a text; English where its words tell too little."""
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text[:READ]):
        return "ja"
    found = _count_common(text)
    best = max(found, key=lambda language: found[language])
    # one word may be an English one, or a name: "mark all as done", "the die", "9am"
    return best if found[best] > 1 or not text.isascii() else "en"


def pick_telling(said: str, answer: str) -> str:
    """Return the one from whose words a person's language is guessed: their message, or if it is short the answer."""
    second, first = sorted(_count_common(said).values())[-2:]
    return said if guess_language(said) == "ja" or first > max(1, second) else answer or said


def _count_common(text: str) -> dict[Language, int]:
    """Return how many of a language's commonest words a text has, each once."""
    words = {*re.findall(r"[^\W\d_]+", fold(text[:READ]))}
    return {language: len(words & _list_common(language)) for language in _COMMON}


def spell_day(day: date, year: int | None, language: Language = "en") -> str:
    """Return a day in few words: Wed 25 Nov, with the year if it is another than the one given."""
    wording = WORDINGS[language]
    names = wording.weekdays[day.weekday()], wording.months[day.month - 1]
    shown = wording.day.format(weekday=names[0], day=day.day, month=names[1])
    return shown if day.year == year else f"{shown} {day.year}"


@cache
def _list_common(language: Language) -> frozenset[str]:
    return frozenset(_COMMON[language].split())
