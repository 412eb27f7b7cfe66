# SPDX-License-Identifier: MIT
"""Times, sizes and factors of an estimate as texts: two or three digits, as it knows no more."""

from __future__ import annotations

from typing import Final

_SECOND: Final = 10**9
_FINE: Final = ((_SECOND, "s"), (10**6, "ms"), (10**3, "us"), (1, "ns"))
_COARSE: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_IN_SECONDS: Final = 120  # up to here minutes say less
_SIZES: Final = ((10**18, "EB"), (10**15, "PB"), (10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "KB"), (1, "B"))
_DIGITS: Final = 3
_SHOWN_EXACTLY: Final = 10  # factors above have no decimals


def time_text(ns: int) -> str:
    """``20 ms``, ``61 s``, ``5 min 46 s``, ``5 h 34 min``, ``3 d 4 h``."""
    if round(ns / _SECOND) < _IN_SECONDS:
        return _scaled(ns, _FINE) if ns < _SECOND else f"{_rounded(ns / _SECOND)} s"
    seconds = round(ns / _SECOND)
    at = next(place for place, (size, _) in enumerate(_COARSE) if seconds >= size)
    (large, large_name), (small, small_name) = _COARSE[at], _COARSE[at + 1]
    whole = (seconds + small // 2) // small * small
    if at and whole >= _COARSE[at - 1][0]:  # 59 min 59.7 s
        return time_text(whole * _SECOND)
    rest = whole % large // small
    return f"{whole // large:,} {large_name}" + (f" {rest} {small_name}" if rest else "")


def size_text(size: int) -> str:
    """``512 B``, ``1.5 GB``, ``80 TB``: units of a thousand."""
    return _scaled(size, _SIZES)


def rounded_down(number: int) -> int:
    """The number with three digits, for what must not be more."""
    step: int = 10 ** max(0, len(str(number)) - _DIGITS)
    return number - number % step


def factor_text(part: int, whole: int) -> str:
    """How many times `whole` is in `part`: ``1.05x``, ``61x``."""
    factor = part / whole
    return f"{factor:,.0f}x" if factor >= _SHOWN_EXACTLY else f"{_rounded(factor)}x"


def _scaled(number: int, units: tuple[tuple[int, str], ...]) -> str:
    for place, (size, name) in enumerate(units):
        if number >= size:
            text = _rounded(number / size)
            if place and float(text) * size >= units[place - 1][0]:  # 999.9 ms
                return f"1 {units[place - 1][1]}"
            return f"{text} {name}"
    return f"0 {units[-1][1]}"


def _rounded(number: float) -> str:
    """Three digits, all of a whole number, no zeros at the end."""
    decimals = max(0, _DIGITS - len(str(int(number))))
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text
