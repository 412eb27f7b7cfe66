# SPDX-License-Identifier: MIT
"""Names of kernels as rows have them: demangled, in one spelling, and never what pandas takes for no value."""

from __future__ import annotations

from typing import Final

from rocprofsys_multipass.trace.model import Kernel

_DESCRIPTOR: Final = ".kd"  # of the symbol that describes a kernel to the hardware
_CLONE: Final = f" [clone {_DESCRIPTOR}]"  # the same, as demanglers write it

# What pandas reads as no value or as a truth value (`pandas._libs.parsers.STR_NA_VALUES`, 2.3), as far as it is a name
# in C: the dispatches of a kernel called `null` would be gone, and nothing would say so.
_NO_NAMES: Final = frozenset({"", "na", "nan", "null", "none", "true", "false"})


def kernel_name(symbol: Kernel) -> str:
    """The name by which ``analyze`` groups; `()` stands behind one that pandas would not take for a text."""
    name = (symbol.demangled or symbol.name).removesuffix(_DESCRIPTOR).removesuffix(_CLONE)
    name = name.replace("\0", "\\x00")  # which ends a text for some readers
    return f"{name}()" if name.strip().lower() in _NO_NAMES or _is_number(name) else name


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
