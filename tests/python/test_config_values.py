# SPDX-License-Identifier: MIT
"""What a text stands for: ranges of launches, patterns, and the hints for words that are nearly right."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rocprofsys_multipass.config import values


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("1", "1"),
        ("[1-3]", "1-3"),
        ("1,4-6", "1,4-6"),
        ("[1,4-6]", "1,4-6"),
        ("[5-6],1,4", "1,4-6"),
        (" [ 1 - 3 ] ,\t7", "1-3,7"),
        ("3-3", "3"),
        ("1-5,2-3,007", "1-5,7"),
        ("4294967295", "4294967295"),
    ],
)
def test_a_range_is_sorted_merged_and_without_brackets(text: str, normal: str) -> None:
    assert values.launch_range(text) == normal


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "a part is empty"),
        ("1,,2", "a part is empty"),
        ("[]", "a part is empty"),
        ("0", "there is no launch 0"),
        ("0-3", "there is no launch 0"),
        ("3-1", "3-1 ends before it begins"),
        ("-3", "'-3' is neither a number nor two with '-' between them"),
        ("1-", "'1-' is neither a number nor two with '-' between them"),
        ("1-2-3", "'1-2-3' is neither a number nor two with '-' between them"),
        ("1 2", "'1 2' is neither a number nor two with '-' between them"),
        ("x", "'x' is neither a number nor two with '-' between them"),
        ("٣", "'٣' is neither a number nor two with '-' between them"),
        ("4294967296", "4294967296 is larger than 4294967295"),
        ("9" * 5000, "is larger than 4294967295"),
        ("[1", "'[' has no ']'"),
        ("1]", "']' at column 2 has no '[' before it"),
        ("[[1]]", "'[' at column 2 does not begin a part"),
        ("1[2]", "'[' at column 2 does not begin a part"),
        ("[1]2", "a comma is missing behind ']'"),
        ("[1]]", "']' at column 4 has no '[' before it"),
    ],
)
def test_what_is_no_range_is_told_with_its_fault_and_the_form(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)) as raised:
        values.launch_range(text)
    assert str(raised.value).startswith(f"'{text}' is not a range: ")
    assert str(raised.value).endswith("write 1, 1-3 or 1,4-6, with or without square brackets")


SPANS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 5)), min_size=1, max_size=6)


@settings(deadline=None)  # other work on the machine is no fault
@given(SPANS)
def test_a_normalised_range_has_the_same_launches_and_stays_as_it_is(spans: list[tuple[int, int]]) -> None:
    normal = values.launch_range(",".join(f"[{first}-{first + more}]" for first, more in spans))
    assert launches(normal) == {first + i for first, more in spans for i in range(more + 1)}
    assert values.launch_range(normal) == normal


def launches(text: str) -> set[int]:
    """The launches of a range without brackets."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


@settings(deadline=None)  # other work on the machine is no fault
@given(st.text(alphabet="0123456789[],- x", max_size=12))
@example("1-4000000000")
def test_any_text_is_a_range_or_is_told_why_not(text: str) -> None:
    try:
        normal = values.launch_range(text)
    except ValueError as error:
        assert "is not a range: " in str(error)  # noqa: PT017 - either outcome will do
    else:
        # Not by the launches in it: a text as short as 1-4000000000 has more of them than memory.
        assert re.fullmatch(r"[1-9][0-9]*(-[1-9][0-9]*)?(,[1-9][0-9]*(-[1-9][0-9]*)?)*", normal)
        assert values.launch_range(normal) == normal


@pytest.mark.parametrize("pattern", ["axpy", "^void gemm<float.*>", "a|b", "[0-9]+$", "a[[]b"])
def test_a_pattern_stays_as_it_is(pattern: str) -> None:
    assert values.check_pattern(pattern) == pattern


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("a(b", "'a(b' is not a regular expression: missing ), unterminated subpattern at column 2"),
        ("*a", "'*a' is not a regular expression: nothing to repeat at column 1"),
        ("a{99999999999999999999}", "is not a regular expression: "),
        ("", "it is empty, and would match every kernel: leave it out"),
        ("a\udcff", "'a\\xff' is not UTF-8 from column 2"),
    ],
)
def test_what_is_no_pattern_is_told_with_its_fault_and_column(pattern: str, fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        values.check_pattern(pattern)


@pytest.mark.parametrize(
    ("parse", "text", "reason"),
    [
        (values.replay, "of", "'of' is not one of auto, kernel, rotate, off; did you mean off?"),
        (values.replay, "AUTO", "'AUTO' is not one of auto, kernel, rotate, off; did you mean auto?"),
        (values.replay, "spinning", "'spinning' is not one of auto, kernel, rotate, off"),
        (
            values.formats,
            "rocpd,perfeto",
            "'perfeto' is not one of perfetto, rocpd, csv, csv-wide, json, parquet, compute; did you mean perfetto?",
        ),
        (values.flag, "maybe", "'maybe' is neither on nor off"),
    ],
)
def test_a_wrong_word_is_told_with_those_allowed_and_the_nearest(parse: object, text: str, reason: str) -> None:
    assert callable(parse)
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        parse(text)


def test_the_name_of_a_metric_leads_to_its_set() -> None:
    with pytest.raises(ValueError, match=r"^'l2_hit_rate' is a metric of the set cache: give cache$"):
        values.sets("memory,l2_hit_rate")
