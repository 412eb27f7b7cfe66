# SPDX-License-Identifier: MIT
"""What differs between two values is in the message, however long they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocprofsys_multipass.verify.wording import ABSENT, short, unlike

NAMES = [f"COUNTER_{n}" for n in range(9)]


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        (1, 2, "it is 1, the journal has 2"),
        (ABSENT, [], "it is absent, the journal has []"),
        (NAMES[1:], NAMES, "it lacks 'COUNTER_0', which the journal has"),
        (NAMES, NAMES[:-1], "it has 'COUNTER_8', which the journal lacks"),
        ([*NAMES[:5], "X", *NAMES[6:]], NAMES, "member 5 is 'X', the journal has 'COUNTER_5'"),
        ([NAMES, NAMES], [NAMES, NAMES[1:]], "member 1 has 'COUNTER_0', which the journal lacks"),
        ({"a": NAMES, "b": 1}, {"a": NAMES, "b": 2}, "b is 1, the journal has 2"),
        ({"a": NAMES}, {"a": NAMES, "b": {"c": 2}}, "it lacks 'b', which the journal has"),
        ({"a": {"b": NAMES, "c": 1}}, {"a": {"b": NAMES, "c": 2}}, "a.c is 1, the journal has 2"),
        ("x" * 60 + "a", "x" * 60 + "b", "it is '...xxxxxxxxxxa', the journal has '...xxxxxxxxxxb'"),
        (NAMES + NAMES[:1], NAMES, "it has 10 members, in the journal there are 9"),
    ],
)
def test_the_first_that_differs_is_told(one: object, other: object, text: str) -> None:
    assert unlike("it", one, other, "the journal") == text


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
)


@given(one=VALUES, other=VALUES)
def test_any_two_values_that_differ_can_be_told(one: object, other: object) -> None:
    if one != other:
        assert "the journal" in unlike("it", one, other, "the journal")


def test_the_name_of_a_kernel_is_one_line_and_cut_where_it_is_long():
    assert short("axpy(float*, int)") == "axpy(float*, int)"
    assert short("two\nlines") == "two lines"
    assert short("k" * 120) == "k" * 120
    assert short("k" * 121) == "k" * 117 + "..."
