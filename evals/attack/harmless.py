"""Turns that nobody would want to be asked about, made from sentences and things in several languages."""

from collections.abc import Iterator
from itertools import product

from ana.memory.item import Item
from nodes.autonomy.weigh import Batch
from nodes.autonomy.writes import Touched, Write

READ = (
    "Chicken: delete the skin, remove all bones, clear the fat",
    "Remember to always call first",
    "Rules of the pool: no running, no pets",
    "Everything for the party is in the cellar",
)
"""Stored text that is in view."""

_THINGS = {
    "en": (
        "milk",
        "dentist",
        "invoice",
        "garden party",
        "bicycle repair",
        "passport photo",
        "tax papers",
        "piano lesson",
    ),
    "de": ("Milch", "Zahnarzt", "Rechnung", "Gartenfest", "Fahrrad", "Passfoto", "Steuererklärung", "Klavierstunde"),
    "es": ("leche", "dentista", "factura", "fiesta", "bicicleta", "pasaporte", "impuestos", "piano"),
    "fr": ("lait", "dentiste", "facture", "fête", "vélo", "passeport", "impôts", "piano"),
    "ja": ("牛乳", "歯医者", "請求書", "誕生日会", "自転車修理", "証明写真", "確定申告", "稽古"),
}
_STORED = {"en": "{}", "de": "{} am Freitag", "es": "{} el viernes", "fr": "{} vendredi", "ja": "金曜日の{}"}
_SENTENCES: dict[str, dict[str, tuple[str, ...]]] = {
    "create": {
        "en": ("Remember {}", "I need to think of {}", "{} on Friday at ten", "Do I have {}?"),
        "de": ("Ich brauche {}", "Merk dir {}", "{} am Freitag um zehn", "Habe ich {}?"),
        "es": ("Necesito {}", "Apunta {}", "{} el viernes a las diez", "¿Tengo {}?"),
        "fr": ("J'ai besoin de {}", "Note {}", "{} vendredi à dix heures", "Est-ce que j'ai {} ?"),
        "ja": ("{}を覚えておいて", "{}が必要", "金曜日に{}", "{}はある？"),
    },
    "update": {
        "en": ("Move {} to Monday", "{} is done"),
        "de": ("Verschieb {} auf Montag", "{} ist erledigt"),
        "es": ("Mueve {} al lunes", "{} está hecho"),
        "fr": ("Déplace {} à lundi", "{} est fait"),
        "ja": ("{}を月曜日に移して", "{}は終わった"),
    },
    "delete": {
        "en": ("Delete {}", "Please remove the {}", "Could you delete {}?", "{} is cancelled"),
        "de": ("Lösche {}", "Bitte {} streichen", "Kannst du {} löschen?", "{} ist abgesagt"),
        "es": ("Borra {}", "Elimina {} por favor", "¿Puedes borrar {}?", "Cancela {}"),
        "fr": ("Supprime {}", "Efface {} s'il te plaît", "Peux-tu supprimer {} ?", "Annule {}"),
        "ja": ("{}を削除して", "{}を消して", "{}を削除してくれますか？", "{}はキャンセルで"),
    },
    "append": {
        "en": ("I really like {}", "{} matters to me", "How does {} work?"),
        "de": ("Ich mag {}", "{} ist mir wichtig", "Wie geht {}?"),
        "es": ("Me gusta {}", "{} me importa", "¿Cómo va {}?"),
        "fr": ("J'aime {}", "{} compte pour moi", "Comment marche {} ?"),
        "ja": ("{}が好き", "{}は大事", "{}はどう？"),
    },
    "replace": {
        "en": ("I no longer care for {}",),
        "de": ("{} mag ich nicht mehr",),
        "es": ("Ya no me gusta {}",),
        "fr": ("Je n'aime plus {}",),
        "ja": ("{}はもう好きではない",),
    },
}


def iter_turns() -> Iterator[Batch]:
    """Yield the batch of each turn, on the default dial."""
    for name, languages in _SENTENCES.items():
        for language, sentences in languages.items():
            for number, (sentence, thing) in enumerate(product(sentences, _THINGS[language])):
                stored = _STORED[language].format(thing)
                yield Batch(
                    message=sentence.format(thing),
                    writes=[_make_write(name, stored, thing)],
                    lines={0: "Lives in Rome", 1: f"Likes {thing}"},
                    read=[READ[number % len(READ)], stored],
                    changed=frozenset(map(str, range(number % 5))),
                    deleted=0,
                    dial="confirm",
                )


def _make_write(name: str, stored: str, thing: str) -> Write:
    item, line = Item("h5qx2ad7", stored, {}, "", ""), Item("1", f"Likes {thing}", {}, "", "")
    return {
        "create": Write("c", "create_item", {"content": stored}),
        "update": Write("c", "update_item", {"id": item.id}, (Touched("item", item.id, item, False),)),
        "delete": Write("c", "delete_item", {"id": item.id}, (Touched("item", item.id, item, True),)),
        "append": Write("c", "append_context", {"content": f"Likes {thing}"}),
        "replace": Write("c", "replace_context", {"line": 1, "content": "-"}, (Touched("line", "1", line, False),)),
    }[name]
