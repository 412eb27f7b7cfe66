# SPDX-License-Identifier: MIT
"""Words in messages: what a name that is not known was meant to be, by one measure of likeness, plurals, a hint."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Final

STATES_NO_WORK: Final = (
    "on the simulator a kernel has to state its work by <multipass/count.h>: docs/simulator.md#what-a-kernel-states"
)
"""Where simulated counters of work are 0 in all passes."""

_HISSING: Final = ("s", "x", "ch", "sh")  # ends of words that take es


def nearest(word: str, known: Iterable[str]) -> str:
    """The name in `known` that is most like `word`; empty where none is much like it. Case counts."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return found[0] if found else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``did you mean axpy? ``, to stand in front of what is known; empty where none is much like it."""
    near = nearest(word, known)
    return f"did you mean {near}? " if near else ""


def process_name(pid: int, rank: int | None) -> str:
    """``process 4711``, ``process 4711 (rank 2)``."""
    return f"process {pid}" + (f" (rank {rank})" if rank is not None else "")


def plural(count: int, word: str) -> str:
    """``1 pass``, ``2 passes``, ``1,000 counters``."""
    ending = "" if count == 1 else "es" if word.endswith(_HISSING) else "s"
    return f"{count:,} {word}{ending}"


def first_of(names: Sequence[str], most: int) -> str:
    """The first `most` names and how many there are beside them: ``A, B and 7 more``."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def were(count: int, word: str) -> str:
    """``1 launch was``, ``2 launches were``."""
    return f"{plural(count, word)} {'was' if count == 1 else 'were'}"
