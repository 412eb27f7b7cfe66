# SPDX-License-Identifier: MIT
"""A first look at a list of counters, before anything is started: is there a token that could be used at all?

This is not the grammar. That is in library/events/, as planner and plugin read it; it knows more faults of a token
(such as a malformed ``[digits]``) and which names exist, and whatever passes here is still judged, and named with its
column, there. Here only the qualifier ``:device=digits`` is looked at, and tokens are counted: those between spaces,
commas, semicolons, tabs and newlines. It may call a token usable that is not, never the other way round.
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


def has_token(text: str) -> bool:
    """Whether there is anything between the separators of a list."""
    return _TOKEN.search(text) is not None


def tokens(text: str) -> frozenset[str]:
    """The tokens of a list."""
    return frozenset(_TOKEN.findall(text))


def check_events(text: str) -> tuple[int, list[MalformedToken]]:
    """How many tokens of the list may be usable, and those that are not."""
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
