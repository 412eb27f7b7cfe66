# SPDX-License-Identifier: MIT
"""The packed columns of the page, read here by the description in docs/formats/report.md."""

from __future__ import annotations

import base64
import json
import math
import struct
import sys
import zlib
from decimal import Decimal
from itertools import accumulate

import large_run
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rocprofsys_multipass.report.columns import Column, Packed, fit, packed
from rocprofsys_multipass.report.table_data import TIMES, table_data

DISPATCHES = large_run.trace_of(300).dispatches()


def numbers_of(one: Packed) -> list[float]:
    raw = zlib.decompress(one.data)
    if one.mode == "f":
        return [struct.unpack("<d", bytes(raw[k * one.count + i] for k in range(8)))[0] for i in range(one.count)]
    first = one.count if one.mode == "d" else 0
    folded = [sum(raw[first + k * one.count + i] << (8 * k) for k in range(one.planes)) for i in range(one.count)]
    sums = list(accumulate(-(n + 1) // 2 if n % 2 else n // 2 for n in folded))
    if one.mode == "i":
        return [n / 2**one.scale for n in sums]
    return [_decimal(n, raw[i] - 128) for i, n in enumerate(sums)]


def _decimal(mantissa: int, exponent: int) -> float:
    if exponent == 127:
        return mantissa * math.inf if mantissa else math.nan
    return float(Decimal(mantissa).scaleb(exponent))


def bits(values: list[float]) -> list[bytes]:
    return [struct.pack("<d", v) for v in values]


@given(st.lists(st.floats(allow_nan=False) | st.integers(-(2**52), 2**52).map(float) | st.sampled_from([0.25, 512.0])))
@example([-0.0, 1.0])
@example([2.0**53])
def test_a_column_gives_back_the_same_doubles(values: list[float]):
    assert bits(numbers_of(packed(values))) == bits(values)


@given(st.lists(st.floats(), min_size=1), st.sampled_from([3, 4]))
def test_a_rounded_column_has_that_many_digits_or_all(values: list[float], digits: int):
    one = packed(values, digits)
    found = numbers_of(one)
    if one.mode == "f":  # an exponent does not fit a byte: nothing is rounded
        assert bits(found) == bits(values)
        return
    expected = [float(f"{v:.{digits - 1}e}") if math.isfinite(v) else v for v in values]
    assert [(v == e) or (math.isnan(v) and math.isnan(e)) for v, e in zip(found, expected, strict=True)]


@pytest.mark.parametrize(
    ("values", "mode", "scale"),
    [
        ([512.0, 1024.0], "i", 0),
        ([0.5, 390.625], "i", 3),
        ([0.1], "f", 0),
        ([math.inf, 1.0], "f", 0),
    ],
)
def test_integers_and_their_halves_are_stored_as_integers(values: list[float], mode: str, scale: int):
    one = packed(values)
    assert (one.mode, one.scale) == (mode, scale)


def test_equal_values_take_next_to_nothing():
    assert len(packed([123456.0] * 100_000).data) < 500


def test_the_longest_columns_lose_digits_first_and_no_more_than_must():
    noise = [math.sin(n) * 1e6 for n in range(5000)]
    columns = [Column("noise", noise), Column("steps", [float(n // 100) for n in range(5000)])]
    fit(columns, 20_000)
    assert [(c.name, c.digits) for c in columns] == [("noise", 4), ("steps", 0)]
    fit(columns, 0)
    assert [(c.name, c.digits) for c in columns] == [("noise", None), ("steps", None)]


def test_the_data_has_every_reading_of_every_dispatch():
    data = table_data(DISPATCHES, 10**7)
    raw = zlib.decompress(base64.b64decode(data.head))
    length = int.from_bytes(raw[:4], "little")
    head = json.loads(raw[4 : 4 + length])
    values = base64.b64decode(data.values)
    assert (data.rounded, data.missing, data.bare, head["rows"]) == ({}, (), 0, 300)

    found: list[tuple[str, str, float]] = []
    for shape in head["shapes"]:
        for counter, part, canonical, (mode, count, planes, scale, at, size) in shape["slots"]:
            label = shape["parts"][part][0]
            column = numbers_of(Packed(mode, count, values[at : at + size], planes, scale))
            found += [(f"{head['counters'][counter][0]} {canonical}", label, v) for v in column]
    expected = [
        (f"{r.counter} {r.canonical}", "single run" if p.index is None else p.label, r.value)
        for d in DISPATCHES
        for p in d.passes
        for r in p.readings
    ]
    assert sorted(found) == sorted(expected)


def test_what_has_no_room_is_named():
    whole = table_data(DISPATCHES, 10**7)
    some = table_data(DISPATCHES, len(whole.head) + len(whole.values) - 20_000)
    assert some.rounded
    assert len(some.head) + len(some.values) < len(whole.head) + len(whole.values)
    none = table_data(DISPATCHES, 0)
    assert {TIMES, "SQ_WAVES", "TCC_HIT"} <= set(none.missing)


def test_of_damaged_runs_unusual_passes_lose_their_readings(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.modules[table_data.__module__], "MOST_SHAPES", 1)
    data = table_data(DISPATCHES, 10**7)
    assert data.bare == sum(d.outcome != "replayed" for d in DISPATCHES)
