# SPDX-License-Identifier: MIT
"""What a merge made of one file of rocprof-sys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

LISTED: Final = 100  # of the dispatches without a match; all are counted


@dataclass(frozen=True)
class Unmatched:
    """A dispatch of one side that the other side does not have, or has differently."""

    dispatch_id: int
    reason: str


@dataclass(frozen=True)
class Merged:
    """A merged file, and how its dispatches were brought together.

    Dispatches are matched by process, agent and dispatch id, never by their times. Of `unmatched` only the first ones
    are there; `unmatched_count` counts all.
    """

    target: Path
    matched: int  # dispatches that are in both inputs
    added: int  # dispatches that rocprof-sys did not record and this tool did
    removed: int  # executions of rocprof-sys that were taken out: passes of a replayed dispatch after the first
    unmatched: tuple[Unmatched, ...] = ()
    unmatched_count: int = 0
    notes: tuple[str, ...] = ()
