# SPDX-License-Identifier: MIT
"""The part of the events grammar that can be checked without knowing a GPU.

The grammar is that of ``ROCPROFSYS_ROCM_EVENTS``: tokens between spaces, commas, semicolons, tabs and newlines; a
token is ``NAME``, optionally ``[digits]``, optionally ``:device=digits``. Whether a name exists is the planner's
business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"[^ ,;\t\n]+")
_QUALIFIER = ":device="


@dataclass(frozen=True)
class MalformedToken:
    """A token that cannot be used. `column` is 1-based in the list."""

    token: str
    column: int
    reason: str


def check_events(text: str) -> tuple[int, list[MalformedToken]]:
    """How many tokens of the list can be used, and those that cannot."""
    usable = 0
    malformed = []
    for match in _TOKEN.finditer(text):
        reason = _fault(match.group())
        if reason:
            malformed.append(MalformedToken(match.group(), match.start() + 1, reason))
        else:
            usable += 1
    return usable, malformed


def _fault(token: str) -> str:
    name, qualifier, device = token.partition(_QUALIFIER)
    if not qualifier:
        return ""
    if not name:
        return "a device without a counter before it: write NAME:device=N without a blank"
    if not device:
        return "the number after ':device=' is missing"
    if not (device.isascii() and device.isdigit()):
        return f"'{device}' after ':device=' is not a number"
    return ""
