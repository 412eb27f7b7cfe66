# SPDX-License-Identifier: MIT
"""The list of checks. A check is a generator of findings with an id; its docstring is its documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding

CheckFunction = Callable[[Evidence], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check."""

    id: str
    function: CheckFunction

    @property
    def description(self) -> str:
        """First line of the function's docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]


CHECKS: Final[dict[str, Check]] = {}


def check(identity: str) -> Callable[[CheckFunction], CheckFunction]:
    """Registers a check under an id that no other has."""

    def register(function: CheckFunction) -> CheckFunction:
        if identity in CHECKS:
            raise ValueError(f"two checks are called {identity}")
        CHECKS[identity] = Check(identity, function)
        return function

    return register
