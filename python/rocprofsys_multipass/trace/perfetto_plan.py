# SPDX-License-Identifier: MIT
"""The plan of a GPU from the lines of a trace, which docs/formats/perfetto.md describes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rocprofsys_multipass.trace.agent import PlannedPass

_SENTINEL: Final = " (sentinel)"
_PASS: Final = re.compile(r"pass ([0-9]{1,9}): (.+)")


def planned_passes(label: str, lines: Iterable[object]) -> tuple[PlannedPass, ...]:
    """The passes of the GPU with that label, such as ``GPU 0 [gfx942]``.

    None unless there is one line for each pass and every counter in them has a name: half a plan would tell wrongly
    which readings are sentinels.
    """
    passes: list[PlannedPass] = []
    for line in lines:
        if not isinstance(line, str) or not line.startswith(f"{label} pass "):
            continue
        match = _PASS.fullmatch(line, len(label) + 1)
        if match is None or int(match[1]) != len(passes):
            return ()
        marked = match[2].split(", ")
        names = tuple(name.removesuffix(_SENTINEL) for name in marked)
        if not all(re.fullmatch(r"[^\s,]+", name) for name in names):
            return ()
        passes.append(PlannedPass(names, tuple(n for n, m in zip(names, marked, strict=True) if n != m)))
    return tuple(passes)
