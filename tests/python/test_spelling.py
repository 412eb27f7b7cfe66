# SPDX-License-Identifier: MIT
"""Which name a wrong one was meant to be."""

from rocprofsys_multipass.spelling import nearest


def test_the_most_like_name_is_found() -> None:
    assert nearest("SQ_WAVS", ["SQ_WAIT", "SQ_WAVES", "TCC_HIT"]) == "SQ_WAVES"


def test_a_name_that_is_like_none_has_no_neighbour() -> None:
    assert nearest("frequency", ["SQ_WAVES", "TCC_HIT"]) == ""
    assert nearest("x", []) == ""


def test_names_may_come_from_anything_that_can_be_gone_through() -> None:
    assert nearest("formt", {"format": 1, "range": 2}) == "format"
    assert nearest("rang", iter(("format", "range"))) == "range"
