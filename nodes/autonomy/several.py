"""What the writes of a turn delete and change, and what of it a message names one by one."""

from collections.abc import Collection, Mapping, Sequence

from nodes.autonomy.message import Message
from nodes.autonomy.words import Words
from nodes.autonomy.writes import Touched, Write


def list_removed(write: Write, said: Message) -> list[Touched]:
    """Return the items that a write deletes; taking back what was just done is not deleting."""
    return [] if is_plain_undo(write, said) else [*filter(_is_deleted_item, write.touched)]


def is_plain_undo(write: Write, said: Message) -> bool:
    """Return whether a write takes back this conversation's last turn, and the message is no question."""
    return write.name == "undo" and said.states and not write.args.get("turn") and not write.args.get("force")


def find_changed(write: Write) -> dict[str, str]:
    """Return the records that a write changes, by id, each with its text.

    An undo is one act, and deletes have rules of their own.
    """
    touched = () if write.name == "undo" else write.touched
    return {each.id: each.text for each in touched if not _is_deleted_item(each)}


def find_apart(texts: Sequence[str], said: Words) -> list[str]:
    """Return the texts that a message names by a word which no other of them has."""
    words = [Words(text) for text in texts]

    def names(own: Words) -> bool:
        return any(said.has(word) and sum(each.has(word) for each in words) == 1 for word in own.content)

    return [text for text, own in zip(texts, words, strict=True) if names(own)]


def is_the_rest(going: Collection[str], waited: Mapping[str, str], said: Message) -> bool:
    """Return whether a message wants all the others deleted, and these are they.

    Args:
        going: The ids of the items that go.
        waited: The items about which the person was just asked, by id, each with its words.
        said: The message, which names what is to stay.
    """
    named = {id for id, words in waited.items() if Words(*said.texts).mention(words)}
    return said.wants_the_rest and bool(named) and {*going} == waited.keys() - named


def _is_deleted_item(touched: Touched) -> bool:
    return touched.removed and touched.kind == "item"
