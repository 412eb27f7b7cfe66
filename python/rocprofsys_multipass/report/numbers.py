# SPDX-License-Identifier: MIT
"""Numbers as people read them: few characters, no false precision, absent is not 0."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

ABSENT: Final = "-"
ROUNDED: Final = "~"
"""Before a value that is not shown in full."""
_EXACT: Final = 2**53  # whole numbers up to here are exact as floats
_DECIMALS: Final = 5  # after the point, that are shown; a counter of KB counts 32 bytes as 0.03125
_SIGNIFICANT: Final = 5  # digits of what is rounded
_LEAST: Final = 1e-4  # smaller ones have an exponent
_TIMES: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
_DIGITS: Final = 4
_LEAST_SHARE: Final = 0.0005  # that a percentage with one decimal shows


def value(number: float | None) -> str:
    """A counter's value: exact where that is short, and whole numbers always; else rounded, with a sign before it.

    Short are five decimals, or a digit more than of what is rounded: so no value lies in the middle of two. In
    assets/report.js the same.
    """
    if number is None:
        return ABSENT
    if not math.isfinite(number):
        return str(number)
    if number == int(number) and abs(number) <= _EXACT:
        return f"{int(number):,}"
    _, shortest, exponent = Decimal(repr(number)).normalize().as_tuple()
    decimals, first = -int(exponent), len(shortest) - 1 + int(exponent)  # places of the last digit and of the first
    plain = _LEAST <= abs(number) <= _EXACT
    if len(shortest) <= _SIGNIFICANT + 1 or (plain and decimals <= _DECIMALS):
        return f"{number:,.{decimals}f}" if plain else f"{number:.{len(shortest) - 1}e}"
    text = f"{number:,.{max(0, _SIGNIFICANT - 1 - first)}f}" if plain else f"{number:.{_SIGNIFICANT - 1}e}"
    return f"{ROUNDED}{text}"


def duration(ns: float | None) -> str:
    """A time in ns with the unit that fits."""
    if ns is None:
        return ABSENT
    for size, unit in _TIMES:
        if abs(ns) >= size:
            return f"{_digits(ns / size)} {unit}"
    return f"{_fixed(ns, 0)} ns"


def extent(low_ns: float | None, high_ns: float | None) -> str:
    """From one time to another, `1.2-3.4 ms`, in the unit of the longer; one time where they read alike."""
    if low_ns is None or high_ns is None:
        return ABSENT
    for size, unit in _TIMES:
        if abs(high_ns) >= size:
            low, high = (_short(ns / size) for ns in (low_ns, high_ns))
            return f"{high} {unit}" if low == high else f"{low}-{high} {unit}"
    low, high = _fixed(low_ns, 0), _fixed(high_ns, 0)
    return f"{high} ns" if low == high else f"{low}-{high} ns"


def _short(number: float) -> str:
    """Three digits."""
    return _to_digits(number, _DIGITS - 1)


def _digits(number: float) -> str:
    """Four digits, never in exponential form."""
    return _to_digits(number, _DIGITS)


def _to_digits(number: float, count: int) -> str:
    return _fixed(number, max(0, count - len(str(abs(int(number))))))


def _fixed(number: float, decimals: int) -> str:
    """So many decimals; the middle of two goes away from 0, as with toFixed of JavaScript."""
    return str(Decimal(number).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def percent(share: float) -> str:
    """A share of 1."""
    return f"{100 * share:.1f} %"


def share(part: float) -> str:
    """A share of 1 of which no digit is lost: one that is not 0 does not read as 0."""
    return percent(part) if part == 0 or part >= _LEAST_SHARE else f"{100 * part:.2g} %"


def factor(ratio: float) -> str:
    """How many times."""
    return f"{ratio:.3g}×"
