# SPDX-License-Identifier: MIT
"""Whether values have the types that their dataclasses declare. What was read from JSON may have any."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints


def check_types(value: object, declared: Any, place: str = "it") -> None:  # noqa: ANN401 - a type, or what stands for one in a hint
    """TypeError, with the place: a value has another type. Members of a Literal count as texts: newer ones may come."""
    origin, inner = get_origin(declared), get_args(declared)
    if isinstance(declared, type) and is_dataclass(declared) and isinstance(value, declared):
        for name, kind in _members(declared):
            check_types(getattr(value, name), kind, name)
    elif origin is tuple and isinstance(value, tuple):
        for one in value:
            check_types(one, inner[0], place)
    elif origin is dict and isinstance(value, dict):
        for key, one in value.items():
            check_types(key, inner[0], place)
            check_types(one, inner[1], f"{place}[{key}]")
    elif NoneType in inner:  # of a Union: the other of the two
        if value is not None:
            check_types(value, next(kind for kind in inner if kind is not NoneType), place)
    elif type(value) is not (str if origin is Literal else declared):
        raise TypeError(f"{place} is {value!r:.80}")


@cache
def _members(declared: type) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(declared)
    return tuple((one.name, hints[one.name]) for one in fields(declared))
