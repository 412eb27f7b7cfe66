# SPDX-License-Identifier: MIT
"""What a value is compared with: a number with a tolerance, a range, or a predicate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Final

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.testing.failure import exact

ROUNDING: Final = 1e-9
"""Relative difference that is no difference: sums of doubles depend on the order in their last digits."""

_PAIR: Final = 2
_MANY_PERCENT: Final = 1000.0  # from here on as a whole number


@dataclass(frozen=True, slots=True)
class Expected:
    """`holds` says whether a value is as expected, `difference` in words how far it is off; empty where it cannot."""

    text: str
    holds: Callable[[float], bool]
    difference: Callable[[float], str]


def expected_of(expected: object, rel: float | None, abs_: float | None) -> Expected:
    """The meaning of what was given to an assertion.

    Args:
        expected: a number; a tuple (low, high), both included, None for an open end; a function of the value that
            returns whether it is right; or anything that compares equal to right values, such as `pytest.approx`.
        rel: how far a value may be from the number, relative to the number.
        abs_: how far it may be, in the counter's unit; of the two the larger holds.

    Raises:
        UsageError: there is a tolerance without a number, or a negative one, or the range is none.
    """
    rel, abs_ = _tolerance("rel", rel), _tolerance("abs", abs_)
    number = _number(expected)
    if number is not None:
        return _near(number, rel, abs_)
    if rel is not None or abs_ is not None:
        message = f"rel and abs go with a number, and {expected!r} is none: leave them out, or give a number"
        raise UsageError(message)
    if isinstance(expected, tuple):
        return _between(expected)
    if callable(expected):
        return Expected(_name(expected), lambda value: bool(expected(value)), lambda _: "")
    if not _can_equal_a_number(expected):
        message = f"expected is {expected!r}: give a number, a tuple (low, high), or a function of the value"
        raise UsageError(message)
    return Expected(str(expected), lambda value: bool(value == expected), lambda _: "")


def _number(value: object) -> float | None:
    """Of what is a number, those of numpy too, which are no int. None: it is none, or nan."""
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        return None
    try:
        number = float(value)
    except OverflowError:
        message = "expected is too large for a counter: give a number below 1e308"
        raise UsageError(message) from None
    return None if math.isnan(number) else number


def _tolerance(name: str, value: object) -> float | None:
    if value is None:
        return None
    number = _number(value)
    if number is None or not 0 <= number < math.inf:
        message = f"{name} is {value!r}: give a number from 0 on, such as {name}={'0.05' if name == 'rel' else 3}"
        raise UsageError(message)
    if name == "rel" and number >= 1:  # 0 would be as expected, and 5 is meant to be 5 % as a rule
        share = f"{name} is {value!r}, which is {number * 100:g} %: 0.05 is 5 %"
        message = f"{share}; for so wide a range give its ends, (low, high)"
        raise UsageError(message)
    return number


def _can_equal_a_number(expected: object) -> bool:
    if expected is None or isinstance(expected, (str, bytes, bool, list, dict, set)):
        return False
    try:
        return bool(expected == expected)  # noqa: PLR0124 - nan does not
    except ValueError:  # an array
        return False


def _near(number: float, rel: float | None, abs_: float | None) -> Expected:
    tolerance = max(abs(number) * (ROUNDING if rel is None else rel), abs_ or 0.0)
    allowed = [f"{rel * 100:.4g} %"] if rel else []
    allowed += [exact(abs_)] if abs_ else []
    text = " ± ".join([exact(number), " or ".join(allowed)]) if allowed else exact(number)

    def difference(value: float) -> str:
        if not (math.isfinite(value) and math.isfinite(number)):
            return ""
        off = value - number
        sign = "+" if off > 0 else "-"
        percent = abs(off / number) * 100 if number else 0.0
        relative = f" ({sign}{percent:{',.0f' if percent >= _MANY_PERCENT else '.3g'}} %)" if number else ""
        return f"{sign}{exact(abs(off))}{relative}"

    if math.isinf(number):
        return Expected(text, lambda value: value == number, difference)
    return Expected(text, lambda value: abs(value - number) <= tolerance, difference)


def _between(limits: tuple[object, ...]) -> Expected:
    if (
        len(limits) != _PAIR
        or limits == (None, None)
        or not all(end is None or _number(end) is not None for end in limits)
    ):
        message = f"expected is {limits!r}: a range has two numbers, such as (1, 8); None is an open end"
        raise UsageError(message)
    low, high = (_number(end) for end in limits)
    if low is not None and high is not None and low > high:
        message = f"expected is {limits!r}: no value is in it; give the lower end first"
        raise UsageError(message)

    def difference(value: float) -> str:
        if low is not None and value < low:
            return f"{exact(low - value)} below"
        if high is not None and value > high:
            return f"{exact(value - high)} above"
        return ""  # nan

    text = f"{exact(low)} to {exact(high)}" if low is not None and high is not None else ""
    text = text or (f"{exact(low)} or more" if low is not None else f"{exact(high or 0.0)} or less")
    return Expected(
        text,
        lambda value: (low is None or value >= low) and (high is None or value <= high),
        difference,
    )


def _name(function: Callable[..., object]) -> str:
    name = getattr(function, "__name__", "") or type(function).__name__
    return "what the function wants" if name == "<lambda>" else f"what {name}() wants"
