# SPDX-License-Identifier: MIT
"""What is told of the application, from the texts of a command line, or from texts and numbers of a call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.config.quantities import bytes_per_second, duration_ns, kernel_time_ns, size_bytes
from rocprofsys_multipass.config.text import readable
from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.estimate.constants import ASSUMED_COPY_RATE
from rocprofsys_multipass.estimate.window import Workload

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocprofsys_multipass.config import Wording

Amount = str | float
"""A text with a unit, or a number: of bytes, of seconds, of bytes a second."""

_MOST: Final = 10**15
_SECOND: Final = 10**9


@dataclass(frozen=True)
class Told:
    """What is told of the application and of the node, as it was given. `Workload` says what each is."""

    footprint: Amount
    dispatches: int | str
    kernel_time: Amount
    kernels: int | str = 1
    startup: Amount = 0
    copy_rate: Amount = ASSUMED_COPY_RATE
    ranks_per_node: int | str = 1


class Reader:
    """Reads what is told; `wording` names it in errors.

    Every method raises UsageError, with the option, the value and what is allowed.
    """

    def __init__(self, wording: Wording) -> None:
        self._wording = wording

    def workload(self, told: Told) -> Workload:
        """All that is told of the application."""
        launches, kernels = self.count("dispatches", told.dispatches), self.count("kernels", told.kernels)
        if kernels > launches:
            message = (
                f"{self._name('kernels')}: {kernels} kernels are more than the {launches} launches of "
                f"{self._name('dispatches')}: give the launches of all kernels together there"
            )
            raise UsageError(message)
        other = told.startup
        return Workload(
            footprint=self._amount("footprint", told.footprint, size_bytes, 1, "bytes, or a text such as '10GB'"),
            dispatches=launches,
            kernel_time_ns=self._time("kernel-time", told.kernel_time, kernel_time_ns),
            kernels=kernels,
            startup_ns=0 if other in (0, "0", "0s") else self._time("startup", other, duration_ns),
            copy_rate=self._amount(
                "copy-rate", told.copy_rate, bytes_per_second, 1, "bytes a second, or a text such as '4GB/s'"
            ),
        )

    def count(self, option: str, value: str | int) -> int:
        """A whole number from 1."""
        text = value.strip() if isinstance(value, str) else str(value) if type(value) is int else ""
        if text.isascii() and text.isdigit() and len(text) <= len(str(_MOST)) and 1 <= int(text) <= _MOST:
            return int(text)
        shown = f"'{readable(value)}'" if isinstance(value, str) else repr(value)
        message = f"{self._name(option)}: {shown} is no whole number from 1 to {_MOST}"
        raise UsageError(message)

    def _name(self, option: str) -> str:
        return self._wording.option(option if self._wording.prefix else option.replace("-", "_"))

    def _time(self, option: str, value: Amount, read: Callable[[str], int]) -> int:
        return self._amount(option, value, read, _SECOND, "seconds, or a text such as '1ms'")

    def _amount(self, option: str, value: Amount, read: Callable[[str], int], unit: int, form: str) -> int:
        """A text as `read` has it; of a number, so many of `unit`."""
        try:
            if isinstance(value, str):
                return read(value)
        except ValueError as error:
            message = f"{self._name(option)}: {error}"
            raise UsageError(message) from error
        number = round(value * unit) if type(value) in (int, float) and math.isfinite(value) else 0
        if 1 <= number <= _MOST * _SECOND:
            return number
        message = f"{self._name(option)}: {value!r} is nothing that can be used here: give {form}, above 0"
        raise UsageError(message)
