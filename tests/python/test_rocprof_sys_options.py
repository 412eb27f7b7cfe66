# SPDX-License-Identifier: MIT
"""Options of the launchers of rocprof-sys: which words are values of which option."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.rocprof_sys.options import read_options


def read(command: str) -> list[tuple[str, list[str]]]:
    """Each option as people write it, with its values."""
    words = command.split(" ")
    return [(one.text, [value for _, _, value in one.values]) for one in read_options(words, range(len(words)))]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("-G A B:device=1 -T", [("-G", ["A", "B:device=1"]), ("-T", [])]),
        ("-G=A,B C", [("-G", ["A,B", "C"])]),
        ("--gpu-events=A --gpu-events B", [("--gpu-events", ["A"]), ("--gpu-events", ["B"])]),
        ("-o out p- more -G A", [("-o", ["out", "p-"]), ("-G", ["A"])]),
        ("-o out --output p- more", [("-o", ["out"]), ("--output", ["p-"])]),
        ("--rocm hip more", [("--rocm", ["hip"])]),
        ("--rocm -T", [("--rocm", []), ("-T", [])]),
        ("-TP A", [("-T", []), ("-P", [])]),
        ("-v -1 -G A", [("-v", ["-1"]), ("-G", ["A"])]),  # a number is no option
        ("-G - -- A", [("-G", ["-", "--", "A"])]),  # nor are dashes
        ("before -G A", [("-G", ["A"])]),
        ("-G= A", [("-G", ["", "A"])]),
    ],
)
def test_values_belong_to_the_option_before_them(command: str, found: list[tuple[str, list[str]]]) -> None:
    assert read(command) == found


_WORDS = st.sampled_from(["-G", "-G=A", "--rocm", "--rocm=", "-o", "A", "", "-TP", "-1", "---", "-c", "x=y"])


@given(st.lists(_WORDS, max_size=10))
def test_each_word_is_one_option_or_one_value_at_most(words: list[str]) -> None:
    found = read_options(words, range(len(words)))
    places = [(at, prefix + value) for one in found for at, prefix, value in one.values]
    assert len({at for at, _ in places}) == len(places)
    assert all(words[at] == text for at, text in places)
    assert all(words[one.word].startswith("-") for one in found)
