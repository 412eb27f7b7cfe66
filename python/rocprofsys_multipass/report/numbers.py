# SPDX-License-Identifier: MIT
"""Numbers as people read them: few characters, no false precision, absent is not 0."""

from __future__ import annotations

import math
from typing import Final

ABSENT: Final = "-"
_EXACT: Final = 10_000_000  # integers below are shown in full
_STEPS: Final = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"))
_TIMES: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
_DIGITS: Final = 4
_LEAST_SHARE: Final = 0.0005  # that a percentage with one decimal shows


def value(number: float | None) -> str:
    """A counter's value: integers in full up to ten million, else four digits and a decimal prefix."""
    if number is None:
        return ABSENT
    if not math.isfinite(number):
        return str(number)
    if number == int(number) and abs(number) < _EXACT:
        return f"{int(number):,}"
    for size, prefix in _STEPS:
        if abs(number) >= size:
            return f"{_digits(number / size)} {prefix}"
    return f"{number:.{_DIGITS}g}" if abs(number) < 10 ** (_DIGITS - 1) else f"{number:,.0f}"


def duration(ns: float | None) -> str:
    """A time in ns with the unit that fits."""
    if ns is None:
        return ABSENT
    for size, unit in _TIMES:
        if abs(ns) >= size:
            return f"{_digits(ns / size)} {unit}"
    return f"{ns:.0f} ns"


def extent(low_ns: float | None, high_ns: float | None) -> str:
    """From one time to another, `1.2-3.4 ms`, in the unit of the longer; one time where they read alike."""
    if low_ns is None or high_ns is None:
        return ABSENT
    for size, unit in _TIMES:
        if abs(high_ns) >= size:
            low, high = (_short(ns / size) for ns in (low_ns, high_ns))
            return f"{high} {unit}" if low == high else f"{low}-{high} {unit}"
    return f"{high_ns:.0f} ns" if low_ns == high_ns else f"{low_ns:.0f}-{high_ns:.0f} ns"


def _short(number: float) -> str:
    """Three digits."""
    whole = len(str(abs(int(number))))
    return f"{number:.{max(0, _DIGITS - 1 - whole)}f}"


def _digits(number: float) -> str:
    """Four digits, never in exponential form."""
    whole = len(str(abs(int(number))))
    return f"{number:.{max(0, _DIGITS - whole)}f}"


def percent(share: float) -> str:
    """A share of 1."""
    return f"{100 * share:.1f} %"


def share(part: float) -> str:
    """A share of 1 of which no digit is lost: one that is not 0 does not read as 0."""
    return percent(part) if part == 0 or part >= _LEAST_SHARE else f"{100 * part:.2g} %"


def factor(ratio: float) -> str:
    """How many times."""
    return f"{ratio:.3g}×"
