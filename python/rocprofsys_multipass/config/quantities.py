# SPDX-License-Identifier: MIT
"""Quantities with a unit, as texts: durations (``90s``), shares (``10%``), sizes (``64GB``).

A number has at most fifteen digits before the point and three behind it, so that each is a whole number of thousandths
of its unit, and the plugin (library/tool/replay_limits.cpp) reads the same value. A unit is always there: ``64`` would
be taken for bytes by one, for gigabytes by another. tests/data/replay_limits.json holds both readers to one grammar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from rocprofsys_multipass.config.text import readable

_DURATIONS: Final = {"ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_SIZES: Final = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    f"{letter}iB": 2 ** (10 * power) for power, letter in enumerate("KMGT", start=1)
}
_SHORT_TIMES: Final = {"ns": 1, "us": 10**3, "µs": 10**3}
_LONGEST_NS: Final = 8760 * _DURATIONS["h"]  # a year
_LARGEST_BYTES: Final = 1000 * _SIZES["TB"]
_QUANTITY: Final = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,3}))?([^0-9.].*)?", re.ASCII | re.DOTALL)


def duration_ns(value: str) -> int:
    """A time in nanoseconds, of ``500ms``, ``90s``, ``1.5m`` or ``1h``; above 0, at most a year.

    Raises:
        ValueError: it is none; the message says why, and what is one.
    """
    form = "write a duration such as 500ms, 90s, 5m or 1h"
    nanoseconds = _thousandths(value, _DURATIONS, form) // 1000
    return _within(value, nanoseconds, _LONGEST_NS, "8760h", form)


def size_bytes(value: str) -> int:
    """A number of bytes, of ``512MB``, ``64GB`` or ``1.5TiB``; above 0, at most 1000 TB.

    Raises:
        ValueError: as `duration_ns`.
    """
    form = "write a size such as 512MB, 64GB or 64GiB"
    return _within(value, _thousandths(value, _SIZES, form) // 1000, _LARGEST_BYTES, "1000TB", form)


def share(value: str) -> float:
    """A part of the whole, of ``10%`` or ``2.5%``; above 0, at most 1.

    Raises:
        ValueError: as `duration_ns`.
    """
    form = "write a share such as 10%"
    return _within(value, _thousandths(value, {"%": 1}, form), 100_000, "100%", form) / 100_000


def kernel_time_ns(value: str) -> int:
    """A time in nanoseconds, of ``800ns``, ``20us``, ``1.5ms`` or ``2s``: kernels may be shorter than any budget.

    Raises:
        ValueError: as `duration_ns`.
    """
    form = "write a time such as 20us, 1ms or 2s"
    nanoseconds = _thousandths(value, _SHORT_TIMES | _DURATIONS, form) // 1000
    return _within(value, nanoseconds, _LONGEST_NS, "8760h", form)


def bytes_per_second(value: str) -> int:
    """A rate, of ``4GB/s`` or ``500MiB/s``; above 0, at most 1000 TB/s.

    Raises:
        ValueError: as `duration_ns`.
    """
    form = "write a rate such as 4GB/s or 500MiB/s"
    rates = {f"{unit}/s": size for unit, size in _SIZES.items()}
    return _within(value, _thousandths(value, rates, form) // 1000, _LARGEST_BYTES, "1000TB/s", form)


def _thousandths(value: str, units: Mapping[str, int], form: str) -> int:
    """The number in thousandths of the smallest unit."""
    match = _QUANTITY.fullmatch(value)
    if not match:
        reason = f"'{readable(value)}' is no number with a unit: {form}"
        raise ValueError(reason)
    whole, fraction, unit = match.groups(default="")
    if not unit:
        reason = f"'{readable(value)}' has no unit: {form}"
        raise ValueError(reason)
    if unit not in units:
        alike = {one.lower(): one for one in units} | {one[:-1].lower(): one for one in units if one.endswith("B")}
        near = alike.get(unit.strip().lower())
        hint = f"; did you mean {whole}{f'.{fraction}' if fraction else ''}{near}?" if near else ""
        reason = f"'{readable(value)}' has the unit '{readable(unit)}', not one of {', '.join(units)}: {form}{hint}"
        raise ValueError(reason)
    return (int(whole) * 1000 + int(fraction.ljust(3, "0") or "0")) * units[unit]


def _within(value: str, number: int, most: int, most_text: str, form: str) -> int:
    if 0 < number <= most:
        return number
    reason = f"'{readable(value)}' is {f'more than {most_text}' if number else 'nothing'}: {form}"
    raise ValueError(reason)
