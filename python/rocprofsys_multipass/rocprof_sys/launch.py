# SPDX-License-Identifier: MIT
"""What a run under rocprof-sys has to know of its settings beside the list of counters."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rocprofsys_multipass.rocprof_sys.found import Found
from rocprofsys_multipass.rocprof_sys.options import OUTPUT_PATH, POLLED

DEFAULT_OUTPUT: Final = "rocprof-sys-%tag%-output"


def output_path(found: Found, folder: Path) -> Path:
    """Where rocprof-sys writes, as far as its settings tell; `folder` is the one that the command line is started in.

    It may hold keys that only the application's process knows, such as ``%pid%``.
    """
    giving = found.effective(OUTPUT_PATH)
    return folder / (giving.value if giving else DEFAULT_OUTPUT)


def polled_counters(found: Found) -> str:
    """The counters that rocprof-sys polls, which it keeps; empty where there are none."""
    giving = found.effective(POLLED)
    return giving.value if giving else ""
