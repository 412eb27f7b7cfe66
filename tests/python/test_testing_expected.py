# SPDX-License-Identifier: MIT
"""What a counter may be compared with."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.testing.expected import expected_of


def positive(value: float) -> bool:
    return value > 0


@pytest.mark.parametrize(
    ("expected", "rel", "abs_", "right", "wrong"),
    [
        (512, None, None, [512.0], [511.0, 513.0, math.nan]),
        (0.3, None, None, [0.1 + 0.2], [0.3001]),
        (0, None, None, [0.0], [1e-9]),
        (100, 0.05, None, [95.0, 105.0], [94.9, 105.1]),
        (100, None, 3, [97.0, 103.0], [96.9]),
        (100, 0.01, 3, [97.0], [96.0]),
        (100, 0.05, 3, [95.0], [94.0]),
        (-100, 0.05, None, [-95.0, -105.0], [-94.0, 100.0]),
        (math.inf, None, None, [math.inf], [1e300]),
        ((1, 8), None, None, [1.0, 8.0], [0.99, 8.01, math.nan]),
        ((None, 8), None, None, [-1.0, 8.0], [9.0]),
        ((1, None), None, None, [1.0, math.inf], [0.0]),
        (positive, None, None, [1.0], [0.0]),
        (pytest.approx(100, rel=0.05), None, None, [95.1], [94.0]),
        (np.int64(512), 0.05, None, [512.0, 500.0], [450.0]),
        (512, np.float32(0.05), np.int64(3), [500.0], [450.0]),
        (Decimal("0.3"), None, None, [0.1 + 0.2], [0.3001]),
        (Fraction(1, 3), None, Decimal("0.01"), [0.33], [0.3]),
        ((np.int64(1), Decimal(8)), None, None, [1.0, 8.0], [0.0, 9.0]),
        (2**60, None, None, [float(2**60)], [2**60 * 1.01]),
    ],
)
def test_values_are_as_expected_or_not(
    expected: Any, rel: float | None, abs_: float | None, right: list[float], wrong: list[float]
):
    meaning = expected_of(expected, rel, abs_)
    assert [value for value in right if not meaning.holds(value)] == []
    assert [value for value in wrong if meaning.holds(value)] == []


@pytest.mark.parametrize(
    ("expected", "rel", "abs_", "text"),
    [
        (16384, None, None, "16,384"),
        (0.1, None, None, "0.1"),
        (512, 0.05, None, "512 ± 5 %"),
        (512, None, 3, "512 ± 3"),
        (512, 0.05, 3, "512 ± 5 % or 3"),
        ((1, 8), None, None, "1 to 8"),
        ((None, 8000), None, None, "8,000 or less"),
        ((1, None), None, None, "1 or more"),
        ((None, 0), None, None, "0 or less"),
        (positive, None, None, "what positive() wants"),
        (lambda value: value > 0, None, None, "what the function wants"),
        (pytest.approx(100, abs=1), None, None, "100 ± 1"),
    ],
)
def test_what_is_expected_is_told_in_words(expected: Any, rel: float | None, abs_: float | None, text: str):
    assert expected_of(expected, rel, abs_).text == text


@pytest.mark.parametrize(
    ("expected", "value", "text"),
    [
        (512, 480.0, "-32 (-6.25 %)"),
        (512, 1024.0, "+512 (+100 %)"),
        (1, 1564.0, "+1,563 (+156,300 %)"),
        (0, 3.0, "+3"),
        (512, math.inf, ""),
        ((1, 8), 0.5, "0.5 below"),
        ((1, 8), 10.0, "2 above"),
        ((1, 8), math.nan, ""),
        (positive, 0.0, ""),
    ],
)
def test_a_difference_is_told_with_its_sign_and_share(expected: Any, value: float, text: str):
    assert expected_of(expected, None, None).difference(value) == text


@pytest.mark.parametrize(
    ("expected", "rel", "abs_", "message"),
    [
        (512, -0.1, None, "rel is -0.1: give a number from 0 on"),
        (512, None, math.nan, "abs is nan"),
        (512, True, None, "rel is True"),
        ((1, 8), 0.1, None, "rel and abs go with a number"),
        (positive, None, 1, "rel and abs go with a number"),
        ((8, 1), None, None, "no value is in it"),
        ((None, None), None, None, "a range has two numbers"),
        ((1, 2, 3), None, None, "a range has two numbers"),
        ((1, "2"), None, None, "a range has two numbers"),
        ("512", None, None, "expected is '512': give a number"),
        (True, None, None, "expected is True"),
        (None, None, None, "expected is None"),
        ([1, 8], None, None, r"expected is \[1, 8\]"),
        (math.nan, None, None, "expected is nan"),
        (np.array([1, 8]), None, None, r"expected is array\(\[1, 8\]\)"),
        (10**400, None, None, "too large for a counter"),
        (512, 5, None, r"rel is 5, which is 500 %: 0.05 is 5 %; for so wide a range give its ends, \(low, high\)"),
        (512, math.inf, None, "rel is inf: give a number from 0 on"),
        (512, None, math.inf, "abs is inf: give a number from 0 on"),
    ],
)
def test_what_makes_no_sense_is_refused(expected: Any, rel: Any, abs_: Any, message: str):
    with pytest.raises(UsageError, match=message):
        expected_of(expected, rel, abs_)
