# SPDX-License-Identifier: MIT
"""What the run of a journal was asked for, as the hand-over file beside it says: `recover` and `export` do the same."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rocprofsys_multipass.config.values import (
    COMPUTE_RELEASES,
    DEFAULT_FORMATS,
    DEFAULT_LAYOUT,
    FORMATS,
    LAYOUTS,
    TRACE_COUNTERS,
)
from rocprofsys_multipass.run.export import Form
from rocprofsys_multipass.run.writers import handover_of


def asked_formats(journal: Path) -> list[str]:
    """What was to be made of it; "perfetto" and "rocpd" where nothing says so."""
    content = _handed_over(journal)
    names = content.get("outputs", content.get("formats"))
    known = [name for name in names if name in FORMATS] if isinstance(names, list) else []
    return known or list(DEFAULT_FORMATS)


def asked_form(journal: Path, *, layout: str | None = None, trace_counters: str | None = None) -> Form:
    """How database and trace are to be written: `layout` and `trace_counters` where they are given, else as asked."""
    content = _handed_over(journal) if layout is None or trace_counters is None else {}
    asked, counters = content.get("layout"), content.get("trace_counters")
    return Form(
        layout or (asked if asked in LAYOUTS else DEFAULT_LAYOUT),
        trace_counters or (counters if counters in TRACE_COUNTERS else TRACE_COUNTERS[0]),
    )


def asked_release(journals: Iterable[Path]) -> str:
    """For which release of rocprofiler-compute: as the first of the runs says that says so, else the default."""
    asked = (_handed_over(journal).get("compute_release") for journal in journals)
    return next((release for release in asked if release in COMPUTE_RELEASES), COMPUTE_RELEASES[0])


def _handed_over(journal: Path) -> dict[str, Any]:
    handed = handover_of(journal)
    return handed[1] if handed is not None else {}
