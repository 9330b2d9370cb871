"""The catalogues, and that what people read is in one language."""

import re
from string import Formatter
from threading import Thread

import pytest
from babel.messages.catalog import Catalog, Message

from ana.translation import LANGUAGES, choose_language, get_language, ngettext, pgettext, speak, speaking
from ana.translation import _ as say
from evals.catalogues import compile_catalogue, find_file, read_catalogue, read_sentences

OTHERS = [language for language in LANGUAGES if language != "en"]
BRING = "`make catalogues` brings them up to date"


@pytest.fixture(scope="module")
def sentences() -> Catalog:
    return read_sentences()


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_has_every_sentence_and_no_other(language: str, sentences: Catalog) -> None:
    written = read_catalogue(language)
    assert {(each.id, each.context) for each in written} == {(each.id, each.context) for each in sentences}, BRING
    assert not written.obsolete
    for each in written:
        assert not (each.fuzzy and each.id), each.id
        assert not each.id or all(list_texts(each)), f"{each.id!r} has no translation"


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_read_is_what_is_written(language: str) -> None:
    assert find_file(language, "mo").read_bytes() == compile_catalogue(read_catalogue(language)), BRING


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_places_and_the_marks_of_its_source(language: str) -> None:
    for each in read_catalogue(language):
        sources = (each.id,) if isinstance(each.id, str) else each.id
        for source, text in zip(sources, list_texts(each), strict=True) if each.id else ():
            assert find_places(text) == find_places(source), text
            assert re.findall("</?[a-z]+>|`[^`]*`", text) == re.findall("</?[a-z]+>|`[^`]*`", source), text
            assert source.count('"') == text.count('"'), f"{text}: it may stand in an attribute"
            assert (text[:1].isspace(), text[-1:].isspace()) == (source[:1].isspace(), source[-1:].isspace()), text


def list_texts(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def find_places(text: str) -> set[str | None]:
    return {name if name is None else f"{name}:{form}" for _, name, form, _ in Formatter().parse(text)} - {None}


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("ja, en;q=0.5, fr;q=0.7", "fr"),
        ("ES", "es"),
        ("de;q=0, fr;q=0.1", "fr"),
        ("*", "en"),
        ("de;q=x, nonsense;;;", "en"),
    ],
)
def test_a_browser_is_answered_in_the_language_that_it_likes_best(accepted: str, language: str) -> None:
    assert choose_language(accepted) == language


def test_a_language_is_spoken_while_its_context_is_open_and_nowhere_else() -> None:
    assert (say("Stored"), get_language()) == ("Stored", "en")
    elsewhere: list[str] = []
    with speaking("de"):
        assert say("Stored") == "Gespeichert"
        other = Thread(target=lambda: elsewhere.append(say("Stored")))
        other.start()
        other.join()
        with speaking("en"):
            assert say("Stored") == "Stored"
        assert say("no catalogue has this") == "no catalogue has this"
        assert say("") == ""
        assert [ngettext("{n} item", "{n} items", n) for n in (1, 2)] == ["1 Eintrag", "2 Einträge"]
        assert pgettext("short month", "May") == "Mai"
        speak("fr")
    assert (say("Stored"), elsewhere) == ("Stored", ["Stored"])
