# SPDX-License-Identifier: MIT
"""Names of kernels as rows have them: demangled, in one spelling, in a form that ``analyze`` takes for a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rocprofsys_multipass.trace.model import Kernel
from rocprofsys_multipass.visible import visible

_DESCRIPTOR: Final = ".kd"  # of the symbol that describes a kernel to the hardware
_CLONE: Final = f" [clone {_DESCRIPTOR}]"  # the same, as demanglers write it

# What pandas reads as no value (`pandas._libs.parsers.STR_NA_VALUES`, 2.3) or as a truth value: the dispatches of a
# kernel called `null` would be gone, and nothing would say so. Those that are numbers (`-nan`) are found as such.
_NO_NAMES: Final = frozenset(
    {
        *("", "na", "n/a", "nan", "null", "none", "true", "false", "<na>", "#na", "#n/a", "#n/a n/a"),
        *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
    }
)


class KernelNames:
    """The names by which ``analyze`` groups, of one export: different kernels keep different ones.

    A name that is changed may be that of another kernel; which of the two gets a number behind it goes by the order in
    which they are asked for.
    """

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}
        self._originals: dict[str, str] = {}  # of all, by the name that is shown

    def of(self, symbol: Kernel) -> str:
        """The name of a kernel in rows."""
        name = (symbol.demangled or symbol.name).removesuffix(_DESCRIPTOR).removesuffix(_CLONE)
        found = self._shown.get(name)
        if found is None:
            found = self._free(readable_name(name))
            self._shown[name], self._originals[found] = found, name
        return found

    def _free(self, name: str) -> str:
        found, count = name, 1
        while found in self._originals:
            count += 1
            found = f"{name} #{count}"
        return found

    @property
    def originals(self) -> Mapping[str, str]:
        """What kernels are called, by the name that rows have."""
        return self._originals


def readable_name(name: str) -> str:
    """The name as pandas reads it back.

    Marks stand for control characters, since a carriage return ends a row of pandas and NUL a name, and for what is no
    Unicode; `()` stands behind what it would not take for a text.
    """
    # Lone surrogates stand for bytes that are no UTF-8: no file in UTF-8 has them.
    text = visible(name).encode("utf-8", "backslashreplace").decode()
    return f"{text}()" if text.strip().lower() in _NO_NAMES or _is_number(text) else text


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
