# SPDX-License-Identifier: MIT
"""Which name a wrong one was meant to be, and words for one or several things."""

import pytest

from rocprofsys_multipass.spelling import did_you_mean, nearest, plural


def test_the_most_like_name_is_found() -> None:
    assert nearest("SQ_WAVS", ["SQ_WAIT", "SQ_WAVES", "TCC_HIT"]) == "SQ_WAVES"


def test_a_name_that_is_like_none_has_no_neighbour() -> None:
    assert nearest("frequency", ["SQ_WAVES", "TCC_HIT"]) == ""
    assert nearest("x", []) == ""


def test_names_may_come_from_anything_that_can_be_gone_through() -> None:
    assert nearest("formt", {"format": 1, "range": 2}) == "format"
    assert nearest("rang", iter(("format", "range"))) == "range"


def test_a_hint_stands_in_front_of_what_is_known_or_is_not_there() -> None:
    assert did_you_mean("formt", {"format": 1, "range": 2}) == "did you mean format? "
    assert did_you_mean("x", ["format"]) == ""


@pytest.mark.parametrize(
    ("count", "word", "text"),
    [
        (1, "pass", "1 pass"),
        (2, "pass", "2 passes"),
        (0, "more dispatch", "0 more dispatches"),
        (1000, "counter", "1,000 counters"),
    ],
)
def test_what_there_is_is_counted_in_words(count: int, word: str, text: str) -> None:
    assert plural(count, word) == text
