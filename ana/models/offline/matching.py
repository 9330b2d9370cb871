"""Which of several things is meant: by the words they share, roughly by stem."""

import re
from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

Thing = TypeVar("Thing", bound=Hashable)
Item = Mapping[str, Any]

_STOP_WORDS = (
    "a an the my your his her our their this that these those some any i me you he she it we they them mine and or "
    "but not no to for of with on in at by from about into up out off over as is am are was were be been being do "
    "does did have has had isn't aren't wasn't haven't hasn't don't doesn't didn't i've i'm it's that's there's will "
    "would can could should must there then than so just already yet still now again more anymore need want wait "
    "please finally also one ones thing stuff item items entry task tasks todo to-do note notes idea ideas reminder "
    "reminders appointment appointments due both date when what where which who how s t list today yesterday tomorrow "
    "week after all too really off"
)
_STOP = frozenset(_STOP_WORDS.split())
_FORMS = (
    "buy:bought pay:paid send:sent write:wrote,written take:took,taken ring:rang,rung do:did,done make:made get:got,gotten "
    "meet:met bring:brought build:built choose:chose feed:fed find:found give:gave keep:kept lend:lent sell:sold hold:held "
    "speak:spoke sweep:swept tell:told go:went,gone see:saw,seen call:phone,ring,telephone mom:mum,mother dad:father "
    "bike:bicycle,cycle email:mail,e-mail photo:picture,pic doctor:doc fix:repair,mend bin:trash,rubbish,garbage "
    "book:reserve parcel:package fridge:refrigerator holiday:vacation run:ran drink:drank eat:ate begin:began,begun"
)
_SAME = {form: word for word, _, forms in (e.partition(":") for e in _FORMS.split()) for form in forms.split(",")}
_ENDING = re.compile(r"(?<=\w{3})(?:ies|ing|ed|es|als?|ic|s|e|y)$")


def stem(word: str) -> str:
    word = re.sub(r"'s?$", "", word.lower())
    word = _SAME.get(word, word)
    short = _ENDING.sub("", word)
    short = short[:-1] if short != word and re.search(r"([bdgmnprt])\1$", short) and len(short) > 3 else short
    return _SAME.get(short, _SAME.get(f"{short}e", short))


def stems(text: str) -> frozenset[str]:
    """The words of a text that say something."""
    words = re.findall(r"[^\W_][\w-]*(?:'\w+)?", text.replace("’", "'").lower())
    return frozenset(stem(word) for word in words if word not in _STOP and re.sub(r"'s$", "", word) not in _STOP)


def is_past(word: str) -> bool:
    """Whether a word may tell a deed: emailed, paid, read."""
    return word.endswith("ed") or word in _SAME or word in ("read", "put", "cut", "set", "hung", "left", "won")


def fitting(what: str, things: Mapping[Thing, str], share: float = 0.5) -> list[Thing]:
    """The things that have the most of the words, and more than this share; several where they have equally many."""
    wanted = stems(what)
    counts = {thing: len(wanted & stems(text)) for thing, text in things.items()}
    most = max(counts.values(), default=0)
    return [thing for thing, count in counts.items() if count == most > share * len(wanted)] if wanted else []


def described(item: Item) -> str:
    """An item's content and what it says of itself besides."""
    said = item["properties"]
    return " ".join([item["content"], *(str(said[k]) for k in ("project", "context", "tags", "type") if k in said)])
