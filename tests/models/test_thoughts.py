"""Thoughts are taken off a reply, however it is cut into pieces, and in linear time."""

import pytest

from ana.models.thoughts import LONE, TAGS, Thoughts
from tests.effort import expect_linear

CASES = {
    "<think>hm</think>Hi": ("Hi", "hm"),
    " \n<think>hm</think>\n\n<think>well</think>\nHi": ("Hi", "hmwell"),
    "[THINK]hm[/THINK]Hi": ("Hi", "hm"),
    "<|channel|>analysis<|message|>hm<|end|>Hi": ("Hi", "hm"),
    "<think>hm, it never ends": ("", "hm, it never ends"),
    "hm\n</think>\n\nHi": ("Hi", "hm\n"),
    "hm.</think>Hi": ("Hi", "hm."),
    "\n</think>\n\nHi": ("Hi", ""),
    "<think>hm</think>so\n</think>\nHi": ("Hi", "hmso\n"),
    "I look.\n<think>hm</think>\nDone.": ("I look.\n\nDone.", "hm"),
    "I look. <think>hm</think>Done.": ("I look. Done.", "hm"),
    "I look. <think>hm": ("I look. <think>hm", ""),
    "`<think>` begins and `</think>` ends it": ("`<think>` begins and `</think>` ends it", ""),
    "the tag </think> ends it": ("the tag </think> ends it", ""),
    '{"answer": "hm.</think>Hi", "b": "<think>x</think>"}': (
        '{"answer": "hm.</think>Hi", "b": "<think>x</think>"}',
        "",
    ),
    "1 < 2 and [x": ("1 < 2 and [x", ""),
    "Hi <thin": ("Hi <thin", ""),
    "": ("", ""),
}


def read_in_pieces(reply: str, size: int) -> tuple[str, str]:
    thoughts, said, thought = Thoughts(), list[str](), list[str]()
    parts = [thoughts.feed(reply[start : start + size]) for start in range(0, len(reply), size)]
    for part in [*parts, thoughts.finish()]:
        if part.withdraws:
            said, thought = [], [*thought, *said]
        said += part.said
        thought += part.thought
    return "".join(said), "".join(thought)


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("reply", CASES)
def test_it_is_split_alike_however_it_comes(reply: str, size: int) -> None:
    assert read_in_pieces(reply, size) == CASES[reply]


@pytest.mark.parametrize("reply", ["<think>hm</think>Hi", "[THINK]hm[/THINK]Hi"])
def test_nothing_of_a_thought_or_of_a_tag_is_said_before_it_is_known(reply: str) -> None:
    thoughts = Thoughts()
    assert [text for character in reply[:-2] for text in thoughts.feed(character).said] == []


PIECES = (
    *TAGS,
    *TAGS.values(),
    *LONE,
    "`<think>`",
    "\n<think>",
    "x <think>",
    "\n</think>",
    "<",
    "[",
    "<thin",
    " ",
    "\n",
    "a",
)


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_reply_is_read_in_linear_time_whole_and_in_pieces(piece: str) -> None:
    expect_linear(lambda reply: read_in_pieces(reply, len(reply)), piece)
    expect_linear(lambda reply: read_in_pieces(reply, 3), piece, 8_000)
