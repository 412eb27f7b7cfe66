# SPDX-License-Identifier: MIT
"""The list of checks. A check is a generator of findings with an id; its docstring is its documentation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.spelling import nearest
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding, Severity

CheckFunction = Callable[[Evidence], Iterator[Finding]]
AGAIN: Final = (
    "write the file again from the journal with `rocprof-sys-multipass export`; a journal that is wrong itself "
    "cannot be mended: run again"
)


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check. `severities`: of the findings that it may have, worst first; `remedy`: what to do then."""

    id: str
    function: CheckFunction
    severities: tuple[Severity, ...] = ("error",)
    remedy: str = AGAIN

    @property
    def description(self) -> str:
        """What holds in a good run: the first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]

    @property
    def details(self) -> str:
        """The rest of the docstring; empty where there is none."""
        _, _, rest = inspect.cleandoc(self.function.__doc__ or "").partition("\n")
        return rest.strip()


CHECKS: Final[dict[str, Check]] = {}


def check(identity: str, *severities: Severity, remedy: str = AGAIN) -> Callable[[CheckFunction], CheckFunction]:
    """Registers a check under an id that no other has. Without `severities` all its findings are errors."""

    def register(function: CheckFunction) -> CheckFunction:
        if identity in CHECKS:
            raise ValueError(f"two checks are called {identity}")
        CHECKS[identity] = Check(identity, function, severities or ("error",), remedy)
        return function

    return register


def chosen_checks(only: Iterable[str] = (), skip: Iterable[str] = ()) -> list[Check]:
    """The checks with these ids, all where none is given, without those to skip.

    Raises:
        UsageError: there is no check of such an id; it names the one that is most like it. Or none is left.
    """
    wanted, left_out = list(only), list(skip)
    for identity in (*wanted, *left_out):
        if identity not in CHECKS:
            near = nearest(identity, CHECKS)
            hint = f"did you mean {near!r}?" if near else "`rocprof-sys-multipass verify --list` has them all"
            raise UsageError(f"there is no check {identity!r}; {hint}")
    left = [one for one in CHECKS.values() if one.id not in left_out and (not wanted or one.id in wanted)]
    if not left:  # nothing is found by no check, which would be taken for a good run
        raise UsageError("no check is left: all that were chosen are skipped too, leave one of them in")
    return left
