# SPDX-License-Identifier: MIT
"""From where on numbers are doubted, for those who know their kernels better."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.spelling import nearest
from rocprofsys_multipass.trace.agreement import DEFAULT


@dataclass(frozen=True, slots=True)
class Limits:
    """Largest differences that are no finding.

    `work`, `loose`: of a counter of work, and of one of time or caches, between two passes, relative to the larger.
    `ratio`: by how much a part may be more than its whole, relative to it. `outlier`: how many times the median of
    equal launches a value may be.
    """

    work: float = DEFAULT.work
    loose: float = 0.25
    ratio: float = DEFAULT.work
    outlier: float = 10.0

    def __post_init__(self) -> None:
        """UsageError where one is negative or no number."""
        for name, value in asdict(self).items():
            if not 0 <= value < math.inf:
                raise UsageError(f"limit {name}={value}: give a number from 0 on, such as {name}={_DEFAULTS[name]:g}")

    @classmethod
    def of(cls, texts: Iterable[str]) -> Limits:
        """Of ``work=0.01`` and the like.

        Raises:
            UsageError: a name is not known, or its value is no number.
        """
        values: dict[str, float] = {}
        for text in texts:
            name, _, value = text.partition("=")
            if name not in _DEFAULTS:
                near = nearest(name, _DEFAULTS)
                hint = f"did you mean {near!r}?" if near else f"there are {', '.join(_DEFAULTS)}"
                raise UsageError(f"there is no limit {name!r}; {hint}")
            try:
                values[name] = float(value)
            except ValueError as error:
                raise UsageError(f"limit {text}: give a number, such as {name}={_DEFAULTS[name]:g}") from error
        return cls(**values)


_DEFAULTS: Final[dict[str, float]] = asdict(Limits())
