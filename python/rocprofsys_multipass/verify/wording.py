# SPDX-License-Identifier: MIT
"""How findings put into words where two values differ, so that what differs is not cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rocprofsys_multipass.trace.guard import shown


class _Absent:
    """What is not there, where None may be."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()
_WHOLE: Final = "it"  # what the place of a finding names
_LONG: Final = 40  # characters that are shown whole
_BEFORE: Final = 10
_NAME: Final = 120  # characters of the name of a kernel


def short(name: str) -> str:
    """The name of a kernel as a message has it: in one line, and cut where it is long, for it may have 64 KiB."""
    line = " ".join(name[: _NAME + 1].split())
    return line if len(name) <= _NAME else f"{line[: _NAME - 3]}..."


def unlike(what: str, one: object, other: object, source: str) -> str:
    """What one file says of `what` and `source` does not: the first member that differs, else the values themselves.

    ``passes[2] lacks 'TCC_HIT', which the journal has``, ``verdict is 'not', the journal has 'exact'``.
    """
    if max(len(repr(one)), len(repr(other))) <= _LONG:
        return f"{what} is {one!r}, {source} has {other!r}"
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys((*other, *one)):
            here, there = one.get(key, ABSENT), other.get(key, ABSENT)
            if here is ABSENT or there is ABSENT:
                return _lonely(what, repr(key), source, here=there is ABSENT)
            if here != there:
                return unlike(str(key) if what == _WHOLE else f"{what}.{key}", here, there, source)
    if isinstance(one, list) and isinstance(other, list):
        return _unlike_lists(what, one, other, source)
    if isinstance(one, str) and isinstance(other, str):
        one, other = _from_difference(one, other)
    return f"{what} is {shown(one)}, {source} has {shown(other)}"


def _from_difference(one: str, other: str) -> tuple[str, str]:
    """The ends of two long texts from a little before the place where they differ."""
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    begin = max(same - _BEFORE, 0)
    return ("..." + one[begin:], "..." + other[begin:]) if begin else (one, other)


def _unlike_lists(what: str, one: Sequence[object], other: Sequence[object], source: str) -> str:
    lacking, extra = ([x for x in a if x not in b] for a, b in ((other, one), (one, other)))
    if len(one) != len(other) and (lacking or extra):
        return _lonely(what, ", ".join(shown(x) for x in (lacking or extra)[:3]), source, here=not lacking)
    if len(one) != len(other):
        return f"{what} has {len(one)} members, in {source} there are {len(other)}"
    position, here, there = next((i, a, b) for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    return unlike(f"member {position}" if what == _WHOLE else f"{what}[{position}]", here, there, source)


def _lonely(what: str, name: str, source: str, *, here: bool) -> str:
    return f"{what} has {name}, which {source} lacks" if here else f"{what} lacks {name}, which {source} has"
