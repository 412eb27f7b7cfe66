# SPDX-License-Identifier: MIT
"""What ``run`` says at its end of a capture that does not hold all that the application did.

From the member `capture` of the summary (docs/formats/summary.md), which earlier versions do not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rocprofsys_multipass.spelling import plural


def lost_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """``lost: 2 dispatches in flight at the last checkpoint, 15 damaged bytes``; nothing where all is there."""
    capture = summary.get("capture") or {}
    parts = []
    if in_flight := capture.get("in_flight"):
        parts.append(f"{plural(in_flight, 'dispatch')} in flight at the last checkpoint")
    if records := capture.get("records_lost"):
        parts.append(f"{plural(records, 'record')} at least ({capture.get('error') or 'the disk was too slow'})")
    if damaged := capture.get("damaged_bytes"):
        parts.append(plural(damaged, "damaged byte"))
    if frames := capture.get("damaged_frames"):
        parts.append(f"{plural(frames, 'frame')} of the capture that cannot be understood")
    if parts:
        yield f"lost: {', '.join(parts)}"
    elif capture.get("ended") is False and in_flight == 0:
        yield "no dispatch was in flight at the last checkpoint before it ended"
