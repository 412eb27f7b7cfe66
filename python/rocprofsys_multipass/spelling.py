# SPDX-License-Identifier: MIT
"""What a name that is not known was meant to be: one measure of likeness for every hint."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """The name in `known` that is most like `word`; empty where none is much like it. Case counts."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return found[0] if found else ""
