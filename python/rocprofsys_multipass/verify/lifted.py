# SPDX-License-Identifier: MIT
"""Checks of launches that were replayed although that was not safe, because ``--unsafe`` lifted the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rocprofsys_multipass.trace import safety
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.places import at
from rocprofsys_multipass.verify.registry import check


@check(
    "replayed-unsafe",
    "warning",
    remedy="run without --unsafe, or make sure that the kernels write to no such memory (docs/safety.md)",
)
def replayed_unsafe(evidence: Evidence) -> Iterator[Finding]:
    """No launch was replayed in spite of a reason not to, such as live managed memory."""
    for process in evidence.best:
        counts = Counter(d.reason for d in process.dispatches if d.outcome == "replayed" and d.reason)
        for reason, count in sorted(counts.items()):
            hint = "without --unsafe they run once, as without this tool"
            yield Finding("warning", "replayed-unsafe", at(process), safety.lifted(reason, count), hint)
